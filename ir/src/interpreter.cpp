#include "tenet/ir/interpreter.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <utility>

#include "execute.h"

namespace tenet::ir {

namespace {

Outcome outcome_of(Ran ran) {
  return std::visit(
      [](auto&& how) -> Outcome {
        if constexpr (std::is_same_v<std::decay_t<decltype(how)>, NeedsChoice>) {
          return Disabled{};
        } else {
          return std::forward<decltype(how)>(how);
        }
      },
      std::move(ran));
}

/// Enumerates the actions of one step of one host, as far as a budget of tries goes.
class Actions {
 public:
  using Visit = std::function<void(const Action&, const Outcome&)>;
  Actions(const Context& context, const State& state, const Visit& visit, std::uint64_t& budget)
      : c_(context), state_(state), visit_(visit), budget_(budget) {}

  /// Those that agree with `known`. False if the budget was not enough.
  bool matching(const Partial& known);

 private:
  bool parameters(Action& action, const Partial& known);
  bool choices(Action& action);

  const Context& c_;
  const State& state_;
  const Visit& visit_;
  std::uint64_t& budget_;
};

bool Actions::matching(const Partial& known) {
  const Step& step = (*c_.protocol)[known.step];
  Action action{known.step, known.host, {}, {}, {}};
  if (!step.receive) return known.received || parameters(action, known);
  const Packet* last = nullptr;
  for (const Packet& packet : state_.network) {
    // Equal copies of a message make one action.
    if (packet.message != step.receive->message || packet.addressee != known.host || (last && *last == packet))
      continue;
    last = &packet;
    if (known.received && *known.received != packet) continue;
    action.received = packet;
    if (!parameters(action, known)) return false;
  }
  return true;
}

bool Actions::parameters(Action& action, const Partial& known) {
  const Step& step = (*c_.protocol)[action.step];
  const std::size_t next = action.parameters.size();
  if (next == step.parameters.size()) return choices(action);
  const auto with = [&](const Value& value) {
    action.parameters.push_back(value);
    const bool enough = parameters(action, known);
    action.parameters.pop_back();
    return enough;
  };
  if (next < known.parameters.size() && known.parameters[next]) return with(*known.parameters[next]);
  const LocalId parameter = step.parameters[next];
  const std::vector<Value>* domain = c_.domains->of(parameter);
  if (domain == nullptr) {
    visit_(action, CutAtBound{(*c_.protocol)[parameter].name, true});
    return true;
  }
  return std::all_of(domain->begin(), domain->end(), with);
}

bool Actions::choices(Action& action) {
  if (budget_ == 0) return false;
  --budget_;
  Ran ran = run_action(c_, state_, action);
  if (const auto* needed = std::get_if<NeedsChoice>(&ran)) {
    const LocalId local = needed->local;
    const std::vector<Value>* domain = c_.domains->of(local);
    if (domain == nullptr) {
      visit_(action, CutAtBound{(*c_.protocol)[local].name, true});
      return true;
    }
    for (const Value& value : *domain) {
      action.choices.push_back(value);
      const bool enough = choices(action);
      action.choices.pop_back();
      if (!enough) return false;
    }
    return true;
  }
  if (!std::holds_alternative<Disabled>(ran)) visit_(action, outcome_of(std::move(ran)));
  return true;
}

/// Walks down a formula whose outcome is known, to the bindings that show it.
class Witness {
 public:
  enum class Outcome { is_false, is_true, faults, is_cut };
  explicit Witness(const Context& context) : p_(*context.protocol), evaluator_(context) {}

  Outcome outcome(ExprId id);
  void explain(ExprId id, Outcome outcome);
  std::vector<Interpreter::Binding> bindings;

 private:
  void quantifier(const Expr& e, Outcome outcome);

