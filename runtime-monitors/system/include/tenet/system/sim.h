/// A whole system in one thread, under a network and a clock that a seed decides: for finding out, again and again in
/// the same way, what happens when processes die at the wrong moment.
///
/// A system makes of its roles subclasses of `Process` and adds them to a `World`; their files are real.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tenet/system/context.h"
#include "tenet/system/disk.h"

namespace tenet::system {

constexpr Microseconds kSecond = 1'000'000;

/// A folder for the files of schedules that this process plays: in memory if the machine can, since what an fsync is
/// for is not decided by the disk here.
[[nodiscard]] std::filesystem::path schedule_folder(const std::string& name);

/// What a seed decides of a schedule, beside what the system adds.
struct Chances {
  std::uint64_t seed = 1;
  bool power_loss = false;            ///< who dies loses what was not fsynced
  std::size_t deaths = 8;             ///< at most so many, at fail points and between messages
  std::size_t slow_links = 4;         ///< so many pairs of processes are far from one another
  unsigned repeats = 0;               ///< percent of messages that come twice
  unsigned losses = 0;                ///< percent of messages that do not come
  Microseconds during = 3 * kSecond;  ///< of the beginning: when processes die between messages
  unsigned at_points = 60;            ///< a fail point that is reached is fatal once in so many times
};

class World;

/// A process, in one life after the other.
class Process {
 public:
  Process(World& world, Peer self) : world_(world), self_(self) {}
  virtual ~Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] Peer self() const { return self_; }
  [[nodiscard]] bool lives() const { return lives_; }

 protected:
  /// A life begins. Not empty: why it cannot; the process does not come up again then. May die within.
  virtual std::string begin(bool first) = 0;
  /// It is over: nothing of it may be left but files.
  virtual void end() = 0;
  virtual void receive(Peer from, const std::string& bytes) = 0;
  /// Whether it may be killed between messages.
  [[nodiscard]] virtual bool mortal() const { return true; }

  // What a process can do.
  void send_bytes(Peer to, std::string bytes);
  /// Once, unless the process dies before.
  void after(Microseconds delay, std::function<void()> then);
  [[nodiscard]] Microseconds now() const;
  [[nodiscard]] std::uint64_t boot() const { return boot_; }
  /// Does not return if the process dies here.
  void fail_point();
  /// Its disk, in a folder of this name.
  Disk& disk(const std::string& name);
  World& world_;

 private:
  friend class World;
  Peer self_;
  std::uint64_t boot_ = 0;
  bool lives_ = false;
  std::unique_ptr<Disk> disk_;
};

class World {
 public:
  World(const Chances& chances, std::filesystem::path folder);

  /// Before `start`.
  void add(std::unique_ptr<Process> process);
  /// Begins the first lives, in the order of adding, and plans deaths and slow links.
  void start();
  /// Until `done`, nothing is left to happen, or so much simulated time has passed. `look`: after every 64 happenings.
  void run(Microseconds patience, const std::function<bool()>& done, const std::function<void()>& look);
  /// Ends all lives, without anybody dying.
  void close();

  void at(Microseconds when, std::function<void()> happen) { events_.push({when, order_++, std::move(happen)}); }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  [[nodiscard]] Microseconds now() const { return now_; }
  /// Grows with every call: an order of what happens.
  std::uint64_t tick() { return order_++; }
  [[nodiscard]] std::size_t died() const { return died_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// Whether what one sends reaches the other now; for partitions.
  std::function<bool(Peer from, Peer to)> reaches;
  /// Whether a link can be slow.
  std::function<bool(Peer)> may_be_far;

 private:
  friend class Process;
  struct Event {
    Microseconds at;
    std::uint64_t order;
    std::function<void()> happen;
    friend bool operator>(const Event& a, const Event& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }
  };

  void send(Process& from, Peer to, std::string bytes);
  void arrive(Peer from, std::uint64_t boot, Peer to, const std::string& bytes);
  void guarded(Process& process, const std::function<void()>& act);
  void begin(Process& process, bool first);
  void end(Process& process, bool power_loss);
  void death(Process& process);
  void plan();

  Chances chances_;
  std::filesystem::path folder_;
  std::mt19937_64 random_;
  Microseconds now_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t boots_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<Process*> in_order_;
  std::map<Peer, std::unique_ptr<Process>> processes_;
  std::map<std::pair<Peer, Peer>, Microseconds> arrival_;  ///< of the last message from one to another
  std::map<std::pair<Peer, Peer>, Microseconds> slow_;
  std::size_t deaths_ = 0;  ///< that may still come
  std::size_t died_ = 0;
};

}  // namespace tenet::system
