/// Finding and proving the derived facts of a protocol.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "answers.h"
#include "guesses.h"
#include "samples.h"

namespace tenet::provenance {

/// Derives what holds of single hosts. Every fact returned has all its
/// obligations in `obligations`, discharged.
class Deriver {
 public:
  Deriver(ir::Protocol& protocol, const Samples& samples, Answers& answers, const StopFlag* stop,
          std::vector<Obligation>& obligations)
      : p_(protocol), samples_(samples), answers_(answers), stop_(stop), obligations_(obligations) {}

  [[nodiscard]] std::vector<DerivedFact> derive();

 private:
  void one_state();
  void two_state();
  bool step_keeps(const DerivedFact& fact, ir::StepId step, const std::vector<DerivedFact>& known, Obligation& out);
  void keep_surviving(std::vector<Guess>& guesses, bool between);
  [[nodiscard]] bool about_one_host(const DerivedFact& fact) const;
  bool starts(const DerivedFact& fact, Obligation& out);
  bool transitive(const DerivedFact& fact, const std::vector<DerivedFact>& known, Obligation& out);
  bool ask(std::string_view kind, Subject subject, const DerivedFact& fact, const std::vector<DerivedFact>& known,
           const Answers::Setup& setup, const std::string& part, Obligation& out);
  [[nodiscard]] bool stopped() const { return stop_ != nullptr && stop_->requested(); }

  ir::Protocol& p_;
  const Samples& samples_;
  Answers& answers_;
  const StopFlag* stop_;
  std::vector<Obligation>& obligations_;
  std::vector<DerivedFact> found_;
};

}  // namespace tenet::provenance
