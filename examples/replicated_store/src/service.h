/// The processes of the running system: replicas, and the clients that load them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "context.h"
#include "tenet/system/launch.h"
#include "tenet/system/load.h"

namespace replicated {

/// What all processes of a cluster are told.
struct Setup {
  Cluster cluster;
  std::uint16_t base_port = 7600;
  std::filesystem::path folder;     ///< of all files of the cluster
  Microseconds delay = 0;           ///< one way, added to every message
  bool watched = false;             ///< events are recorded into `folder`/NAME.rings
  std::uint32_t sample_one_in = 1;  ///< slots, if they are recorded
  std::uint32_t clients = 4;        ///< of a load
  std::uint64_t disk_bytes = 0;     ///< a replica's disk is full after so many; 0: it never is
  Fault fault = Fault::none;        ///< in all processes
};

/// How a replica is made to die.
struct Death {
  FailPoint point = FailPoint::none;
  std::uint64_t times = 1;  ///< at the so many-th time the point is reached
  bool power_loss = false;
};

/// Serves until it is killed or told to stop (SIGTERM). SIGUSR1 is a loss of power. Empty, or why it could not begin,
/// or not go on.
[[nodiscard]] std::string serve(const Setup& setup, std::uint32_t replica, const Death& death);

using tenet::system::Load;
using tenet::system::Report;
/// Runs `setup.clients` clients in this thread. `tick` is called every 10 ms.
[[nodiscard]] Report load(const Setup& setup, const Load& load, const std::function<void()>& tick = {});

/// "replica0" …
[[nodiscard]] std::vector<std::string> servers(const Setup& setup);
/// Where a replica listens.
[[nodiscard]] std::uint16_t port_of(const Setup& setup, std::uint64_t replica);
/// The words by which `store node NAME` is told the setup.
[[nodiscard]] std::vector<std::string> words(const Setup& setup);
/// Starts a replica as a process of its own.
void launch(tenet::system::Launcher& launcher, const Setup& setup, const std::string& server, const Death& death = {});
/// Every replica. False: some does not listen within five seconds.
[[nodiscard]] bool launch_all(tenet::system::Launcher& launcher, const Setup& setup);

/// The files that the replicas record their events into.
[[nodiscard]] std::vector<std::string> ring_files(const Setup& setup);

}  // namespace replicated
