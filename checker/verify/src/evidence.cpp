#include "evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "tenet/ir/interpreter.h"
#include "tenet/ir/printer.h"
#include "tenet/result/trace_view.h"

namespace tenet::verify {
namespace {

/// Whether the formula has the value (or the fault) that it is said to have
/// at the end of the trace.
std::string formula_objection(const ir::Protocol& protocol, const ir::Interpreter& interpreter,
                              const explore::Found& found) {
  const ir::Trace& trace = found.trace;
  const ir::Property& property = protocol[found.property];
  const ir::State* before = trace.states.size() > 1 ? &trace.states[trace.states.size() - 2] : nullptr;
  if (property.kind == ir::PropertyKind::transition && before == nullptr) return "a transition needs two states";
  const auto value = interpreter.holds(property.formula, trace.states.back(), before);
  const bool* truth = std::get_if<bool>(&value);
  if (found.fault) return truth == nullptr ? "" : property.name + " has a value in the last state";
  if (truth == nullptr) return property.name + " has no value in the last state";
  const bool wanted = found.kind == explore::FoundKind::reached;
  return *truth == wanted ? ""
                          : property.name + (*truth ? " is true in the last state" : " is false in the last state");
}

std::string rest_objection(const ir::Interpreter& interpreter, const ir::State& state) {
  std::string objection;
  interpreter.enabled(state, [&](const ir::Action&, const ir::Outcome& outcome) {
    const auto* happened = std::get_if<ir::Happened>(&outcome);
    if (happened != nullptr && happened->next != state) objection = "a step changes the last state";
  });
  return objection;
}

}  // namespace

std::string step_place(const ir::Protocol& protocol, ir::StepId id) {
  const ir::Step& step = protocol[id];
  const std::string& role = protocol[step.role].name;
  if (!step.receive) return role + ", step " + step.name;
  const std::string plain = "receive " + protocol[step.receive->message].name;
  return role + ", " + (step.name == plain ? plain : plain + " as " + step.name);
}

std::string after_steps(const ir::Trace& trace) {
  const std::size_t steps = trace.actions.size();
  if (steps == 0) return "initially";
  return fmt::format("after {} {}", steps, steps == 1 ? "step" : "steps");
}

bool occurs(const ir::Protocol& protocol, ir::ExprId part, ir::ExprId whole) {
  if (!whole.valid()) return false;
  if (part == whole) return true;
  const auto& args = protocol[whole].args;
  return std::any_of(args.begin(), args.end(), [&](ir::ExprId arg) { return occurs(protocol, part, arg); });
}

std::string objection(const ir::Protocol& protocol, const ir::Instance& instance, const explore::Found& found) {
  if (found.trace.states.size() != found.trace.actions.size() + 1) return "the trace lacks states";
  std::string replayed = ir::replay(protocol, instance, found.trace);
  if (!replayed.empty()) return replayed;
  const ir::Interpreter interpreter(protocol, instance, found.trace.constants);
  const ir::State& last = found.trace.states.back();
  switch (found.kind) {
    case explore::FoundKind::violation:
    case explore::FoundKind::reached:
      return formula_objection(protocol, interpreter, found);
    case explore::FoundKind::deadlock:
      return rest_objection(interpreter, last);
    case explore::FoundKind::fault:
      if (!found.failing_action) return found.property.valid() ? formula_objection(protocol, interpreter, found) : "";
      return std::holds_alternative<ir::Fault>(interpreter.apply(last, *found.failing_action))
                 ? ""
                 : "the failing step has a result";
  }
  return "";
}

std::string undecided_start(const ir::Protocol& protocol, const ir::Instance& instance, const ir::Trace& trace) {
  const ir::Interpreter interpreter(protocol, instance, trace.constants);
  for (const std::vector<ir::Formula>* formulas : {&protocol.axioms, &protocol.inits}) {
    for (const ir::Formula& formula : *formulas) {
      if (!ir::is_cut(interpreter.holds(formula.formula, trace.states.front()))) continue;
      return fmt::format("{} '{}'", formulas == &protocol.axioms ? "axiom" : "init formula",
                         ir::to_source(protocol, formula.formula));
    }
  }
  return "";
}

void add_evidence(result::Finding& finding, const ir::Protocol& protocol, const NamedInstance& instance,
                  const explore::Found& found) {
  const std::string wrong = objection(protocol, *instance.instance, found);
  if (!wrong.empty()) {
    finding.rule = "trace-does-not-replay";
    finding.level = result::Level::failure;
    finding.verdict = result::Verdict::internal_error;
    finding.message = fmt::format("{}: the explorer's trace does not replay on the reference interpreter: {}",
                                  finding.subject, wrong);
    finding.hint = "this is a bug in Tenet, not in your protocol; please report it with the file";
    return;
  }
  result::TraceView view = result::view(protocol, *instance.instance, found.trace);
  if (found.property.valid()) {
    view.claim = protocol[found.property].name;
    result::explain(view, protocol, *instance.instance, protocol[found.property].formula, found.binding);
  }
  if (found.failing_action && found.fault) {
    result::add_failing_step(view, protocol, *instance.instance, *found.failing_action, *found.fault);
  }
  finding.instance = instance.description;
  finding.trace_instance = instance.instance;
  finding.trace = std::move(view);
  const std::string undecided = undecided_start(protocol, *instance.instance, found.trace);
  if (undecided.empty()) return;
  finding.rule = "start-not-known";
  finding.level = result::Level::failure;
  finding.verdict = result::Verdict::unknown;
  finding.message +=
      fmt::format(", if a run can begin so: whether the {} holds depends on numbers beyond the bounds", undecided);
}

result::Finding about(const ir::Property& property) {
  result::Finding finding;
  finding.subject = property.name;
  finding.subject_kind = ir::property_word(property.kind);
  finding.doc = property.doc;
  finding.span = property.span;
  return finding;
}

result::Finding of_protocol(std::string protocol, std::string rule, std::string message) {
  result::Finding finding;
  finding.rule = std::move(rule);
  finding.subject = std::move(protocol);
  finding.subject_kind = "protocol";
  finding.message = std::move(message);
  return finding;
}

result::Finding broken_prover(const std::string& protocol, const std::string& rule, const std::string& message) {
  result::Finding finding = of_protocol(protocol, rule, message);
  finding.verdict = result::Verdict::internal_error;
  finding.hint = "this is a bug in Tenet or a solver, not in your protocol; please report it with the file";
  return finding;
}

}  // namespace tenet::verify
