/// The roles under seeded schedules (tenet/system/sim.h): real LevelDB and table files, watched by the generated
/// monitor.
#pragma once

#include <filesystem>

#include "context.h"
#include "tenet/system/campaign.h"

namespace curp {

struct Schedule {
  std::uint64_t seed = 1;
  std::string fault;             ///< the name of a switch; empty: none
  bool power_loss = false;       ///< who dies loses what was not fsynced
  std::size_t deaths = 8;        ///< at most so many, at fail points and between messages
  std::size_t partitions = 3;    ///< at most so many times a master loses the coordinator for a while
  std::size_t slow_links = 4;    ///< so many pairs of processes are far from one another
  std::size_t operations = 120;  ///< of all clients together
  std::size_t keys = 4;
  unsigned reads = 30;                ///< percent
  bool only_local_rules_off = false;  ///< guards and effects of single hosts are not checked
};

struct Outcome : tenet::system::Outcome {
  std::size_t fast = 0;
};

/// Plays one schedule, watched by the generated monitor, with files below `folder`.
[[nodiscard]] Outcome play(const Cluster& cluster, const Schedule& schedule, const std::filesystem::path& folder);

}  // namespace curp
