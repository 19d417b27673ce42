/// What clients ask for, and what they saw.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tenet/system/context.h"
#include "tenet/system/history.h"

namespace tenet::system {

/// A closed loop, in which every client has one operation under way; with a rate an open one, in which operations fall
/// due whatever is answered, and wait for a client that is free.
struct Load {
  std::size_t operations = 1000;  ///< of all clients together
  std::size_t keys = 1000;
  double skew = 0;     ///< theta of the Zipf distribution; 0: uniform
  unsigned reads = 0;  ///< percent
  std::size_t value_bytes = 100;
  std::uint64_t seed = 1;
  double rate = 0;  ///< operations a second that fall due, at the times of a Poisson process; 0: a closed loop
  Microseconds patience = 60'000'000;  ///< then what is under way counts as unanswered
};

struct Report {
  std::vector<Operation> history;
  std::vector<Microseconds> put_latency;  ///< of finished updates, sorted; from when they fell due
  std::vector<Microseconds> get_latency;
  std::size_t unanswered = 0;
  Microseconds elapsed = 0;
  [[nodiscard]] double quantile(double q) const;      ///< of the updates, in microseconds; 0 if there are none
  [[nodiscard]] double quantile_all(double q) const;  ///< of updates and reads
  /// "1000 operations in 1.23 s, 0 unanswered; updates: median 1.20 ms …"
  [[nodiscard]] std::string text() const;
};

/// Draws the operations of a load one by one, and keeps their history.
class Workload {
 public:
  /// `clock`: one that all operations share.
  Workload(const Load& load, std::function<std::uint64_t()> clock);

  /// The place in the history of the client's next operation, which is called now; none: all have begun. `due`: when it
  /// should have been, 0 for now.
  [[nodiscard]] std::optional<std::size_t> begin(std::uint32_t client, Microseconds due = 0);
  /// How long after the last operation of an open loop the next one falls due.
  [[nodiscard]] Microseconds gap();
  [[nodiscard]] const Operation& operation(std::size_t place) const { return report_.history[place]; }
  /// It returned now; `value` is what was read.
  void finish(std::size_t place, std::uint64_t version, const std::string& value);
  [[nodiscard]] bool done() const { return done_ == load_.operations; }
  [[nodiscard]] std::size_t finished() const { return done_; }
  /// Latencies in the clock's unit.
  [[nodiscard]] Report report() const;

 private:
  Load load_;
  std::function<std::uint64_t()> clock_;
  std::vector<double> sums_;  ///< of the Zipf distribution
  std::mt19937_64 random_;
  std::mt19937_64 gaps_;
  std::vector<Microseconds> due_;  ///< of every operation in the history
  std::size_t done_ = 0;
  Report report_;
};

}  // namespace tenet::system
