/// From something found in a stored state to a shortest trace that shows it.
#pragma once

#include <vector>

#include "search.h"
#include "world.h"

namespace tenet::explore {

/// Builds traces for candidates. Stored states keep only a hash of their
/// parent, so a path is found backwards level by level; a concrete run is then
/// made forwards on the reference interpreter and replayed.
class Traces {
 public:
  Traces(World& world, Search& search) : world_(world), search_(search) {}
  /// One finding per candidate, in the same order. An error is a bug of ours.
  Result<std::vector<Found>> build(const std::vector<Candidate>& candidates);

 private:
  using Path = std::vector<std::uint32_t>;  ///< stored states, the initial one first
  std::vector<Path> paths(const std::vector<Candidate>& candidates);
  [[nodiscard]] Packed load(std::uint32_t index) const;
  Result<Found> build(const Candidate& candidate, const Path& path);
  Result<void> start(const Packed& first, ir::Trace& trace);
  bool advance(const ir::Interpreter& interpreter, const Packed& next, ir::Trace& trace);
  void last_step(const ir::Interpreter& interpreter, const Candidate& candidate, Found& found);
  void explain(const ir::Interpreter& interpreter, Found& found) const;
  bool matches(const ir::Constants& constants, const ir::State& state, const Packed& stored);

  World& world_;
  Search& search_;
};

/// What makes two violations of one property really different: the last step
/// and its role, and how the violating hosts and values relate.
[[nodiscard]] std::vector<std::int64_t> signature(const ir::Protocol& protocol, const Found& found);

}  // namespace tenet::explore
