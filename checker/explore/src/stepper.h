/// What the steps of one host can do: from a local state and perhaps a message
/// to the list of what may happen. Runs compiled; asks the reference
/// interpreter about everything out of the ordinary.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler.h"
#include "universe.h"

namespace tenet::explore {

/// One thing that a step does.
struct Effect {
  enum class Kind : std::uint8_t { happens, cut, faults };
  Kind kind = Kind::happens;
  ir::StepId step;
  std::uint32_t local = 0;           ///< happens: the new local state
  std::vector<std::uint32_t> sends;  ///< happens: messages, in order
  std::string slot;                  ///< cut
  ir::Fault fault;                   ///< faults
};

/// Whether flat values lie in the ranges of a slot.
class RangeCheck {
 public:
  RangeCheck(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts, ir::TypeId type,
             const std::string& slot);
  [[nodiscard]] bool holds(const Cell* cells) const;

 private:
  const Shape* shape_;
  bool always_ = false;
  ir::Range range_{};
  std::vector<RangeCheck> parts_;  ///< payload, fields, values
  std::vector<Cell> allowed_;      ///< elements or keys
};

/// All steps of a protocol, compiled. Immutable after construction.
class Steps {
 public:
  Steps(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts, const Places& places);

 private:
  friend class Stepper;
  struct Statement {
    ir::StmtKind kind = ir::StmtKind::assign;
    Compiled value;
    std::uint32_t place = 0;  ///< assign: in the host's cells; let, choose, send binder: in the frame
    bool binds = false;       ///< send: `to each`
    std::optional<RangeCheck> range;
    const Domain* choices = nullptr;
    ir::LocalId chosen;
    std::vector<Statement> then_branch, else_branch;
    ir::MessageId message;
    std::vector<Compiled> args;
    std::vector<RangeCheck> arg_ranges;
    Compiled target;
    std::uint32_t first_target = 0;
  };
  struct Parameter {
    std::uint32_t place;
    const Domain* domain;
  };
  struct CompiledStep {
    ir::StepId id;
    std::vector<Parameter> parameters;
    bool receives = false;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> fields;  ///< frame place, cells
    std::optional<std::uint32_t> sender;
    ir::RoleId from;
    Compiled guard;
    std::vector<Statement> body;
    std::vector<std::pair<ir::LocalId, const Domain*>> chooses;  ///< every `choose` of the body
  };
  CompiledStep step(Compiler& compiler, ir::StepId id);
  std::vector<Statement> block(Compiler& compiler, const std::vector<ir::StmtId>& body, CompiledStep& of);
  Statement statement(Compiler& compiler, const ir::Stmt& stmt, CompiledStep& of);
  Statement send(Compiler& compiler, const ir::Stmt& stmt);

  const ir::Protocol& p_;
  const ir::Instance& instance_;
  Layouts& layouts_;
  const Places& places_;
  Program program_;
  std::vector<std::vector<CompiledStep>> alone_;                  ///< by role
  std::vector<std::vector<std::vector<CompiledStep>>> receives_;  ///< by role, then message
};

/// Runs steps. One per thread.
class Stepper {
 public:
  Stepper(const Steps& steps, Universe& universe);
  using Visit = std::function<void(Effect)>;
  /// Everything that host may do alone (`message` absent) or on receiving.
  void run(const Local& local, std::optional<std::uint32_t> message, const Visit& visit);

 private:
  using Statement = Steps::Statement;
  enum class Ran : std::uint8_t { happened, disabled, odd };
  void run_step(const Steps::CompiledStep& step);
  void run_choices(const Steps::CompiledStep& step);
  [[nodiscard]] Ran run_once(const Steps::CompiledStep& step);
  [[nodiscard]] Ran block(const std::vector<Statement>& body);
  [[nodiscard]] Ran assign(const Statement& statement);
  [[nodiscard]] Ran choose(const Statement& statement);
  [[nodiscard]] Ran send(const Statement& statement);
  [[nodiscard]] Ran deliver(const Statement& statement, std::uint32_t addressee);
  void ask_interpreter(const Steps::CompiledStep& step);
  void report(ir::StepId step, const ir::Outcome& outcome);
  bool next_choice();

  const Steps& steps_;
  Universe& universe_;
  Frame frame_;
  std::vector<Cell> work_;
  const Local* local_ = nullptr;
  std::optional<std::uint32_t> message_;
  const Visit* visit_ = nullptr;
  std::vector<std::uint32_t> sends_;
  struct Choice {
    ir::LocalId local;
    const Domain* domain;
    std::uint64_t index;
  };
  std::vector<std::uint64_t> parameters_;
  std::vector<Choice> choices_;
  std::size_t choices_used_ = 0;
};

}  // namespace tenet::explore
