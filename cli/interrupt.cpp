#include "interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

namespace tenet::cli {
namespace {

// A signal handler has no other way to find what to set.
std::atomic<StopFlag*> asked{nullptr};

// Handlers call only what POSIX lets them (signal-safety(7)).
extern "C" void on_signal(int signal) {
  if (StopFlag* flag = asked.load()) flag->request();
  std::signal(signal, SIG_DFL);
  ::alarm(InterruptGuard::kGraceSeconds);
}

extern "C" void on_alarm(int /*signal*/) {
  constexpr std::string_view kMessage =
      "\ntenet: interrupted in a computation that could not be left: there is no report\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(2);
}

}  // namespace

InterruptGuard::InterruptGuard(StopFlag& flag) {
  asked.store(&flag);
  std::signal(SIGALRM, on_alarm);
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  work_is_done();
  asked.store(nullptr);
}

void work_is_done() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  ::alarm(0);
}

}  // namespace tenet::cli
