/// A system as processes of this machine that talk over TCP: servers, and the clients that load them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tenet/system/launch.h"
#include "tenet/system/load.h"
#include "tenet/system/role.h"

namespace tenet::system {

/// What all processes of a cluster are told, beside the settings of the system.
struct Setup {
  std::uint16_t base_port = 7600;    ///< of the first server; the others have those after it
  std::filesystem::path folder;      ///< of all files of the cluster
  Microseconds delay = 0;            ///< one way, added to every message
  bool watched = false;              ///< events are recorded into `folder`/NAME.rings
  std::uint32_t sample_one_in = 1;   ///< runs (keys), if they are recorded
  std::size_t watch_megabytes = 64;  ///< of who watches: runs that were not used for longest are forgotten
  std::uint32_t clients = 4;         ///< of a load
  std::uint64_t disk_bytes = 0;      ///< a server's disk is full after so many; 0: it never is
  std::string fault;                 ///< in all processes, the name of a switch; empty: none
};

/// How a server is made to die.
struct Death {
  std::string point;        ///< a fail point; empty: it is not
  std::uint64_t times = 1;  ///< at the so many-th time the point is reached
  bool power_loss = false;
};

/// Where a server listens.
[[nodiscard]] std::uint16_t port_of(const Setup& setup, Peer server);
/// The files that the servers record their events into.
[[nodiscard]] std::vector<std::string> ring_files(const System& system, const Setup& setup);

/// A message on a connection: a frame (frame.h) of who sends it, eight bytes, and its body.
[[nodiscard]] std::string enveloped(Peer from, std::string_view body);

/// Serves until it is killed or told to stop (SIGTERM, SIGINT). SIGUSR1 is a loss of power. Empty, or why it could not
/// begin, or not go on.
[[nodiscard]] std::string serve(const System& system, const Setup& setup, Peer server, const Death& death);

/// Runs `setup.clients` clients in this thread. `tick` is called every 10 ms.
[[nodiscard]] Report load(const System& system, const Setup& setup, const Load& load,
                          const std::function<void()>& tick = {});

/// The words after `node NAME` by which a process is told settings and setup (command.h).
[[nodiscard]] std::vector<std::string> words(System& system, const Setup& setup);
/// Starts a server as a process of its own.
void launch(Launcher& launcher, System& system, const Setup& setup, const std::string& server, const Death& death = {});
/// Every server. False: some does not listen within five seconds.
[[nodiscard]] bool launch_all(Launcher& launcher, System& system, const Setup& setup);

/// Checks what the servers record. `record`: a file for the trace of all events; empty: none. Null: why, in `error`.
[[nodiscard]] std::unique_ptr<tenet::monitor::Monitor> watch(const System& system, const Setup& setup,
                                                             const std::string& record, std::string& error);

}  // namespace tenet::system
