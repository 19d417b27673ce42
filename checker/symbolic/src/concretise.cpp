#include "concretise.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "tenet/encode/models.h"
#include "tenet/ir/numbers.h"

namespace tenet::symbolic {

using encode::ModelReader;
using ir::TypeKind;

namespace {

/// The furthest from zero that an instance can have numbers.
constexpr std::int64_t kWidest = std::int64_t{1} << 40;
/// The most equal copies of a message that an instance can allow.
constexpr std::int64_t kMostCopies = ir::kMaxInstanceSize;

/// Whether the interpreter has to write out all values of some type with
/// numbers: of a function's arguments, or of what a quantifier ranges over.
bool writes_out_numbers(const ir::Protocol& p) {
  const auto of_local = [&](ir::LocalId local) { return ir::has_numbers(p, p[local].type); };
  for (std::size_t t = 0; t < p.types.size(); ++t) {
    const ir::Type& type = p[ir::TypeId(t)];
    if (type.kind == TypeKind::function && ir::has_numbers(p, type.first)) return true;
  }
  for (const ir::ConstDecl& constant : p.constants) {
    for (const ir::TypeId parameter : constant.parameters) {
      if (ir::has_numbers(p, parameter)) return true;
    }
  }
  return std::any_of(p.exprs.begin(), p.exprs.end(), [&](const ir::Expr& e) {
    const bool quantifier = e.op == ir::Op::forall || e.op == ir::Op::exists || e.op == ir::Op::sum;
    const bool over_type =
        (quantifier && e.args.size() == 1) || (e.op == ir::Op::set_build && e.args.size() == 2 && !e.args[0].valid());
    return over_type && std::any_of(e.binders.begin(), e.binders.end(), of_local);
  });
}

/// The hosts and sizes of `like` with these numbers.
std::optional<ir::Instance> widened(const ir::Protocol& p, const ir::Instance& like, ir::Range numbers) {
  ir::InstanceDecl decl;
  decl.name = (like.name().empty() ? "default" : like.name()) + " with any numbers";
  const auto exactly = [&](const std::string& name, std::int64_t size) {
    decl.entries.push_back({name, size, size, false, {}});
  };
  for (std::size_t r = 0; r < p.roles.size(); ++r) {
    if (!p.roles[r].single) exactly(p.roles[r].name, like.hosts(ir::RoleId(r)));
  }
  for (std::size_t s = 0; s < p.sorts.size(); ++s) exactly(p.sorts[s].name, like.sort_size(ir::SortId(s)));
  decl.entries.push_back({"nat", 0, std::max<std::int64_t>(0, numbers.high), true, {}});
  decl.entries.push_back({"int", numbers.low, numbers.high, true, {}});
  // Unless the protocol has something else of this name.
  ir::InstanceDecl with_copies = decl;
  with_copies.entries.push_back({"copies", kMostCopies, kMostCopies, false, {}});
  Diagnostics ignored;
  if (auto made = ir::Instance::resolve(p, &with_copies, ignored)) return made;
  return ir::Instance::resolve(p, &decl, ignored);
}

class Concretiser {
 public:
  Concretiser(Encoder& encoder, const Unrolling& unrolling, smt::Solver& solver, std::size_t steps,
              const std::vector<ir::PropertyId>& properties, const std::vector<Term>& faults)
      : e_(encoder),
        p_(encoder.protocol()),
        u_(unrolling),
        solver_(solver),
        steps_(steps),
        properties_(properties),
        faults_(faults) {}

  Concrete run() {
    Concrete made;
    for (const ir::Instance& instance : instances()) {
      made.objection.clear();
      in(instance, made);
      if (!made.found.empty()) break;
    }
    if (made.found.empty() && made.objection.empty()) made.objection = "it needs numbers that no instance can have";
    return made;
  }

 private:
  /// Where the run may replay, the narrowest first.
  std::vector<ir::Instance> instances() {
    if (e_.bounded()) return {*e_.instance()};
    std::vector<ir::Instance> made;
    const auto add = [&](ir::Range range) {
      range = {std::max(range.low, -kWidest), std::min(range.high, kWidest)};
      if (auto instance = widened(p_, *e_.instance(), range)) made.push_back(std::move(*instance));
    };
    if (!writes_out_numbers(p_)) {
      add({-kWidest, kWidest});
      return made;
    }
    ir::Range hull = e_.instance()->all_numbers(TypeKind::integer);
    hull.high = std::max(hull.high, e_.instance()->all_numbers(TypeKind::natural).high);
    for (const auto* terms : {&u_.inputs(), &u_.computed()}) {
      for (const Term term : *terms) {
        const auto value = solver_.value(term);
        if (!value || !value->number || !value->number->integral()) return {};
        hull.low = std::min(hull.low, value->number->numerator());
        hull.high = std::max(hull.high, value->number->numerator());
      }
    }
    if (hull.low < -kWidest || hull.high > kWidest) return {};
    add(hull);
    // What is computed in passing may lie a little beyond.
    add({2 * hull.low - 8, 2 * hull.high + 8});
    return made;
  }

