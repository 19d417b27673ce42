/// The whole system in one thread: real roles, real LevelDB and table files, a network and a clock that a seed decides.
/// For finding out, again and again in the same way, what happens when processes die at the wrong moment.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "context.h"
#include "history.h"

namespace curp {

struct Schedule {
  std::uint64_t seed = 1;
  Fault fault = Fault::none;
  bool power_loss = false;       ///< who dies loses what was not fsynced
  std::size_t deaths = 8;        ///< at most so many, at fail points and between messages
  std::size_t partitions = 3;    ///< at most so many times a master loses the coordinator for a while
  std::size_t slow_links = 4;    ///< so many pairs of processes are far from one another
  std::size_t operations = 120;  ///< of all clients together
  std::size_t keys = 4;
  unsigned reads = 30;                ///< percent
  bool only_local_rules_off = false;  ///< guards and effects of single hosts are not checked
};

/// A violated rule of the monitor.
struct Violated {
  std::string rule;
  std::string kind;  ///< as in tenet::monitor::RuleInfo
};

struct Outcome {
  std::vector<Violated> violated;             ///< those first that were violated first
  std::optional<std::uint64_t> events_until;  ///< recorded before the first violation was seen
  std::uint64_t events = 0;
  std::uint64_t gaps = 0;
  std::string first_finding;
  Judgement history;
  bool finished = true;  ///< all operations came to an end
  std::size_t done = 0;
  std::size_t fast = 0;
  std::size_t died = 0;
  std::uint64_t epochs = 0;
  std::uint64_t lists = 0;
  [[nodiscard]] bool clean() const { return violated.empty() && history.linearizable && finished; }
};

/// Plays one schedule, watched by the generated monitor, with files below `folder`.
[[nodiscard]] Outcome play(const Cluster& cluster, const Schedule& schedule, const std::filesystem::path& folder);

}  // namespace curp
