/// A stop flag that is raised after a while.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tenet/base/stop.h"

namespace tenet::campaign {

/// Keeps the suite short: a prover that is stopped proves nothing, so what
/// takes longer is weaker as a test, never red.
class StopAfter {
 public:
  explicit StopAfter(std::chrono::milliseconds time)
      : watcher_([this, time](const std::stop_token& done) {
          std::unique_lock lock(mutex_);
          if (!wake_.wait_for(lock, done, time, [] { return false; }) && !done.stop_requested()) flag_.request();
        }) {}
  [[nodiscard]] const StopFlag* flag() const { return &flag_; }

 private:
  StopFlag flag_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread watcher_;
};

}  // namespace tenet::campaign
