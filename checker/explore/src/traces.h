/// From something found in a stored state to a shortest trace that shows it.
#pragma once

#include <map>
#include <vector>

#include "search.h"
#include "world.h"

namespace tenet::explore {

/// Builds traces for candidates. Stored states keep only a hash of their
/// parent, so a path is found backwards level by level; a concrete run is then
/// made forwards on the reference interpreter and replayed.
class Traces {
 public:
  Traces(World& world, Search& search) : world_(world), search_(search), canvas_(world.universe) {}
  /// One finding per candidate, in the same order. An error is a bug of ours.
  Result<std::vector<Found>> build(const std::vector<Candidate>& candidates);

 private:
  using Path = std::vector<std::uint32_t>;  ///< stored states, the initial one first
  std::vector<Path> paths(const std::vector<Candidate>& candidates);
  [[nodiscard]] Packed load(std::uint32_t index) const;
  Result<Found> build(const Candidate& candidate, const Path& path);
  Result<void> find_starts(const std::vector<Path>& paths);
  bool advance(const ir::Interpreter& interpreter, std::uint32_t next, ir::Trace& trace);
  void last_step(const ir::Interpreter& interpreter, const Candidate& candidate, Found& found);
  void explain(const ir::Interpreter& interpreter, Found& found) const;
  Packed canonical(const ir::Constants& constants, const ir::State& state);
  bool matches(const ir::Constants& constants, const ir::State& state, std::uint32_t stored);

  void widen();

  World& world_;
  Search& search_;
  /// For concrete states. A run that leaves the canonical states of its orbits
  /// names hosts and values in messages and local states that the exploration
  /// never met, and that its packing need not hold.
  Canvas canvas_;
  std::map<std::uint32_t, ir::Start> starts_;  ///< of each stored initial state in question, the first of its orbit
};

/// What makes two violations of one property really different: the last step
/// and its role, and how the violating hosts and values relate.
[[nodiscard]] std::vector<std::int64_t> signature(const ir::Protocol& protocol, const Found& found);

}  // namespace tenet::explore
