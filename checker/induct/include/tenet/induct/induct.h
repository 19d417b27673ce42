/// Induction over single states: is a set of claims kept by every step, for any
/// number of hosts?
///
/// ```
/// std::vector<tenet::induct::Claim> claims;  // the lemmas and safety claims of the text
/// for (auto id : tenet::induct::stated_claims(protocol)) claims.push_back(tenet::induct::claim_of(protocol, id));
/// const auto report = tenet::induct::check(protocol, claims, {});
/// if (report.inductive()) …  // each holds in every reachable state
/// ```
///
/// The protocol becomes first-order logic with quantifiers: roles and types are
/// sorts, variables and constants are functions and relations, messages are
/// relations that only grow, thresholds are sets with a witness. What has no
/// sound translation is refused by its name. How and why it is sound:
/// docs/learning.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tenet/base/stop.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"

namespace tenet::induct {

/// A closed formula about one state, or about a step if it has `old`.
struct Claim {
  std::string name;
  ir::ExprId formula;
};

/// The safety and lemma properties, and transition properties, in source order.
[[nodiscard]] std::vector<ir::PropertyId> stated_claims(const ir::Protocol& protocol);
[[nodiscard]] Claim claim_of(const ir::Protocol& protocol, ir::PropertyId property);

enum class Verdict : std::uint8_t {
  discharged,  ///< a solver found no counterexample to exist
  refuted,     ///< there is a counterexample (`Obligation::counterexample`, if one could be written down)
  open,        ///< no answer
};

/// Two states that show why a claim is not kept: all claims hold before, and
/// one fails after. `before` need not be reachable. It replays on the reference
/// interpreter in `instance`.
struct Counterexample {
  ir::Instance instance;
  ir::Constants constants;
  ir::State before;                  ///< of a claim that fails at the start: the initial state
  std::optional<ir::Action> action;  ///< nothing for a claim that fails at the start
  std::optional<ir::State> after;    ///< nothing where there is no action, and where the step faults
};

enum class ObligationKind : std::uint8_t {
  text_defined,  ///< axioms, constants, initialisers and `init` formulas read nothing that is not there
  initiation,    ///< the claim holds in every initial state
  step_defined,  ///< the step reads nothing that is not there
  consecution,   ///< if all claims hold before the step, this one holds after it
};

[[nodiscard]] std::string_view name_of(ObligationKind kind);

/// One question put to a solver, and its answer.
struct Obligation {
  ObligationKind kind = ObligationKind::consecution;
  std::size_t claim = kNone;  ///< index into the claims; kNone: about no claim
  ir::StepId step;            ///< of consecution and step_defined
  Verdict verdict = Verdict::open;
  std::string reason;  ///< of an open one
  std::string solver;  ///< who answered
  std::uint64_t resources = 0;
  double seconds = 0;
  std::vector<std::size_t> uses;  ///< claims that the answer needed, if discharged (an unsatisfiable core)
  std::string query;              ///< SMT-LIB 2, unsatisfiable if discharged; empty unless asked for
  std::optional<Counterexample> counterexample;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

struct Options {
  std::uint64_t resource_limit = 20'000'000;  ///< of one check, in Z3's unit
  std::uint64_t second_limit = 2'000'000;     ///< of the second solver (cvc5), in its unit; 0: it is not asked
  std::uint32_t seed = 0;
  unsigned threads = 1;
  bool keep_queries = false;
  bool counterexamples = true;  ///< search for two states of small instances where a claim is not kept
  bool impossible = false;      ///< find steps that never happen
  const StopFlag* stop = nullptr;
  std::function<void(const std::string&)> progress;  ///< called from one thread at a time
};

struct Report {
  std::vector<Obligation> obligations;
  /// Not empty: why nothing could be asked ("'…' has no translation …").
  std::string refused;
  /// For each claim: whether it holds in every reachable state, by induction
  /// together with the others for which this is so.
  std::vector<bool> proved;
  std::vector<ir::StepId> impossible;  ///< that this is so is shown with the proved claims
  double seconds = 0;
  /// Every obligation is discharged: all claims are proved.
  [[nodiscard]] bool inductive() const;
};

/// Asks for initiation and consecution of every claim, and whether axioms,
/// start and steps are defined (they may use the claims). The same input gives
/// the same report, but for `seconds`.
[[nodiscard]] Report check(const ir::Protocol& protocol, const std::vector<Claim>& claims, const Options& options);

/// A step of a small instance that does not keep claim `goal`, though all
/// claims hold before: the first with a counterexample in the fewest hosts, of
/// which what does not matter is left out. Nothing if none is found.
[[nodiscard]] std::optional<Obligation> break_claim(const ir::Protocol& protocol, const std::vector<Claim>& claims,
                                                    std::size_t goal, const Options& options);

struct TraceAnswer {
  Verdict verdict = Verdict::open;  ///< discharged: there is no such trace; refuted: there is one
  std::string reason;               ///< of an open one
  bool model = false;               ///< a solver has a model for any number of hosts
  std::string solver;
  std::uint64_t resources = 0;
  double seconds = 0;
  std::string query;
  /// A trace of a small instance, if one was found; it replays.
  std::optional<ir::Trace> trace;
  std::optional<ir::Instance> instance;
};

/// Is there a run that goes through the query's items in order? Where it may
/// begin in any state, no instance is searched for one that replays.
[[nodiscard]] TraceAnswer find_trace(const ir::Protocol& protocol, const ir::TraceQuery& query, const Options& options);

}  // namespace tenet::induct
