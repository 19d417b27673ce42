/// A system under seeded schedules (sim.h), in one thread: real files, watched by the generated monitor.
#pragma once

#include <filesystem>
#include <string>

#include "tenet/system/campaign.h"
#include "tenet/system/role.h"

namespace tenet::system {

struct Schedule {
  std::uint64_t seed = 1;
  std::string fault;           ///< the name of a switch; empty: none
  bool power_loss = false;     ///< who dies loses what was not fsynced
  std::size_t deaths = 8;      ///< at most so many, at fail points and between messages
  std::size_t slow_links = 2;  ///< so many pairs of processes are far from one another
  std::size_t partitions = 3;  ///< at most so many times a server is cut off from the others for a while
  unsigned repeats = 5;        ///< percent of messages that come twice
  unsigned losses = 2;         ///< percent of messages that do not come
  std::size_t clients = 4;
  std::size_t operations = 120;  ///< of all clients together
  std::size_t keys = 4;
  unsigned reads = 30;           ///< percent
  bool local_rules_off = false;  ///< guards and effects of single hosts are not checked
  std::string record;            ///< a file for the trace of all events; empty: none
};

/// Plays one schedule, with files below `folder`, which is emptied first.
[[nodiscard]] Outcome play(const System& system, const Schedule& schedule, const std::filesystem::path& folder);

/// Plays every fault of the system, or that of `like` if it has one, as `like` says, under its first `seeds` seeds
/// (those that need it lose power), and prints the table of who noticed. The number of faults that nobody noticed.
std::size_t campaign(const System& system, const Schedule& like, std::uint64_t seeds,
                     const std::filesystem::path& folder);

}  // namespace tenet::system
