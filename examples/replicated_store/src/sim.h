/// The replicas under seeded schedules (tenet/system/sim.h): real LevelDB files, watched by the generated monitor.
#pragma once

#include <filesystem>

#include "context.h"
#include "tenet/system/campaign.h"

namespace replicated {

struct Schedule {
  std::uint64_t seed = 1;
  Fault fault = Fault::none;
  bool power_loss = false;     ///< who dies loses what was not fsynced
  std::size_t deaths = 8;      ///< at most so many, at fail points and between messages
  std::size_t slow_links = 2;  ///< so many pairs of processes are far from one another
  std::size_t partitions = 3;  ///< at most so many times a replica is cut off from the others for a while
  unsigned repeats = 5;        ///< percent of messages that come twice
  unsigned losses = 2;         ///< percent of messages that do not come
  std::uint32_t clients = 4;
  std::size_t operations = 120;  ///< of all clients together
  std::size_t keys = 4;
  unsigned reads = 30;                ///< percent
  bool only_local_rules_off = false;  ///< guards and effects of single hosts are not checked
  std::string record;                 ///< a file for the trace of all events; empty: none
};

struct Outcome : tenet::system::Outcome {
  std::uint64_t slots = 0;  ///< that some replica has learned
};

/// Plays one schedule, with files below `folder`.
[[nodiscard]] Outcome play(const Cluster& cluster, const Schedule& schedule, const std::filesystem::path& folder);

}  // namespace replicated
