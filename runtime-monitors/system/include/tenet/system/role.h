/// What a system is written against: its roles see the world through a `Context`, and do not know whether it is a
/// process with sockets and a clock (cluster.h) or a seeded schedule (schedule.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/monitor/monitor.h"
#include "tenet/system/campaign.h"
#include "tenet/system/context.h"
#include "tenet/system/disk.h"

namespace tenet::system {

/// Servers are peers by their place in `System::servers`; clients are peers from this number on.
constexpr Peer kClients = Peer{1} << 62;

/// A place in the code at which a process can be made to die.
using FailPoint = std::string_view;

/// What a role needs of the world: messages, time, and a place to die.
class Context {
 public:
  virtual ~Context() = default;
  /// Sends it, or loses it. What is sent to one peer arrives in order, as long as neither end dies.
  virtual void send(Peer to, std::string body) = 0;
  /// Once, unless the process dies before.
  virtual void after(Microseconds delay, std::function<void()> then) = 0;
  /// A clock that never goes back.
  [[nodiscard]] virtual Microseconds now() const = 0;
  /// Tells the lives of this process apart.
  [[nodiscard]] virtual std::uint64_t boot() const = 0;
  /// The process may die here, and does not return then.
  virtual void reach(FailPoint point) = 0;
  /// The process cannot go on (its disk is full, say): nothing that it is told any more has an effect.
  virtual void give_up(const std::string& why) = 0;
  /// Whether this fault is switched on.
  [[nodiscard]] virtual bool has(const Switch& fault) const = 0;
};

/// What a process is, in one life.
class Role {
 public:
  Role() = default;
  virtual ~Role() = default;
  Role(const Role&) = delete;
  Role& operator=(const Role&) = delete;

  /// Reads what earlier lives have left on the disk. Empty, or why it cannot begin.
  [[nodiscard]] virtual std::string open(Disk& disk) = 0;
  /// False: these bytes are no message.
  [[nodiscard]] virtual bool receive(Peer from, std::string_view body) = 0;
};

/// What came of an operation.
struct Answer {
  std::uint64_t version = 0;  ///< of the key: how many puts it has seen
  std::string value;          ///< that was read
};

/// A client of a store. It has one operation under way at a time.
class Client {
 public:
  using Done = std::function<void(const Answer&)>;
  Client() = default;
  virtual ~Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  virtual void put(const std::string& key, const std::string& value, Done done) = 0;
  virtual void get(const std::string& key, Done done) = 0;
  /// False: these bytes are no message.
  [[nodiscard]] virtual bool receive(Peer from, std::string_view body) = 0;
};

/// A number that is the same for all processes of a system, and an option of its command line.
struct Setting {
  std::string name;  ///< of the option, without the dashes
  std::string says;
  std::uint64_t* value;
  std::uint64_t least = 0;
  std::uint64_t most = UINT64_MAX;
};

/// A system: what it consists of, and what can be wrong with it.
class System {
 public:
  virtual ~System() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string says() const = 0;
  /// The servers by name, "primary0" say; which are there may depend on the settings.
  [[nodiscard]] virtual std::vector<std::string> servers() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Role> server(Context& context, Peer self) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Client> client(Context& context, Peer self) const = 0;
  /// The rules of the generated monitor for this system.
  [[nodiscard]] virtual std::unique_ptr<tenet::monitor::Rules> rules() const = 0;
  [[nodiscard]] virtual std::span<const Switch> faults() const = 0;
  [[nodiscard]] virtual std::span<const FailPoint> fail_points() const = 0;
  [[nodiscard]] virtual std::vector<Setting> settings() { return {}; }
  /// Of a schedule's time: what is under way after so much is unanswered, and the schedule is not finished.
  [[nodiscard]] virtual Microseconds patience() const { return 120'000'000; }
};

}  // namespace tenet::system