  void in(const ir::Instance& instance, Concrete& made) {
    ModelReader reader(e_, solver_, instance);
    ir::Trace trace;
    auto constants = reader.constants();
    auto start = reader.variables(u_.state(0));
    if (!constants || !start) return object(made, "the solver does not tell how it begins");
    trace.constants = std::move(*constants);
    trace.states.push_back(std::move(*start));
    const ir::Interpreter interpreter(p_, instance, trace.constants);
    for (std::size_t i = 0; i < steps_; ++i) {
      auto action = taken(reader, u_.taken_from(i));
      if (!action) return object(made, fmt::format("the solver does not tell what step {} is", i + 1));
      ir::Outcome outcome = interpreter.apply(trace.states.back(), *action);
      auto* happened = std::get_if<ir::Happened>(&outcome);
      if (happened == nullptr) return object(made, fmt::format("step {} does not happen: {}", i + 1, why(outcome)));
      trace.actions.push_back(std::move(*action));
      trace.states.push_back(std::move(happened->next));
      trace.sends.push_back(std::move(happened->sends));
    }
    if (std::string problem = ir::replay(p_, instance, trace); !problem.empty())
      return object(made, std::move(problem));
    for (const ir::PropertyId id : properties_) decide(interpreter, instance, trace, id, made);
    if (made.found.empty() && !faults_.empty()) fault(reader, interpreter, instance, trace, made);
    if (made.found.empty()) object(made, "nothing is wrong at its end");
  }

  static void object(Concrete& made, std::string what) { made.objection = std::move(what); }

  static std::string why(const ir::Outcome& outcome) {
    if (const auto* cut = std::get_if<ir::CutAtBound>(&outcome)) return "it leaves the instance at '" + cut->slot + "'";
    if (const auto* fault = std::get_if<ir::Fault>(&outcome)) return std::string(ir::describe(fault->kind));
    return "it is not enabled";
  }

  static std::optional<ir::Action> taken(ModelReader& reader, const std::vector<Branch>& branches) {
    for (const Branch& branch : branches) {
      if (reader.truth(branch.taken).value_or(false)) return reader.action(branch.transition);
    }
    return std::nullopt;
  }

  void decide(const ir::Interpreter& interpreter, const ir::Instance& instance, const ir::Trace& trace,
              ir::PropertyId id, Concrete& made) const {
    const ir::Property& property = p_[id];
    const ir::State* before = trace.states.size() > 1 ? &trace.states[trace.states.size() - 2] : nullptr;
    if (property.kind == ir::PropertyKind::transition && before == nullptr) return;
    const auto value = interpreter.holds(property.formula, trace.states.back(), before);
    const bool* known = std::get_if<bool>(&value);
    const bool wanted = property.kind == ir::PropertyKind::reachable;
    if (known != nullptr && *known != wanted) return;
    if (known == nullptr && (wanted || !ir::of_the_protocol(std::get<ir::Fault>(value).kind))) return;
    Found found{id, instance, trace, {}, {}};
    if (known == nullptr) found.fault = std::get<ir::Fault>(value);
    made.found.push_back(std::move(found));
  }

  void fault(ModelReader& reader, const ir::Interpreter& interpreter, const ir::Instance& instance,
             const ir::Trace& trace, Concrete& made) const {
    const std::vector<Branch>& branches = u_.upcoming();
    for (std::size_t i = 0; i < branches.size(); ++i) {
      if (!reader.truth(faults_[i]).value_or(false)) continue;
      auto action = reader.action(branches[i].transition);
      if (!action) continue;
      const ir::Outcome outcome = interpreter.apply(trace.states.back(), *action);
      const auto* fault = std::get_if<ir::Fault>(&outcome);
      if (fault == nullptr || !ir::of_the_protocol(fault->kind)) continue;
      made.found.push_back({{}, instance, trace, *fault, std::move(action)});
      return;
    }
  }

  Encoder& e_;
  ir::Protocol& p_;
  const Unrolling& u_;
  smt::Solver& solver_;
  std::size_t steps_;
  const std::vector<ir::PropertyId>& properties_;
  const std::vector<Term>& faults_;
};

}  // namespace

Concrete concretise(Encoder& encoder, const Unrolling& unrolling, smt::Solver& solver, std::size_t steps,
                    const std::vector<ir::PropertyId>& properties, const std::vector<Term>& faults) {
  return Concretiser(encoder, unrolling, solver, steps, properties, faults).run();
}

}  // namespace tenet::symbolic
