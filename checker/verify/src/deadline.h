/// A stop request that comes by itself.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "tenet/base/stop.h"

namespace tenet::verify {

/// While it lives, `flag()` is requested once `outer` is, or once the time is
/// over. `outer` may be null; it is looked at some twenty times a second.
class Deadline {
 public:
  Deadline(const StopFlag* outer, double seconds)
      : outer_(outer), end_(Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000))) {
    if (outer_ != nullptr && outer_->requested()) {
      flag_.request();
    } else if (Clock::now() >= end_) {
      expire();
    }
    watcher_ = std::jthread([this](const std::stop_token& done) { watch(done); });
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline() = default;  // the watcher is asked to end, and joined

  [[nodiscard]] const StopFlag& flag() const { return flag_; }
  /// Whether it was the time that made the request, or is over by now.
  [[nodiscard]] bool expired() const { return expired_.load() || (!flag_.requested() && Clock::now() >= end_); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kLook{50};

  void expire() {
    expired_.store(true);
    flag_.request();
  }
  void watch(const std::stop_token& done) {
    std::unique_lock lock(mutex_);
    while (!flag_.requested() && !done.stop_requested()) {
      wake_.wait_until(lock, done, std::min(end_, Clock::now() + kLook), [] { return false; });
      if (outer_ != nullptr && outer_->requested()) {
        flag_.request();
      } else if (Clock::now() >= end_) {
        expire();
      }
    }
  }

  const StopFlag* outer_;
  Clock::time_point end_;
  StopFlag flag_;
  std::atomic<bool> expired_{false};
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread watcher_;  // last: everything it uses is there before and after
};

}  // namespace tenet::verify
