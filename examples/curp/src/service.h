/// The processes of the running system: servers, and the clients that load them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "context.h"
#include "tenet/system/launch.h"
#include "tenet/system/load.h"

namespace curp {

/// What all processes of a cluster are told.
struct Setup {
  Cluster cluster;
  std::uint16_t base_port = 7400;
  std::filesystem::path folder;  ///< of all files of the cluster
  Microseconds delay = 0;        ///< one way, added to every message
  bool watched = false;          ///< events are recorded into `folder`/KIND.rings
  std::string fault;             ///< in all processes, the name of a switch; empty: none
};

/// How a server is made to die.
struct Death {
  std::string point;        ///< a fail point; empty: it is not
  std::uint64_t times = 1;  ///< at the so many-th time the point is reached
  bool power_loss = false;
};

/// Serves until it is killed or told to stop (SIGTERM). Empty, or why it could not begin. `first`: the cluster begins
/// with it, which is what makes master process 0 the master of epoch 0.
[[nodiscard]] std::string serve(const Setup& setup, Node node, bool first, const Death& death);

using tenet::system::Load;
/// What the clients saw, and how many updates were not synced when they were finished.
struct Report : tenet::system::Report {
  std::size_t fast = 0;
};
/// Runs `setup.cluster.clients` clients in this thread. `tick` is called every 10 ms.
[[nodiscard]] Report load(const Setup& setup, const Load& load, const std::function<void()>& tick = {});

/// Every server of the cluster.
[[nodiscard]] std::vector<Node> servers(const Cluster& cluster);
/// Where a server listens.
[[nodiscard]] std::uint16_t port_of(std::uint16_t base, Node node);
/// The words by which `curp node NAME` is told the setup.
[[nodiscard]] std::vector<std::string> words(const Setup& setup);
/// Starts a server as a process of its own. `first`: as in `serve`.
void launch(tenet::system::Launcher& launcher, const Setup& setup, Node node, bool first, const Death& death = {});
/// Every server, for the first time. False: some does not listen within five seconds.
[[nodiscard]] bool launch_all(tenet::system::Launcher& launcher, const Setup& setup);

/// The files that the servers of the cluster record their events into.
[[nodiscard]] std::vector<std::string> ring_files(const Setup& setup);

}  // namespace curp
