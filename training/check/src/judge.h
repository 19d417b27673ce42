// Judges: each watches a replay for some relations and says, wherever a rule can be judged, whether it holds.
// Inference and checking use the same judges; they differ in what they do with the outcomes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "replay.h"
#include "tenet/training/invariant.h"

namespace tenet::training {

// Where a rule was judged and what was seen there.
struct Place {
  const Process* process = nullptr;
  const Process* other = nullptr;  // the second process of a comparison between processes
  std::uint16_t thread = 0;
  std::int64_t step = kNoStep;
  std::uint64_t time = 0;
  Symbol where = 0;     // the function
  Symbol variable = 0;  // the variable, if there is one
  Value seen;
  Value expected;
};

class OutcomeSink {
 public:
  virtual ~OutcomeSink() = default;
  virtual void outcome(std::uint32_t rule, bool holds, FactsId facts, const Place& place) = 0;
};

class Judge : public Listener {
 public:
  // Takes over a rule of a relation it knows; false if the rule makes no sense (an unknown mode, a bad expression).
  [[nodiscard]] virtual bool add(const Invariant& invariant, std::uint32_t rule) = 0;
};

struct JudgeContext {
  Vocabulary* vocabulary;
  FactsTable* facts;
  OutcomeSink* sink;
};

[[nodiscard]] std::unique_ptr<Judge> make_containment_judge(const JudgeContext& context);  // contains_*, each_change
[[nodiscard]] std::unique_ptr<Judge> make_order_judge(const JudgeContext& context);        // before, after
[[nodiscard]] std::unique_ptr<Judge> make_field_judge(
    const JudgeContext& context);  // constant, equal_fields, at_most, range
[[nodiscard]] std::unique_ptr<Judge> make_distinct_judge(const JudgeContext& context);
[[nodiscard]] std::unique_ptr<Judge> make_rank_judge(const JudgeContext& context);  // same_on_ranks
[[nodiscard]] std::unique_ptr<Judge> make_variable_judge(
    const JudgeContext& context);  // stable, mirrors, pair_equal, ratio, increment
[[nodiscard]] std::unique_ptr<Judge> make_loop_judge(const JudgeContext& context);  // each_step, loop_law

// Numbers of things by symbol.
class SymbolIndex {
 public:
  void add(Symbol symbol, std::uint32_t number) {
    if (symbol >= table_.size()) table_.resize(symbol + 256);
    table_[symbol].push_back(number);
  }
  [[nodiscard]] std::span<const std::uint32_t> at(Symbol symbol) const noexcept {
    if (symbol >= table_.size()) return {};
    return table_[symbol];
  }

 private:
  std::vector<std::vector<std::uint32_t>> table_;
};

[[nodiscard]] inline Place place_of(const Process& process, const Thread& thread, const Frame& frame) {
  Place place;
  place.process = &process;
  place.thread = thread.number;
  place.step = frame.step;
  place.time = process.time;
  place.where = frame.function;
  return place;
}

[[nodiscard]] inline Place place_of(const Process& process, Thread& thread, const Variable& variable) {
  Place place;
  place.process = &process;
  place.thread = thread.number;
  place.step = process.step;
  place.time = process.time;
  place.where = thread.depth == 0 ? 0 : thread.top()->function;
  place.variable = variable.name;
  return place;
}

}  // namespace tenet::training
