/// One question: an execution theory, a solver and a chase that belong together.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "chase.h"
#include "notes.h"
#include "story.h"
#include "tenet/provenance/prover.h"
#include "tenet/smt/portfolio.h"
#include "tenet/smt/query.h"

namespace tenet::provenance {

/// So long a second solver may think about one contradiction, and so long a
/// stop may wait for it.
inline constexpr std::uint32_t kSecondOpinionMs = 5000;

/// How a question ended.
struct Answer {
  ChaseEnd end = ChaseEnd::unknown;
  bool asked = true;   ///< false: there was nothing to show
  std::string reason;  ///< of anything but a contradiction
  std::string solver, rechecked;
  std::string unconfirmed;  ///< why the second solver gave no answer; empty: none was asked, or it agrees
  std::uint64_t resources = 0;
  double seconds = 0;
  std::size_t facts = 0, rounds = 0;
  std::map<std::string, std::size_t> sources;
  std::vector<Use> uses;
  std::vector<std::string> execution;  ///< if the end is open: what remains
  std::string query;                   ///< SMT-LIB 2 of a contradiction, if asked for
  bool from_store = false;

  void fill(Obligation& obligation) const {
    obligation.discharged = end == ChaseEnd::contradiction;
    obligation.solver = solver;
    obligation.resources = resources;
    obligation.seconds = seconds;
    obligation.facts = facts;
    obligation.rounds = rounds;
    obligation.rechecked = rechecked;
    obligation.unconfirmed = unconfirmed;
    if (!query.empty()) {
      obligation.query = "; " + obligation.kind + ": " + obligation.statement + "\n; " + obligation.part + "\n" + query;
    }
    obligation.sources = sources;
    obligation.uses = uses;
    obligation.from_store = from_store;
  }
};

class Question {
 public:
  Question(ir::Protocol& protocol, const std::vector<DerivedFact>& facts, const std::vector<Hypothesis>& hypotheses,
           const ProveOptions& options, Strategy strategy = {})
      : logic(protocol),
        execution(protocol, logic),
        solver(smt::make_solver(configuration(options, strategy.seed))),
        chase(execution, *solver, facts, hypotheses, strategy),
        options_(options) {
    solver->stop_on(options.stop);
    chase.stop = options.stop;
  }

  /// Runs the chase and writes down how it ended. A contradiction that the second
  /// solver does not see as one is none.
  Answer decide() {
    Answer answer;
    answer.end = chase.run();
    if (answer.end == ChaseEnd::contradiction && options_.recheck) second_opinion(answer);
    if (!disagreement_.empty()) answer.end = ChaseEnd::unknown;
    answer.reason = disagreement_.empty() ? chase.reason() : disagreement_;
    answer.solver = solver->configuration();
    answer.resources = solver->statistics().resources;
    answer.seconds = solver->statistics().seconds;
    answer.facts = execution.facts.size();
    answer.rounds = chase.rounds();
    std::set<Use> uses;
    for (const Fact& fact : execution.facts) {
      ++answer.sources[name_of(fact.principle) + ": " + fact.about];
      // A derived fact of one step is used only before that step.
      const bool before = fact.principle == Principle::derived && one_step_;
      if (fact.principle == Principle::derived) uses.insert({fact.about, before});
    }
    for (const auto& [statement, earlier] : chase.hypotheses_used()) uses.insert({statement, earlier});
    answer.uses.assign(uses.begin(), uses.end());
    if (answer.end == ChaseEnd::open && tell) answer.execution = story(chase, execution);
    return answer;
  }

  /// Whether the same question has the same answer at any other time: no clock,
  /// no memory limit and nobody's wish ended it.
  [[nodiscard]] bool repeats() const { return chase.repeats() && disagreement_.empty(); }

  /// All that the solver was given, as SMT-LIB 2. Nothing may be asked afterwards.
  [[nodiscard]] std::string text(const Slice& slice) {
    smt::DumpOptions dump;
    dump.expected = smt::Answer::unsat;
    return smt::to_smtlib(noted_query(execution, slice), dump);
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
  bool tell = false;  ///< write down the execution that remains, if one does

  static smt::SolverConfig configuration(const ProveOptions& options, std::uint32_t more_seed = 0) {
    smt::SolverConfig config = smt::z3_config();
    config.resource_limit = options.resource_limit;
    config.seed = options.seed + more_seed;
    config.memory_mb = options.memory_mb;
    return config;
  }
  static smt::SolverConfig second_configuration() {
    smt::SolverConfig config = smt::cvc5_config();
    config.wall_clock_ms = kSecondOpinionMs;  // what comes later than that does not come
    return config;
  }

 private:
  /// Whether the second solver agrees, or why that is not known.
  void second_opinion(Answer& answer) {
    const std::unique_ptr<smt::Solver> second = smt::make_solver(second_configuration());
    second->stop_on(options_.stop);
    for (const Fact& fact : execution.facts) second->assert_term(fact.term);
    const smt::CheckResult said = second->check();
    if (said.answer == smt::Answer::sat) {
      disagreement_ = second->configuration() + " disagrees with " + solver->configuration();
      if (options_.disagreement) options_.disagreement(disagreement_);
    }
    if (said.answer == smt::Answer::unsat) answer.rechecked = second->configuration();
    if (said.answer == smt::Answer::unknown) {
      answer.unconfirmed = said.reason.empty() ? std::string(smt::name_of(said.cause)) : said.reason;
    }
  }

  const ProveOptions& options_;
  bool one_step_ = false;
  std::string disagreement_;
};

}  // namespace tenet::provenance
