#include "tenet/smt/solver.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <unordered_set>
#include <utility>

namespace tenet::smt {

std::string_view name_of(Cause cause) {
  switch (cause) {
    case Cause::none:
      return "none";
    case Cause::incomplete:
      return "incomplete";
    case Cause::resource_limit:
      return "resource limit";
    case Cause::wall_clock:
      return "wall clock";
    case Cause::memory:
      return "out of memory";
    case Cause::interrupted:
      return "interrupted";
    case Cause::unavailable:
      return "unavailable";
    case Cause::died:
      return "died";
    case Cause::garbage:
      return "answer not understood";
    case Cause::refused:
      return "refused";
    case Cause::disagreement:
      return "disagreement";
    case Cause::misuse:
      return "misuse";
  }
  return "none";
}

void Solver::push() {
  has_model_ = false;
  levels_.push_back(assertions_.size());
  on_push();
}

void Solver::pop(std::size_t count) {
  count = std::min(count, levels_.size());
  if (count == 0) return;
  has_model_ = false;
  assertions_.resize(levels_[levels_.size() - count]);
  levels_.resize(levels_.size() - count);
  if (levels_.size() < misuse_level_) misuse_.clear();
  on_pop(count);
}

void Solver::assert_term(Term term, std::string_view name) {
  has_model_ = false;
  if (!term.valid() || !term.closed() || !term.sort().is_boolean()) {
    if (misuse_.empty()) misuse_level_ = levels_.size();
    misuse_ = "what is asserted must be a closed Boolean term";
    return;
  }
  assertions_.push_back({term, std::string(name)});
  on_assert(assertions_.back());
}

std::string Solver::complaint(std::span<const Term> assumptions) const {
  if (!misuse_.empty()) return misuse_;
  for (const Term assumption : assumptions) {
    if (!assumption.valid() || !assumption.is_literal())
      return "an assumption must be a Boolean constant or its negation";
  }
  return {};
}

CheckResult Solver::check(std::span<const Term> assumptions) {
  has_model_ = false;
  const auto start = std::chrono::steady_clock::now();
  CheckResult result;
  if (std::string why = complaint(assumptions); !why.empty()) {
    result.cause = Cause::misuse;
    result.reason = std::move(why);
  } else if (interrupt_requested()) {
    result.cause = Cause::interrupted;
    result.reason = "interrupted before it started";
  } else {
    result = on_check(assumptions);
  }
  if (result.cause == Cause::interrupted) reset_interrupt();
  if (result.configuration.empty()) result.configuration = configuration();
  if (result.answer == Answer::unsat) order_core(result, assumptions);
  has_model_ = result.answer == Answer::sat;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ++statistics_.checks;
  statistics_.sat += result.answer == Answer::sat ? 1 : 0;
  statistics_.unsat += result.answer == Answer::unsat ? 1 : 0;
  statistics_.unknown += result.answer == Answer::unknown ? 1 : 0;
  statistics_.resources += result.resources;
  statistics_.seconds += result.seconds;
  return result;
}

/// Solvers list cores in orders of their own; reports want the caller's.
void Solver::order_core(CheckResult& result, std::span<const Term> assumptions) const {
  const std::set<std::string> names(result.core.begin(), result.core.end());
  std::set<std::string> listed;
  result.core.clear();
  for (const Assertion& assertion : assertions_) {
    if (names.contains(assertion.name) && listed.insert(assertion.name).second) result.core.push_back(assertion.name);
  }
  const std::unordered_set<Term> used(result.core_assumptions.begin(), result.core_assumptions.end());
  std::unordered_set<Term> taken;
  result.core_assumptions.clear();
  for (const Term assumption : assumptions) {
    if (used.contains(assumption) && taken.insert(assumption).second) result.core_assumptions.push_back(assumption);
  }
}

Result<Value> Solver::value(Term term) {
  if (!term.valid() || !term.closed() || !term.quantifier_free()) {
    return failure(ErrorKind::internal, "only a closed term without quantifiers has a value in a model");
  }
  if (!has_model_) return failure(ErrorKind::internal, "there is no model: the last check did not answer sat");
  return on_value(term);
}

void Solver::interrupt() noexcept {
  interrupted_.store(true);
  on_interrupt();
}

Query Solver::query(std::span<const Term> assumptions) const {
  return {assertions_, {assumptions.begin(), assumptions.end()}};
}

}  // namespace tenet::smt
