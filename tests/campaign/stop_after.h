/// A stop flag that is raised after a while.
#pragma once

#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>

#include "tenet/base/stop.h"

namespace tenet::campaign {

/// Processor time of this process so far: a busy machine makes nothing take longer.
inline std::chrono::duration<double> processor_time() {
  return std::chrono::duration<double>(static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
}

/// Keeps the suite short: a prover that is stopped proves nothing, so what
/// takes longer is weaker as a test, never red. The time is that of the
/// processor; one that waits for ever is stopped too.
class StopAfter {
 public:
  explicit StopAfter(std::chrono::milliseconds time)
      : watcher_([this, time](const std::stop_token& done) {
          const auto begin = processor_time();
          const auto never = std::chrono::steady_clock::now() + kPatience * time;
          std::unique_lock lock(mutex_);
          while (!done.stop_requested()) {
            wake_.wait_for(lock, done, kLook, [] { return false; });
            if (processor_time() - begin < time && std::chrono::steady_clock::now() < never) continue;
            flag_.request();
            return;
          }
        }) {}
  [[nodiscard]] const StopFlag* flag() const { return &flag_; }

 private:
  static constexpr std::chrono::milliseconds kLook{10};
  static constexpr int kPatience = 20;

  StopFlag flag_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread watcher_;
};

}  // namespace tenet::campaign
