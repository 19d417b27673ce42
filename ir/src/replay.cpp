/// Replay of traces: every claim a trace makes is checked again.
#include <fmt/format.h>

#include "start_rules.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/printer.h"

namespace tenet::ir {

namespace {

class Replay {
 public:
  Replay(const Protocol& protocol, const Instance& instance, const Trace& trace)
      : p_(protocol), instance_(instance), trace_(trace), domains_(protocol, instance) {}

  std::string run();

 private:
  Context context(const State* state) const {
    return {&p_, &instance_, &domains_, &trace_.constants, state, nullptr, {}};
  }
  std::string constants() const;
  std::string constant(std::size_t id) const;
  std::string variable(std::size_t id) const;
  std::string formulas(const std::vector<Formula>& formulas, const char* what) const;
  std::string start() const;
  std::string step(const Interpreter& interpreter, std::size_t i) const;

  const Protocol& p_;
  const Instance& instance_;
  const Trace& trace_;
  Domains domains_;
};

std::string Replay::constant(std::size_t id) const {
  const ConstDecl& decl = p_.constants[id];
  const std::vector<Value>& values = trace_.constants.values[id];
  const std::string name = full_name(p_, decl);
  if (values.size() != cells_of(context(nullptr), decl))
    return fmt::format("constant '{}' has too many or too few values", name);
  if (decl.kind == ConstKind::ring_next || decl.kind == ConstKind::ring_between) {
    return values == ring_table(instance_, decl, p_) ? "" : fmt::format("constant '{}' is not that of the ring", name);
  }
  if (decl.kind == ConstKind::defined) {
    const auto defined = defined_values(context(nullptr), decl);
    const auto* expected = std::get_if<std::vector<Value>>(&defined);
    return expected && *expected == values ? "" : fmt::format("constant '{}' is not what its definition says", name);
  }
  const auto given = decl.role.valid() ? std::nullopt : instance_.constant(decl.name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool fine = given ? values[i] == Value{*given, {}} : instance_.within(p_, decl.type, decl.name, values[i]);
    if (!fine) return fmt::format("constant '{}' has a value outside the instance", name);
    for (std::size_t j = 0; decl.unique && j < i; ++j) {
      if (values[i] == values[j]) return fmt::format("constant '{}' is not unique", name);
    }
  }
  return "";
}

std::string Replay::constants() const {
  if (trace_.constants.values.size() != p_.constants.size()) return "the trace does not give every constant a value";
  for (std::size_t id = 0; id < p_.constants.size(); ++id) {
    if (std::string problem = constant(id); !problem.empty()) return problem;
  }
  return "";
}

std::string Replay::variable(std::size_t id) const {
  const VarDecl& decl = p_.variables[id];
  const std::vector<Value>& values = trace_.states.front().variables[id];
  const std::string name = full_name(p_, decl);
  if (values.size() != static_cast<std::size_t>(instance_.hosts(decl.role))) {
    return fmt::format("variable '{}' does not have one value for each host", name);
  }
  for (const Value& value : values) {
    if (!instance_.within(p_, decl.type, decl.name, value)) {
      return fmt::format("variable '{}' begins outside the instance", name);
    }
  }
  if (!decl.init.valid()) return "";
  const auto computed = initial_values(context(nullptr), decl);
  const auto* expected = std::get_if<std::vector<Value>>(&computed);
  return expected && *expected == values ? ""
                                         : fmt::format("variable '{}' does not begin as its initialiser says", name);
}

std::string Replay::formulas(const std::vector<Formula>& formulas, const char* what) const {
  for (const Formula& formula : formulas) {
    Evaluator evaluator(context(&trace_.states.front()));
    const auto holds = [&] {
      try {
        return evaluator.truth(formula.formula);
      } catch (const Stopped& stopped) {
        return is_open(stopped);  // any other is reported like a formula that is false
      }
    };
    if (holds()) continue;
    return fmt::format("{} '{}' does not hold", what, to_source(p_, formula.formula));
  }
  return "";
}

std::string Replay::start() const {
  if (std::string problem = constants(); !problem.empty()) return problem;
  if (std::string problem = formulas(p_.axioms, "axiom"); !problem.empty()) return problem;
  const State& first = trace_.states.front();
  if (first.variables.size() != p_.variables.size()) return "the first state does not give every variable a value";
  if (!first.network.empty()) return "the first state has messages in the network";
  for (std::size_t id = 0; id < p_.variables.size(); ++id) {
    if (std::string problem = variable(id); !problem.empty()) return problem;
  }
  return formulas(p_.inits, "init formula");
}

std::string Replay::step(const Interpreter& interpreter, std::size_t i) const {
  const Action& action = trace_.actions[i];
  const Outcome outcome = interpreter.apply(trace_.states[i], action);
  const bool known = action.step.valid() && action.step.index() < p_.steps.size();
  const std::string where = fmt::format("action {} ({})", i + 1, known ? place(p_, action.step) : "of no step");
  if (std::holds_alternative<Disabled>(outcome)) return where + " is not enabled";
  if (const auto* cut = std::get_if<CutAtBound>(&outcome)) {
    return fmt::format("{} leaves the instance at '{}'", where, cut->slot);
  }
  if (const auto* fault = std::get_if<Fault>(&outcome)) return fmt::format("{} {}", where, describe(fault->kind));
  const auto& happened = std::get<Happened>(outcome);
  if (happened.next != trace_.states[i + 1]) return where + " leads to another state";
  if (happened.sends != trace_.sends[i]) return where + " sends other messages";
  return "";
}

std::string Replay::run() {
  if (domains_.error_of_types()) return domains_.error_of_types()->message;
  if (trace_.states.size() != trace_.actions.size() + 1 || trace_.sends.size() != trace_.actions.size()) {
    return "the trace does not have a state before and after each action, and its sends";
  }
  if (std::string problem = start(); !problem.empty()) return problem;
  const Interpreter interpreter(p_, instance_, trace_.constants);
  for (std::size_t i = 0; i < trace_.actions.size(); ++i) {
    if (std::string problem = step(interpreter, i); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace

std::string replay(const Protocol& protocol, const Instance& instance, const Trace& trace) {
  return Replay(protocol, instance, trace).run();
}

}  // namespace tenet::ir
