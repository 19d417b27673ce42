/// Ctrl-C asks for a clean stop; a second one ends the program.
#pragma once

#include "tenet/base/stop.h"

namespace tenet::cli {

/// While it lives, SIGINT and SIGTERM set the flag. One at a time. Work that
/// does not look at the flag (one formula with more values than can be tried)
/// gets kGraceSeconds; then the program says so and ends with status 2.
class InterruptGuard {
 public:
  static constexpr unsigned kGraceSeconds = 10;

  explicit InterruptGuard(StopFlag& flag);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// The work has come to its end, stopped or not: nothing ends the program any
/// more while it reports, but a new signal.
void work_is_done();

}  // namespace tenet::cli
