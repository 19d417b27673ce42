/// What the command lines of systems say, and what they wait for.
#pragma once

#include "tenet/monitor/monitor.h"
#include "tenet/system/load.h"

namespace tenet::system {

/// Says whether what the clients saw is linearizable. The exit status: 1 if it is not or something was not answered, 2
/// if it was not decided.
[[nodiscard]] int say_judgement(const Report& report);

/// Checks what is left, says what the monitor has found and ends it. Its exit status.
[[nodiscard]] int conclude(tenet::monitor::Monitor& monitor);

/// Keeps SIGTERM and SIGINT for `wait_for_signal`: from all threads that are begun later.
void block_signals();
void wait_for_signal();

}  // namespace tenet::system
