#include "tenet/symbolic/search.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include <fmt/format.h>

#include "concretise.h"
#include "tenet/ir/numbers.h"
#include "tenet/smt/portfolio.h"
#include "tenet/smt/solver.h"
#include "unrolling.h"

namespace tenet::symbolic {

using encode::Numbers;
using encode::Scope;
using ir::TypeKind;

namespace {

/// What a run chooses is at most this far from zero, if some run with small numbers shows the same: tried in this
/// order, after the ranges of the instance.
constexpr std::int64_t kBounds[] = {16, 256, 4096, std::int64_t{1} << 20, std::int64_t{1} << 38};

/// For the solver, in MiB.
constexpr std::uint64_t kMemory = 2048;

class Search {
 public:
  Search(const ir::Protocol& protocol, const ir::Instance& instance, const Options& options)
      : p_(protocol),
        instance_(instance),
        options_(options),
        encoder_(p_, &instance_, options.any_numbers ? Numbers::any : Numbers::in_range) {
    properties_ = options.properties;
    if (properties_.empty()) {
      for (std::size_t i = 0; i < p_.properties.size(); ++i) properties_.emplace_back(i);
    }
  }

  Report run();

 private:
  /// Something to look for at the end of runs.
  struct Goal {
    ir::PropertyId property;  ///< invalid: a step that has no result
    Term claimed;             ///< a symbol: if true, it is there
  };
  std::vector<Goal> goals_at(std::size_t depth);
  /// A symbol that implies the term. (Models tell the values of symbols, but not of all quantified formulas.)
  Term claim(Term holds);
  /// Looks for all of them in runs of that length; whether to go on.
  bool look(std::size_t depth, std::vector<Goal> goals);
  void tell();
  smt::CheckResult check(std::span<const Term> assumptions);
  Concrete smallest(std::size_t depth, const std::vector<Goal>& goals, Term any);
  Concrete concrete(std::size_t depth, const std::vector<Goal>& goals);
  void give_up(ir::PropertyId property, const std::string& why, bool refused = false);
  void forget(ir::PropertyId property);
  bool end(End how, std::string reason = {}) {
    report_.end = how;
    report_.reason = std::move(reason);
    return false;
  }

