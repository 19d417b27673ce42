/// What a role of the protocol needs of the world: messages, time, and a place to die. The service gives it TCP and the
/// clock (server.h), the tests a seeded schedule (sim.h).
#pragma once

#include <cstdint>
#include <functional>

#include "faults.h"
#include "message.h"
#include "tenet/system/context.h"
#include "tenet/system/disk.h"

namespace curp {

using tenet::system::BlockFile;
using tenet::system::Disk;
using tenet::system::Microseconds;
using tenet::system::Store;

/// The epoch of a master process that is no master.
constexpr std::uint64_t kNoEpoch = UINT64_MAX;

class Context {
 public:
  virtual ~Context() = default;
  /// Sends it, or loses it. What is sent to one node arrives in order, as long as neither end dies. `message.from` is
  /// filled in here.
  virtual void send(Node to, Message message) = 0;
  /// Once, unless the process dies before.
  virtual void after(Microseconds delay, std::function<void()> then) = 0;
  /// A clock that never goes back.
  [[nodiscard]] virtual Microseconds now() = 0;
  /// Tells the lives of this process apart.
  [[nodiscard]] virtual std::uint64_t boot() const = 0;
  /// The process may die here, and does not return then.
  virtual void reach(FailPoint point) = 0;
  [[nodiscard]] virtual bool has(const Switch& fault) const = 0;
};

/// The system: how many there are of each kind, and how it behaves. The same for all processes.
struct Cluster {
  std::uint32_t clients = 1;
  std::uint32_t masters = 2;    ///< processes that can become master; the first is at the beginning
  std::uint32_t backups = 2;    ///< f
  std::uint32_t witnesses = 3;  ///< f of them are in a list
  std::uint32_t epochs = 24;    ///< so many masters, one after the other, are known to the monitor
  [[nodiscard]] std::uint32_t f() const { return backups; }

  Microseconds sync_after = 2'000;    ///< unsynced updates are sent to the backups after so long
  std::size_t sync_batch = 50;        ///< or as soon as there are so many
  Microseconds retry = 100'000;       ///< what was not answered is sent again
  Microseconds heartbeat = 50'000;    ///< servers say that they live
  Microseconds dead_after = 400'000;  ///< who has not is replaced
  Microseconds lease = 200'000;       ///< so long a master may answer reads; shorter than `dead_after`
  bool synchronous = false;           ///< the baseline: no witnesses, every update is synced before its result is told
  bool unreplicated = false;          ///< the other baseline: nothing is ever synced, and results are told at once
};

}  // namespace curp