  const Protocol& p_;
  Evaluator evaluator_;
};

Witness::Outcome Witness::outcome(ExprId id) {
  try {
    return evaluator_.truth(id) ? Outcome::is_true : Outcome::is_false;
  } catch (const Stopped& stopped) {
    return std::holds_alternative<Stopped::OutOfDomain>(stopped.why) ? Outcome::is_cut : Outcome::faults;
  }
}

void Witness::quantifier(const Expr& e, Outcome wanted) {
  const Outcome plain = e.op == Op::forall ? Outcome::is_true : Outcome::is_false;
  if (wanted == plain) return;
  std::vector<Interpreter::Binding> found;
  const auto shows = [&] {
    const Outcome here = outcome(e.args[0]);
    if (here == plain || here == Outcome::is_cut) return false;
    // A formula that faults does so at the first binding that decides it.
    for (const LocalId binder : e.binders) found.push_back({binder, evaluator_.bound(binder)});
    return true;
  };
  try {
    if (!evaluator_.any_binding(e, 0, shows)) return;
  } catch (const Stopped&) {
    return;  // the domain itself has no value
  }
  bindings.insert(bindings.end(), found.begin(), found.end());
  explain(e.args[0], outcome(e.args[0]));
}

void Witness::explain(ExprId id, Outcome wanted) {
  if (wanted == Outcome::is_cut) return;
  const Expr& e = p_[id];
  switch (e.op) {
    case Op::forall:
    case Op::exists:
      return quantifier(e, wanted);
    case Op::not_:
      if (wanted == Outcome::is_true) return explain(e.args[0], Outcome::is_false);
      return explain(e.args[0], wanted == Outcome::is_false ? Outcome::is_true : Outcome::faults);
    case Op::implies:
      if (wanted == Outcome::is_false) {
        explain(e.args[0], Outcome::is_true);
        explain(e.args[1], Outcome::is_false);
      }
      if (wanted != Outcome::faults) return;
      [[fallthrough]];
    case Op::and_:
    case Op::or_: {
      // The first operand that decides, if one does; all of them otherwise.
      const Outcome decides = e.op == Op::or_ ? Outcome::is_true : Outcome::is_false;
      const bool one = wanted == decides || wanted == Outcome::faults;
      for (const ExprId arg : e.args) {
        const Outcome actual = outcome(arg);
        if (!one || actual == wanted) explain(arg, actual);
        if (one && actual == wanted) return;
      }
      return;
    }
    default:
      return;
  }
}

}  // namespace

std::string_view describe(FaultKind kind) {
  switch (kind) {
    case FaultKind::read_none:
      return "reads none";
    case FaultKind::missing_key:
      return "reads a missing map key";
    case FaultKind::below_zero:
      return "takes a natural number below zero";
    case FaultKind::divide_by_zero:
      return "divides by zero";
    case FaultKind::overflow:
      return "computes a number beyond 64 bits";
    case FaultKind::outside_instance:
      return "depends on values outside the instance";
  }
  return "";
}

Interpreter::Interpreter(const Protocol& protocol, const Instance& instance, const Constants& constants)
    : protocol_(&protocol),
      instance_(&instance),
      constants_(&constants),
      domains_(std::make_shared<const Domains>(protocol, instance)) {}

Outcome Interpreter::apply(const State& state, const Action& action) const {
  if (!action.step.valid() || action.step.index() >= protocol_->steps.size()) return Disabled{};
  const Context context{protocol_, instance_, domains_.get(), constants_, nullptr, nullptr, {}};
  return outcome_of(run_action(context, state, action));
}

std::variant<bool, Fault> Interpreter::holds(ExprId formula, const State& state, const State* before) const {
  Evaluator evaluator({protocol_, instance_, domains_.get(), constants_, &state, before, {}});
  try {
    return evaluator.truth(formula);
  } catch (const Stopped& stopped) {
    return fault_of(stopped);
  }
}

void Interpreter::enabled(const State& state, const std::function<void(const Action&, const Outcome&)>& visit) const {
  for (std::size_t role = 0; role < protocol_->roles.size(); ++role) {
    for (std::int64_t host = 0; host < instance_->hosts(RoleId(role)); ++host) {
      for (const StepId step : protocol_->roles[role].steps) {
        std::uint64_t budget = std::numeric_limits<std::uint64_t>::max();
        (void)enabled(state, {step, {RoleId(role), static_cast<std::uint32_t>(host)}, {}, {}}, visit, budget);
      }
    }
  }
}

bool Interpreter::enabled(const State& state, const Partial& known,
                          const std::function<void(const Action&, const Outcome&)>& visit,
                          std::uint64_t& budget) const {
  const Context context{protocol_, instance_, domains_.get(), constants_, nullptr, nullptr, {}};
  return Actions(context, state, visit, budget).matching(known);
}

std::vector<Interpreter::Binding> Interpreter::witness(ExprId formula, const State& state, const State* before) const {
  Witness witness({protocol_, instance_, domains_.get(), constants_, &state, before, {}});
  witness.explain(formula, witness.outcome(formula));
  return std::move(witness.bindings);
}

std::variant<Value, Fault> Interpreter::evaluate(ExprId expr, const std::vector<Binding>& locals, const State& state,
                                                 const State* before) const {
  Evaluator evaluator({protocol_, instance_, domains_.get(), constants_, &state, before, {}});
  for (const Binding& binding : locals) evaluator.bind(binding.local, binding.value);
  try {
    return evaluator.value(expr);
  } catch (const Stopped& stopped) {
    return fault_of(stopped);
  }
}

}  // namespace tenet::ir
