/// One question: an execution theory, a solver and a chase that belong together.
#pragma once

#include <memory>
#include <vector>

#include "chase.h"
#include "tenet/provenance/prover.h"

namespace tenet::provenance {

class Question {
 public:
  Question(ir::Protocol& protocol, const std::vector<DerivedFact>& facts, const std::vector<Hypothesis>& hypotheses,
           const ProveOptions& options, Strategy strategy = {})
      : logic(protocol),
        execution(protocol, logic),
        solver(smt::make_solver(configuration(options))),
        chase(execution, *solver, facts, hypotheses, strategy) {}

  /// Only what one step does to one host: values have no causes.
  void only_one_step() {
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
    return config;
  }
};

}  // namespace tenet::provenance
