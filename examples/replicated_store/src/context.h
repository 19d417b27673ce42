/// What a role needs of the world: messages, time, and a place to die. The service gives it TCP and the clock
/// (service.h), the tests a seeded schedule (sim.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "faults.h"
#include "message.h"
#include "tenet/system/context.h"
#include "tenet/system/disk.h"

namespace replicated {

using tenet::system::Microseconds;

class Context {
 public:
  virtual ~Context() = default;
  /// Sends it, or loses it. `message.from` is filled in here.
  virtual void send(Node to, Message message) = 0;
  /// Once, unless the process dies before.
  virtual void after(Microseconds delay, std::function<void()> then) = 0;
  /// Tells the lives of this process apart.
  [[nodiscard]] virtual std::uint64_t boot() const = 0;
  /// The process may die here, and does not return then.
  virtual void reach(FailPoint point) = 0;
  /// The process cannot go on (its disk is full): nothing that it is told any more may have an effect.
  virtual void give_up(const std::string& why) = 0;
  [[nodiscard]] virtual bool has(Fault fault) const = 0;
};

/// The system: the same for all processes.
struct Cluster {
  std::uint32_t replicas = 3;
  std::size_t batch = 64;           ///< commands of a slot, at most
  Microseconds retry = 100'000;     ///< what was not answered is sent again
  Microseconds backoff = 20'000;    ///< of a leader that was preempted, times a random number, growing
  Microseconds beat = 50'000;       ///< replicas say how far they are
  Microseconds patience = 400'000;  ///< then a client asks another replica
  [[nodiscard]] bool majority(std::size_t count) const { return 2 * count > replicas; }
};

}  // namespace replicated
