#include "tenet/training/follow.h"

#include <chrono>
#include <thread>

#include "tenet/training/trace_follow.h"

namespace tenet::training {

Result<CheckResult> follow_and_check(const std::string& path, const InvariantSet& invariants,
                                     const CheckOptions& options, double wait_seconds, const StopFlag& stop) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPause = std::chrono::milliseconds(50);
  Vocabulary vocabulary;
  Checker checker(vocabulary, invariants, options);
  TraceFollower follower(path, vocabulary);
  auto last_record = Clock::now();
  while (!stop.requested()) {
    if (follower.poll([&](const Record& record) { checker.feed(record); }) > 0) {
      last_record = Clock::now();
      continue;
    }
    if (follower.finished()) break;
    if (wait_seconds > 0 && Clock::now() - last_record > std::chrono::duration<double>(wait_seconds)) break;
    std::this_thread::sleep_for(kPause);
  }
  CheckResult result = checker.finish();
  for (const std::string& problem : follower.report().problems) result.problems.push_back(problem);
  return result;
}

}  // namespace tenet::training