  ir::Protocol p_;
  const ir::Instance instance_;
  const Options& options_;
  encode::Encoder encoder_;
  std::unique_ptr<Unrolling> runs_;
  std::unique_ptr<smt::Solver> solver_;
  std::size_t facts_ = 0, background_ = 0;  ///< how much of both the solver was told
  std::vector<ir::PropertyId> properties_;  ///< still to be looked for
  bool faults_ = false;                     ///< steps without a result are still looked for
  std::vector<Term> faulty_;                ///< for each branch from the last state: it has no result
  Report report_;
};

Report Search::run() {
  faults_ = options_.faults;
  smt::SolverConfig config = smt::z3_config();
  config.resource_limit = options_.resource_limit;
  config.seed = options_.seed;
  config.memory_mb = kMemory;
  solver_ = smt::make_solver(config);
  solver_->stop_on(options_.stop);
  runs_ = std::make_unique<Unrolling>(encoder_);
  for (unsigned depth = 0;; ++depth) {
    (void)runs_->next();
    if (!encoder_.refused().empty()) {
      end(End::refused, encoder_.refused());
      break;
    }
    if (options_.stop != nullptr && options_.stop->requested()) {
      end(End::stopped);
      break;
    }
    if (options_.progress) options_.progress(depth);
    std::vector<Goal> goals = goals_at(depth);
    if (properties_.empty() && !faults_) {
      const bool refused = report_.found.empty() && !report_.open.empty() && depth == 0;
      refused ? end(End::refused, report_.open.front().reason) : end(End::decided);
      break;
    }
    if (!look(depth, std::move(goals))) break;
    report_.depth = depth;
    if (depth == options_.depth) break;
    runs_->step();
  }
  return std::move(report_);
}

std::vector<Search::Goal> Search::goals_at(std::size_t depth) {
  std::vector<Goal> goals;
  Scope scope;
  scope.now = runs_->state(depth);
  if (depth > 0) scope.before = runs_->state(depth - 1);
  for (const ir::PropertyId id : std::vector<ir::PropertyId>(properties_)) {
    const ir::Property property = p_[id];
    if (property.kind == ir::PropertyKind::transition && depth == 0) continue;
    Term holds = encoder_.holds_and_defined(property.formula, scope);
    if (property.kind != ir::PropertyKind::reachable) holds = encoder_.terms.not_(holds);
    if (std::string refused = encoder_.take_refused(); !refused.empty()) {
      give_up(id, refused, true);
      continue;
    }
    if (!holds.is_false()) goals.push_back({id, claim(holds)});
  }
  faulty_.clear();
  if (faults_) {
    for (const Branch& branch : runs_->next()) {
      std::vector<Term> all = branch.transition.possible;
      all.push_back(encoder_.terms.not_(encoder_.terms.and_(branch.transition.demanded)));
      faulty_.push_back(claim(encoder_.terms.and_(all)));
    }
    if (!faulty_.empty()) goals.push_back({{}, claim(encoder_.terms.or_(faulty_))});
  }
  return goals;
}

Term Search::claim(Term holds) {
  const Term made = encoder_.terms.fresh_constant("claimed", encoder_.terms.boolean_sort());
  runs_->facts.push_back(encoder_.terms.implies(made, holds));
  return made;
}

void Search::tell() {
  for (; facts_ < runs_->facts.size(); ++facts_) solver_->assert_term(runs_->facts[facts_]);
  for (; background_ < encoder_.background.size(); ++background_) {
    solver_->assert_term(encoder_.background[background_]);
  }
}

smt::CheckResult Search::check(std::span<const Term> assumptions) {
  smt::CheckResult result = solver_->check(assumptions);
  report_.resources += result.resources;
  return result;
}

bool Search::look(std::size_t depth, std::vector<Goal> goals) {
  smt::TermManager& tm = encoder_.terms;
  tell();
  for (;;) {
    if (report_.resources > options_.total_resources) {
      return end(End::unknown, fmt::format("it took more than {} of the solver's resources", options_.total_resources));
    }
    const Term any = tm.fresh_constant("something", tm.boolean_sort());
    std::vector<Term> all;
    for (const Goal& goal : goals) all.push_back(goal.claimed);
    solver_->assert_term(tm.implies(any, tm.or_(all)));
    const Term assumptions[] = {any};
    const smt::CheckResult result = check(assumptions);
    if (result.cause == smt::Cause::interrupted) return end(End::stopped);
    if (result.answer == smt::Answer::unknown) {
      return end(End::unknown, fmt::format("the solver has no answer for runs of {} steps: {}", depth, result.reason));
    }
    if (result.answer == smt::Answer::unsat) {
      // Not even without anything wrong.
      if (!goals.empty() && result.core_assumptions.empty()) return end(End::exhausted);
      return true;
    }
    std::vector<Goal> claimed;
    for (const Goal& goal : goals) {
      const auto value = solver_->value(goal.claimed);
      if (value && value->boolean) claimed.push_back(goal);
    }
    Concrete made = smallest(depth, claimed, any);
    if (options_.stop != nullptr && options_.stop->requested()) return end(End::stopped);
    for (Found& found : made.found) {
      forget(found.property);
      report_.found.push_back(std::move(found));
    }
    if (made.found.empty()) {
      for (const Goal& goal : claimed) {
        give_up(goal.property,
                fmt::format("the solver describes a run of {} steps that does not replay: {}", depth, made.objection));
      }
    }
    std::erase_if(goals, [&](const Goal& goal) {
      return goal.property.valid()
                 ? std::find(properties_.begin(), properties_.end(), goal.property) == properties_.end()
                 : !faults_;
    });
    if (claimed.empty()) return end(End::unknown, "the solver does not tell what is wrong in its model");
    if (goals.empty()) return true;
  }
}

/// The run of the last check, or one with smaller numbers.
Concrete Search::smallest(std::size_t depth, const std::vector<Goal>& goals, Term any) {
  smt::TermManager& tm = encoder_.terms;
  if (!options_.any_numbers || runs_->inputs().empty()) return concrete(depth, goals);
  const auto within = [&](std::int64_t low, std::int64_t high) -> std::optional<Concrete> {
    std::vector<Term> all;
    for (const Term input : runs_->inputs()) {
      all.push_back(tm.le(tm.integer(low), input));
      all.push_back(tm.le(input, tm.integer(high)));
    }
    std::vector<Term> some;
    for (const Goal& goal : goals) some.push_back(goal.claimed);
    all.push_back(tm.or_(some));
    solver_->push();
    solver_->assert_term(tm.and_(all));
    std::optional<Concrete> made;
    if (check({}).answer == smt::Answer::sat) {
      made = concrete(depth, goals);
      if (made->found.empty()) made.reset();
    }
    solver_->pop();
    return made;
  };
  const std::int64_t low = instance_.all_numbers(TypeKind::integer).low;
  const std::int64_t high = instance_.all_numbers(TypeKind::natural).high;
  if (auto made = within(low, high)) return std::move(*made);
  for (const std::int64_t bound : kBounds) {
    if (options_.stop != nullptr && options_.stop->requested()) return {};
    if (bound <= high) continue;
    if (auto made = within(-bound, bound)) return std::move(*made);
  }
  const Term assumptions[] = {any};
  if (check(assumptions).answer != smt::Answer::sat) return {{}, "the solver does not find it again"};
  return concrete(depth, goals);
}

Concrete Search::concrete(std::size_t depth, const std::vector<Goal>& goals) {
  std::vector<ir::PropertyId> properties;
  bool faults = false;
  for (const Goal& goal : goals) {
    if (goal.property.valid()) properties.push_back(goal.property);
    faults = faults || !goal.property.valid();
  }
  return concretise(encoder_, *runs_, *solver_, depth, properties, faults ? faulty_ : std::vector<Term>());
}

void Search::give_up(ir::PropertyId property, const std::string& why, bool refused) {
  report_.open.push_back({property, why, refused});
  forget(property);
}

void Search::forget(ir::PropertyId property) {
  if (property.valid()) {
    std::erase(properties_, property);
  } else {
    faults_ = false;
  }
}

}  // namespace

bool has_unbounded_values(const ir::Protocol& protocol) {
  const auto any = [&](const auto& declarations) {
    return std::any_of(declarations.begin(), declarations.end(),
                       [&](const auto& declaration) { return ir::has_numbers(protocol, declaration.type); });
  };
  const auto chosen = [&](ir::LocalId local) { return ir::has_numbers(protocol, protocol[local].type); };
  return any(protocol.variables) || any(protocol.constants) ||
         std::any_of(protocol.messages.begin(), protocol.messages.end(),
                     [&](const ir::MessageDecl& message) { return any(message.fields); }) ||
         std::any_of(protocol.steps.begin(), protocol.steps.end(), [&](const ir::Step& step) {
           return std::any_of(step.parameters.begin(), step.parameters.end(), chosen);
         });
}

Report search(const ir::Protocol& protocol, const ir::Instance& instance, const Options& options) {
  const auto begun = std::chrono::steady_clock::now();
  Report report;
  try {
    report = Search(protocol, instance, options).run();
  } catch (const std::bad_alloc&) {
    report = {};
    report.end = End::unknown;
    report.reason = "out of memory";
  } catch (const std::exception& error) {
    report = {};
    report.end = End::unknown;
    report.reason = error.what();
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return report;
}

}  // namespace tenet::symbolic
