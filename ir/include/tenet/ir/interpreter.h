/// The reference interpreter: small, slow and meant to be obviously right.
/// A verdict of "violated" counts only when its trace replays here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"

namespace tenet::ir {

/// Why an evaluation has no value: an error of the specification.
enum class FaultKind {
  read_none,    ///< `get` of none
  missing_key,  ///< map read of an absent key
  below_zero,   ///< natural subtraction
  divide_by_zero,
  overflow,          ///< beyond 64 bits
  outside_instance,  ///< depends on values that the instance does not have (in a step: cut): a function read or updated
                     ///< at such an argument, a quantifier over numbers beyond the ranges
};

/// Whether the protocol itself is at fault, and not the bounds of the instance
/// or of the machine: a proof for any number of hosts excludes only this.
[[nodiscard]] constexpr bool of_the_protocol(FaultKind kind) {
  return kind != FaultKind::overflow && kind != FaultKind::outside_instance;
}

/// In the user's words: "reads none", "divides by zero" …
[[nodiscard]] std::string_view describe(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::read_none;
  ExprId where;
};

/// Whether a formula is cut: the instance does not tell its value. Then it is neither true nor false, and no error.
[[nodiscard]] inline bool is_cut(const std::variant<bool, Fault>& value) {
  const Fault* fault = std::get_if<Fault>(&value);
  return fault != nullptr && fault->kind == FaultKind::outside_instance;
}

/// What came of trying an action.
struct Happened {
  State next;
  std::vector<Packet> sends;  ///< in the order sent
};
struct Disabled {};       ///< the guard is false, or a `choose` condition is
struct CutAtBound {       ///< a value left the range the instance gives it, or a message has too many copies
  std::string slot;       ///< the variable, field, parameter or message
  bool too_many = false;  ///< instead: `slot` has too many values to enumerate
};
using Outcome = std::variant<Happened, Disabled, CutAtBound, Fault>;

/// What is known of an action beforehand. A parameter that is absent, or
/// beyond the end of `parameters`, and a message that is absent may be any.
struct Partial {
  StepId step;
  HostRef host;
  std::vector<std::optional<Value>> parameters;
  std::optional<Packet> received;
};

class Domains;  // private to this room: the finite domains of all types

/// Evaluates one protocol in one instance with fixed constants. Holds
/// references: protocol, instance and constants must outlive it. The protocol
/// must pass `verify_ir`. Thread-safe. Making one enumerates the domains that
/// the protocol quantifies over: make one and use it often.
class Interpreter {
 public:
  Interpreter(const Protocol& protocol, const Instance& instance, const Constants& constants);

  /// Tries `action` in `state`: one step, atomically. The first statement that
  /// faults or leaves a range decides; too many copies of a message only do if
  /// none does.
  [[nodiscard]] Outcome apply(const State& state, const Action& action) const;
  /// A closed formula (no self) in `state`; `before` gives `old` its meaning. Three-valued (Kleene): where it depends
  /// on values outside the instance, it is cut (`is_cut`), unless other operands decide it.
  [[nodiscard]] std::variant<bool, Fault> holds(ExprId formula, const State& state,
                                                const State* before = nullptr) const;
  /// Every action that is enabled (or faults, or is cut) in `state`, in a
  /// fixed order: host by host, step by step, messages and then parameters and
  /// choices ascending. Where the values of a parameter or choice are too many
  /// to enumerate, the action without them is shown as cut.
  void enabled(const State& state, const std::function<void(const Action&, const Outcome&)>& visit) const;
  /// The same for the actions that agree with `known`. Each try, one action
  /// or beginning of one up to a choice, takes one from `budget`; at 0 it ends
  /// and returns false.
  bool enabled(const State& state, const Partial& known,
               const std::function<void(const Action&, const Outcome&)>& visit, std::uint64_t& budget) const;

  /// For a formula that is false in `state`: the values of the outermost
  /// universally quantified variables (or the witness, for one that is true
  /// and existential) that show it. Empty if there are none.
  struct Binding {
    LocalId local;
    Value value;
  };
  [[nodiscard]] std::vector<Binding> witness(ExprId formula, const State& state, const State* before = nullptr) const;
  /// Any expression without `self`, with values for its free locals.
  [[nodiscard]] std::variant<Value, Fault> evaluate(ExprId expr, const std::vector<Binding>& locals, const State& state,
                                                    const State* before = nullptr) const;

 private:
  const Protocol* protocol_;
  const Instance* instance_;
  const Constants* constants_;
  std::shared_ptr<const Domains> domains_;
};

/// One way to begin: constants that satisfy the axioms, a state that
/// satisfies the initialisers and `init` formulas.
struct Start {
  Constants constants;
  State state;
};

/// Enumerates all starts of an instance in ascending order, grouped by
/// constants, until `visit` returns false. `bad_input` if an initialiser
/// or an axiom faults, or starts outside its range, and if there is no start:
/// "no constants satisfy the axiom…" or "no initial state exists", with the
/// formulas that contradict one another (a smallest such group).
/// `too_large` beyond `limit` candidate assignments tried.
[[nodiscard]] Result<void> enumerate_starts(const Protocol& protocol, const Instance& instance, std::uint64_t limit,
                                            const std::function<bool(const Start&)>& visit);

/// Replays `trace.actions` from `trace.states.front()` with its constants and
/// checks every state, send and start on the way. Empty string: it replays;
/// otherwise what does not and where.
[[nodiscard]] std::string replay(const Protocol& protocol, const Instance& instance, const Trace& trace);

}  // namespace tenet::ir
