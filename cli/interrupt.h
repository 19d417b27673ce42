/// Ctrl-C asks for a clean stop; a second one ends the program.
#pragma once

#include "tenet/base/stop.h"

namespace tenet::cli {

/// While it lives, SIGINT and SIGTERM set the flag. One at a time.
class InterruptGuard {
 public:
  explicit InterruptGuard(StopFlag& flag);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

}  // namespace tenet::cli
