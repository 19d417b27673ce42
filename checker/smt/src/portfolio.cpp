#include "tenet/smt/portfolio.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace tenet::smt {
namespace {

bool decided(const CheckResult& result) { return result.answer != Answer::unknown; }

Attempt attempt_of(const CheckResult& result) {
  return {result.solver.empty() ? result.configuration : result.solver,
          result.answer,
          result.cause,
          result.reason,
          result.resources,
          result.seconds};
}

class Portfolio final : public Solver {
 public:
  Portfolio(const std::vector<SolverConfig>& members, PortfolioMode mode) : mode_(mode) {
    for (const SolverConfig& config : members) members_.push_back(make_solver(config));
  }

  [[nodiscard]] std::string configuration() const override {
    std::string text = mode_ == PortfolioMode::in_order ? "in order"
                       : mode_ == PortfolioMode::race   ? "race"
                                                        : "cross-check";
    const char* separator = ": ";
    for (const auto& member : members_) {
      text += separator + member->configuration();
      separator = " | ";
    }
    return text;
  }

 private:
  using Results = std::vector<std::optional<CheckResult>>;

  void on_push() override {
    for (const auto& member : members_) member->push();
  }
  void on_pop(std::size_t levels) override {
    for (const auto& member : members_) member->pop(levels);
  }
  void on_assert(const Assertion& assertion) override {
    for (const auto& member : members_) member->assert_term(assertion.term, assertion.name);
  }
  void on_interrupt() noexcept override {
    for (const auto& member : members_) member->interrupt();
  }
  void on_stop_on(const StopFlag* stop) override {
    for (const auto& member : members_) member->stop_on(stop);
  }
  CheckResult on_check(std::span<const Term> assumptions) override;
  Result<Value> on_value(Term term) override { return members_[winner_]->value(term); }

  Results ask_in_order(std::span<const Term> assumptions);
  Results ask_together(std::span<const Term> assumptions);
  [[nodiscard]] CheckResult combine(Results results);
  [[nodiscard]] static CheckResult no_answer(const Results& results);

  PortfolioMode mode_;
  std::vector<std::unique_ptr<Solver>> members_;
  std::size_t winner_ = 0;
  std::size_t first_done_ = 0;  ///< of a race
};

Portfolio::Results Portfolio::ask_in_order(std::span<const Term> assumptions) {
  Results results(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    results[i] = members_[i]->check(assumptions);
    if (decided(*results[i]) || interrupt_requested()) break;
  }
  return results;
}

Portfolio::Results Portfolio::ask_together(std::span<const Term> assumptions) {
  Results results(members_.size());
  std::atomic<std::size_t> first{members_.size()};
  const auto run = [&](std::size_t index) {
    results[index] = members_[index]->check(assumptions);
    std::size_t none = members_.size();
    if (mode_ != PortfolioMode::race || !decided(*results[index]) || !first.compare_exchange_strong(none, index))
      return;
    for (std::size_t other = 0; other < members_.size(); ++other) {
      if (other != index) members_[other]->interrupt();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < members_.size(); ++i) threads.emplace_back(run, i);
    run(0);
  }
  first_done_ = first.load();
  for (const auto& member : members_) member->reset_interrupt();
  return results;
}

CheckResult Portfolio::no_answer(const Results& results) {
  CheckResult result;
  std::string reasons;
  for (const auto& tried : results) {
    if (!tried) continue;
    // The first cause that tells something about the question leads.
    if (result.cause == Cause::none || result.cause == Cause::unavailable) result.cause = tried->cause;
    if (!reasons.empty()) reasons += "; ";
    reasons += (tried->solver.empty() ? tried->configuration : tried->solver) + ": " + tried->reason;
  }
  result.reason = reasons;
  return result;
}

CheckResult Portfolio::combine(Results results) {
  CheckResult result;
  std::vector<Attempt> attempts;
  std::optional<std::size_t> chosen, opposite;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) continue;
    attempts.push_back(attempt_of(*results[i]));
    if (!decided(*results[i])) continue;
    if (!chosen) chosen = i;
    if (results[i]->answer != results[*chosen]->answer) opposite = i;
  }
  if (opposite) {
    const CheckResult &a = *results[*chosen], &b = *results[*opposite];
    result.cause = Cause::disagreement;
    result.reason = a.solver + " answers " + std::string(name_of(a.answer)) + ", " + b.solver + " answers " +
                    std::string(name_of(b.answer)) + ": one of them is wrong";
  } else if (chosen) {
    winner_ = mode_ == PortfolioMode::race ? first_done_ : *chosen;
    result = std::move(*results[winner_]);
  } else {
    result = no_answer(results);
  }
  result.attempts = std::move(attempts);
  return result;
}

CheckResult Portfolio::on_check(std::span<const Term> assumptions) {
  for (const auto& member : members_) member->reset_interrupt();
  if (interrupt_requested()) {
    // It may have come before the members could hear it.
    CheckResult result;
    result.cause = Cause::interrupted;
    result.reason = "interrupted before it started";
    return result;
  }
  const bool alone = mode_ == PortfolioMode::in_order || members_.size() == 1;
  CheckResult result = combine(alone ? ask_in_order(assumptions) : ask_together(assumptions));
  if (interrupt_requested() && !decided(result) && result.cause != Cause::disagreement) {
    result.cause = Cause::interrupted;
  }
  return result;
}

}  // namespace

std::unique_ptr<Solver> make_portfolio(const std::vector<SolverConfig>& members, PortfolioMode mode) {
  return std::make_unique<Portfolio>(members, mode);
}

CheckResult ask(const Query& query, const SolverConfig& config, const StopFlag* stop) {
  const std::unique_ptr<Solver> solver = make_solver(config);
  for (const Assertion& assertion : query.assertions) solver->assert_term(assertion.term, assertion.name);
  solver->stop_on(stop);
  return solver->check(query.assumptions);
}

Recheck recheck(const Query& query, Answer expected, const SolverConfig& other) {
  Recheck result;
  result.result = ask(query, other);
  if (!decided(result.result) || expected == Answer::unknown) return result;
  result.confirmation = result.result.answer == expected ? Confirmation::confirmed : Confirmation::contradicted;
  return result;
}

}  // namespace tenet::smt
