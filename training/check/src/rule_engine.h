// All judges over one replay.
#pragma once

#include <memory>
#include <vector>

#include "judge.h"

namespace tenet::training {

class RuleEngine {
 public:
  // `sink` and the tables must outlive the engine.
  RuleEngine(Vocabulary& vocabulary, FactsTable& facts, OutcomeSink& sink);

  // Rules are numbered by the caller. False if the rule makes no sense; it is then never judged.
  [[nodiscard]] bool add(const Invariant& invariant, std::uint32_t rule);

  void feed(const Record& record) { replay_.feed(record); }
  void finish() { replay_.finish(); }
  [[nodiscard]] Replay& replay() noexcept { return replay_; }
  [[nodiscard]] const Replay& replay() const noexcept { return replay_; }

 private:
  [[nodiscard]] Judge& judge_for(Relation relation);

  JudgeContext context_;
  Replay replay_;
  std::vector<std::unique_ptr<Judge>> judges_;  // by factory, made when first needed
};

}  // namespace tenet::training
