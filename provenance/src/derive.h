/// Finding and proving the derived facts of a protocol.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "guesses.h"
#include "question.h"
#include "samples.h"

namespace tenet::provenance {

/// Derives what holds of single hosts. Every fact returned has all its
/// obligations in `obligations`, discharged.
class Deriver {
 public:
  Deriver(ir::Protocol& protocol, const Samples& samples, const ProveOptions& options,
          std::vector<Obligation>& obligations)
      : p_(protocol), samples_(samples), options_(options), obligations_(obligations) {}

  [[nodiscard]] std::vector<DerivedFact> derive();

 private:
  void one_state();
  void two_state();
  bool step_keeps(const DerivedFact& fact, ir::StepId step, const std::vector<DerivedFact>& known, Obligation& out);
  void keep_surviving(std::vector<Guess>& guesses, bool between);
  [[nodiscard]] bool about_one_host(const DerivedFact& fact) const;
  bool starts(const DerivedFact& fact, Obligation& out);
  bool transitive(const DerivedFact& fact, const std::vector<DerivedFact>& known, Obligation& out);
  Scope scope_for(Question& question, const DerivedFact& fact, smt::Term time, smt::Term old_time);
  bool ask(Question& question, const DerivedFact& fact, const std::string& part, Obligation& out);
  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->requested(); }

  ir::Protocol& p_;
  const Samples& samples_;
  const ProveOptions& options_;
  std::vector<Obligation>& obligations_;
  std::vector<DerivedFact> found_;
};

}  // namespace tenet::provenance
