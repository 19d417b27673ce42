/// The processes of the running system: servers, and the clients that load them.
#pragma once

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "context.h"
#include "history.h"

namespace curp {

/// What all processes of a cluster are told.
struct Setup {
  Cluster cluster;
  std::uint16_t base_port = 7400;
  std::filesystem::path folder;  ///< of all files of the cluster
  Microseconds delay = 0;        ///< one way, added to every message
  bool watched = false;          ///< events are recorded into `folder`/KIND.rings
  Fault fault = Fault::none;     ///< in all processes
};

/// How a server is made to die.
struct Death {
  FailPoint point = FailPoint::none;
  std::uint64_t times = 1;  ///< at the so many-th time the point is reached
  bool power_loss = false;
};

/// Serves until it is killed or told to stop (SIGTERM). Empty, or why it could not begin. `first`: the cluster begins
/// with it, which is what makes master process 0 the master of epoch 0.
[[nodiscard]] std::string serve(const Setup& setup, Node node, bool first, const Death& death);

/// A closed loop: every client has one operation under way.
struct Load {
  std::size_t operations = 1000;  ///< of all clients together
  std::size_t keys = 1000;
  double skew = 0;     ///< theta of the Zipf distribution; 0: uniform
  unsigned reads = 0;  ///< percent
  std::size_t value_bytes = 100;
  std::uint64_t seed = 1;
  Microseconds patience = 60'000'000;  ///< then what is under way counts as unanswered
};

struct Report {
  std::vector<Operation> history;
  std::vector<Microseconds> put_latency;  ///< of finished updates, sorted
  std::vector<Microseconds> get_latency;
  std::size_t fast = 0;  ///< updates that were not synced when they were finished
  std::size_t unanswered = 0;
  Microseconds elapsed = 0;
  [[nodiscard]] double quantile(double q) const;  ///< of the updates, in microseconds; 0 if there are none
};
/// Runs `setup.cluster.clients` clients in this thread. `tick` is called every 10 ms.
[[nodiscard]] Report load(const Setup& setup, const Load& load, const std::function<void()>& tick = {});

/// The files that the servers of the cluster record their events into.
[[nodiscard]] std::vector<std::string> ring_files(const Setup& setup);

}  // namespace curp
