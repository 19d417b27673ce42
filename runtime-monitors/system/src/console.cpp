#include "tenet/system/console.h"

#include <fmt/format.h>
#include <signal.h>

#include "tenet/system/history.h"

namespace tenet::system {

namespace {

sigset_t ending_signals() {
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGTERM);
  sigaddset(&both, SIGINT);
  return both;
}

}  // namespace

int say_judgement(const Report& report) {
  const Judgement judgement = judge(report.history);
  fmt::print("{}\n", !judgement.decided       ? "not decided whether it is linearizable: " + judgement.because
                     : judgement.linearizable ? "linearizable"
                                              : "not linearizable: " + judgement.key + ": " + judgement.because);
  if (!judgement.linearizable || report.unanswered > 0) return 1;
  return judgement.decided ? 0 : 2;
}

int conclude(tenet::monitor::Monitor& monitor) {
  (void)monitor.flush(60'000);
  const tenet::monitor::Summary summary = monitor.summary();
  fmt::print("monitor: {}\n", to_text(summary));
  for (const auto& rule : monitor.rules()) {
    if (rule.count.violated > 0) fmt::print("violated: {}\n", rule.info.name);
  }
  monitor.stop();
  return summary.exit_status();
}

void block_signals() {
  const sigset_t both = ending_signals();
  sigprocmask(SIG_BLOCK, &both, nullptr);
}

void wait_for_signal() {
  const sigset_t both = ending_signals();
  int got = 0;
  (void)sigwait(&both, &got);
}

}  // namespace tenet::system
