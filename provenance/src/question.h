/// One question: an execution theory, a solver and a chase that belong together.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "chase.h"
#include "tenet/provenance/prover.h"
#include "tenet/smt/query.h"

namespace tenet::provenance {

/// So long a second solver may think about one contradiction, and so long a
/// stop may wait for it.
inline constexpr std::uint32_t kSecondOpinionMs = 5000;

class Question {
 public:
  Question(ir::Protocol& protocol, const std::vector<DerivedFact>& facts, const std::vector<Hypothesis>& hypotheses,
           const ProveOptions& options, Strategy strategy = {})
      : logic(protocol),
        execution(protocol, logic),
        solver(smt::make_solver(configuration(options))),
        chase(execution, *solver, facts, hypotheses, strategy),
        options_(options) {
    chase.stop = options.stop;
  }

  /// Runs the chase. A contradiction that the second solver does not see as one
  /// is none.
  ChaseEnd decide() {
    const ChaseEnd end = chase.run();
    if (end != ChaseEnd::contradiction || !options_.recheck) return end;
    if (options_.stop != nullptr && options_.stop->requested()) return end;
    smt::SolverConfig config = smt::cvc5_config();
    config.wall_clock_ms = kSecondOpinionMs;  // what comes later than that does not come
    const std::unique_ptr<smt::Solver> second = smt::make_solver(config);
    for (const Fact& fact : execution.facts) second->assert_term(fact.term);
    const smt::Answer answer = second->check().answer;
    if (answer == smt::Answer::sat) {
      disagreement_ = second->configuration() + " disagrees with " + solver->configuration();
      if (options_.disagreement) options_.disagreement(disagreement_);
      return ChaseEnd::unknown;
    }
    if (answer == smt::Answer::unsat) rechecked_ = second->configuration();
    return end;
  }
  /// Why the end was not a contradiction.
  [[nodiscard]] const std::string& reason() const { return disagreement_.empty() ? chase.reason() : disagreement_; }

  /// Writes down how the question ended.
  void fill(Obligation& obligation, ChaseEnd end) const {
    obligation.discharged = end == ChaseEnd::contradiction;
    obligation.solver = solver->configuration();
    obligation.resources = solver->statistics().resources;
    obligation.seconds = solver->statistics().seconds;
    obligation.facts = execution.facts.size();
    obligation.rounds = chase.rounds();
    obligation.rechecked = rechecked_;
    obligation.query.clear();
    obligation.sources.clear();
    std::set<Use> uses;
    for (const Fact& fact : execution.facts) {
      ++obligation.sources[name_of(fact.principle) + ": " + fact.about];
      // A derived fact of one step is used only before that step.
      const bool before = fact.principle == Principle::derived && one_step_;
      if (fact.principle == Principle::derived) uses.insert({fact.about, before});
    }
    for (const auto& [statement, earlier] : chase.hypotheses_used()) uses.insert({statement, earlier});
    obligation.uses.assign(uses.begin(), uses.end());
    if (!options_.keep_queries || !obligation.discharged) return;
    smt::Query query;
    for (std::size_t i = 0; i < execution.facts.size(); ++i) {
      const Fact& fact = execution.facts[i];
      query.assertions.push_back({fact.term, name_of(fact.principle) + " " + std::to_string(i) + ": " + fact.about});
    }
    smt::DumpOptions dump;
    dump.expected = smt::Answer::unsat;
    dump.comments = {obligation.kind + ": " + obligation.statement, obligation.part};
    obligation.query = smt::to_smtlib(query, dump);
  }

  /// Only what one step does to one host: values have no causes.
  void only_one_step() {
    one_step_ = true;
    chase.explain = false;
    chase.facts_until = execution.before_last();
    execution.events[0].asked = true;
    assume(logic.terms.le(execution.start(), execution.before_last()), Principle::hypothesis, "one step");
  }
  void assume(smt::Term term, Principle principle, std::string about) {
    execution.add(term, principle, std::move(about));
  }

  Logic logic;
  Execution execution;
  std::unique_ptr<smt::Solver> solver;
  Chase chase;

 private:
  static smt::SolverConfig configuration(const ProveOptions& options) {
    smt::SolverConfig config = smt::z3_config();
    config.resource_limit = options.resource_limit;
    config.seed = options.seed;
    config.memory_mb = options.memory_mb;
    return config;
  }

  const ProveOptions& options_;
  bool one_step_ = false;
  std::string rechecked_, disagreement_;
};

}  // namespace tenet::provenance
