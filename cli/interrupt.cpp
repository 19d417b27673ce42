#include "interrupt.h"

#include <atomic>
#include <csignal>

namespace tenet::cli {
namespace {

// A signal handler has no other way to find what to set.
std::atomic<StopFlag*> asked{nullptr};

extern "C" void on_signal(int signal) {
  if (StopFlag* flag = asked.load()) flag->request();
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard(StopFlag& flag) {
  asked.store(&flag);
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  asked.store(nullptr);
}

}  // namespace tenet::cli
