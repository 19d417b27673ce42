/// What the system consists of: replicas that are all alike.
#pragma once

#include "faults.h"

namespace replicated {

using tenet::system::Context;
using tenet::system::Microseconds;
using tenet::system::Peer;

/// What is the same for all processes.
struct Cluster {
  std::uint64_t replicas = 3;
  std::uint64_t batch = 64;         ///< commands of a slot, at most
  Microseconds retry = 100'000;     ///< what was not answered is sent again
  Microseconds backoff = 20'000;    ///< of a leader that was preempted, times a random number, growing
  Microseconds beat = 50'000;       ///< replicas say how far they are
  Microseconds patience = 400'000;  ///< then a client asks another replica
  [[nodiscard]] bool majority(std::size_t count) const { return 2 * count > replicas; }
};

class System : public tenet::system::System {
 public:
  [[nodiscard]] std::string name() const override { return "store"; }
  [[nodiscard]] std::string says() const override;
  [[nodiscard]] std::vector<std::string> servers() const override;
  [[nodiscard]] std::unique_ptr<tenet::system::Role> server(Context& context, Peer self) const override;
  [[nodiscard]] std::unique_ptr<tenet::system::Client> client(Context& context, Peer self) const override;
  [[nodiscard]] std::unique_ptr<tenet::monitor::Rules> rules() const override;
  [[nodiscard]] std::span<const Switch> faults() const override { return kFaults; }
  [[nodiscard]] std::span<const FailPoint> fail_points() const override { return kFailPoints; }
  [[nodiscard]] std::vector<tenet::system::Setting> settings() override;
  [[nodiscard]] Microseconds patience() const override { return 20'000'000; }

  Cluster cluster;
};

}  // namespace replicated
