// The quantities that invariants talk about, per step, for plots. Bounded: when a series is full every second point
// goes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "replay.h"
#include "tenet/training/check.h"

namespace tenet::training {

class SeriesRecorder final : public Listener {
 public:
  SeriesRecorder(Vocabulary& vocabulary, const std::vector<Invariant>& invariants);

  void on_state(Process& process, Thread& thread, Variable& variable) override;
  void on_scalar(Process& process, Symbol name, Value value) override;
  void on_enter(Process& process, Thread& thread, Frame& frame) override;
  void on_step(Process& process, std::int64_t next) override;

  // Those of the violations and the scalars of the loop.
  [[nodiscard]] std::vector<Series> of(const std::vector<Violation>& violations, const InvariantSet& set) const;

 private:
  struct Points {
    std::vector<std::pair<std::int64_t, double>> points;
    std::int64_t every = 1;
    std::int64_t pending = 0;
    void add(std::int64_t step, double value);
  };
  using Key = std::tuple<std::uint16_t, Symbol, Symbol>;  // process, variable or function, field

  Vocabulary* vocabulary_;
  std::map<Symbol, std::vector<Symbol>> fields_by_type_;
  std::map<Symbol, bool> functions_;
  std::map<Key, Points> series_;
  std::map<std::pair<std::uint16_t, Symbol>, std::uint64_t> calls_;
};

}  // namespace tenet::training
