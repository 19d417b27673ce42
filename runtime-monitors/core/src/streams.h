/// Puts every host's events in order and finds out what is missing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "tenet/monitor/monitor.h"

namespace tenet::monitor {

/// Events come in from many rings in any order and go out host by host, incarnation by incarnation, by sequence. A
/// missing number is waited for until it is given up; then there is a gap.
class Streams {
 public:
  struct Receiver {
    std::function<void(const Event&)> event;
    std::function<void(HostId)> gap;
    std::function<void(HostId, bool tail_lost)> restart;
  };
  struct Counts {
    std::uint64_t gaps = 0, late = 0, duplicates = 0, restarts = 0;
  };

  /// `bytes`: of waiting events; beyond it nothing is waited for.
  Streams(std::size_t bytes, std::chrono::milliseconds wait) : limit_(bytes), wait_(wait) {}

  void add(Event event);
  /// Hands out an event that follows directly on what was handed out, with nothing waiting before it. False: it is
  /// none.
  [[nodiscard]] bool follow(const Event& event, const Receiver& receiver);
  /// Hands out what is in order; with `force` everything, gaps given up.
  void deliver(const Receiver& receiver, bool force);
  /// Hands out what follows directly on what was handed out, for more to be added after it: no incarnation begins,
  /// nothing is given up, unless too much waits.
  void deliver_following(const Receiver& receiver);
  /// The last event that each host has taken a number for, as its process says: incarnation << 40 | sequence.
  using Issued = std::map<HostId, std::uint64_t>;
  /// After everything that was published is added and delivered: whether all those events were handed out. Missing
  /// ones at the end of a host are waited for as others are, or given up with `force`.
  [[nodiscard]] bool settle(const Issued& issued, const Receiver& receiver, bool force);
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Missing {
    std::uint64_t from, to;  ///< incarnation and sequence, half open
  };
  struct Stream {
    bool known = false;      ///< anything was ever handed out
    std::uint64_t next = 0;  ///< incarnation << 40 | sequence of the next event in order
    std::map<std::uint64_t, Event> waiting;
    Clock::time_point since;  ///< when the present gap was first seen
    bool gap_seen = false;
    Clock::time_point tail_since;  ///< the same for events missing at the end
    bool tail_seen = false;
    std::vector<Missing> missing;  ///< the last gaps that were given up
  };

  void deliver(HostId host, Stream& stream, const Receiver& receiver, bool force);
  void hand_out_first(Stream& stream, const Receiver& receiver);
  void begin_incarnation(HostId host, Stream& stream, const Event& first, const Receiver& receiver);
  void give_up(Stream& stream, std::uint64_t until);

  std::map<HostId, Stream> streams_;
  std::size_t limit_;
  std::chrono::milliseconds wait_;
  std::size_t bytes_ = 0;
  Counts counts_;
};

}  // namespace tenet::monitor
