#include "watchdog.h"

#include <algorithm>
#include <utility>

namespace tenet::smt {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kTick{50};
constexpr std::chrono::milliseconds kRepeat{5};

}  // namespace

Watchdog::Watchdog(std::function<void()> stop) : stop_(std::move(stop)) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    quit_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::arm(Limits limits) {
  {
    const std::lock_guard lock(mutex_);
    limits_ = std::move(limits);
    deadline_ = Clock::now() + limits_.wall_clock;
    fired_ = Cause::none;
    armed_ = true;
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  changed_.notify_all();
}

Cause Watchdog::disarm() {
  const std::lock_guard lock(mutex_);
  armed_ = false;
  return fired_;
}

void Watchdog::wake() noexcept {
  // Taking the lock makes sure that the thread is not between looking and waiting.
  {
    const std::lock_guard lock(mutex_);
  }
  changed_.notify_all();
}

Cause Watchdog::look() const {
  if (limits_.interrupted && limits_.interrupted()) return Cause::interrupted;
  if (limits_.wall_clock.count() > 0 && Clock::now() >= deadline_) return Cause::wall_clock;
  if (limits_.out_of_memory && limits_.out_of_memory()) return Cause::memory;
  return Cause::none;
}

void Watchdog::run() {
  std::unique_lock lock(mutex_);
  while (!quit_) {
    if (!armed_) {
      changed_.wait(lock);
      continue;
    }
    if (fired_ == Cause::none) fired_ = look();
    if (fired_ != Cause::none) {
      stop_();
      changed_.wait_for(lock, kRepeat);
    } else if (limits_.out_of_memory || limits_.polled) {
      changed_.wait_for(lock, kTick);
    } else if (limits_.wall_clock.count() > 0) {
      changed_.wait_until(lock, deadline_);
    } else {
      changed_.wait(lock);
    }
  }
}

}  // namespace tenet::smt
