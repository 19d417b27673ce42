/// Asking long work to stop: Ctrl-C, a deadline, or a caller's decision.
#pragma once

#include <atomic>

namespace tenet {

/// Set from any thread or from a signal handler; polled by long work.
class StopFlag {
 public:
  void request() noexcept { requested_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool requested() const noexcept { return requested_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_{false};
  static_assert(std::atomic<bool>::is_always_lock_free);
};

}  // namespace tenet
