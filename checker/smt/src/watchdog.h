/// Stops work that cannot be asked to poll.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "tenet/smt/solver.h"

namespace tenet::smt {

/// A thread that, while armed, calls `stop` when interrupted, late or out of
/// memory, and goes on calling it until disarmed: a solver may miss a request
/// that comes before it listens. All functions may be called from any thread,
/// `arm` and `disarm` in pairs from one.
class Watchdog {
 public:
  struct Limits {
    std::chrono::milliseconds wall_clock{0};  ///< 0: none
    std::function<bool()> out_of_memory;      ///< asked now and then; may be empty
    std::function<bool()> interrupted;        ///< asked when woken
    bool polled = false;                      ///< `interrupted` is asked now and then, too
  };

  explicit Watchdog(std::function<void()> stop);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  void arm(Limits limits);
  /// After this `stop` is not called any more. Why it was called, or `none`.
  Cause disarm();
  /// Something changed that `interrupted` tells.
  void wake() noexcept;

 private:
  void run();
  [[nodiscard]] Cause look() const;

  std::function<void()> stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Limits limits_;
  std::chrono::steady_clock::time_point deadline_;
  bool armed_ = false;
  bool quit_ = false;
  Cause fired_ = Cause::none;
  std::thread thread_;
};

}  // namespace tenet::smt
