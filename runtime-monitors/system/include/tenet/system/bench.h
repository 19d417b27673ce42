/// What watching costs: the processor time of an operation, with and without a monitor.
#pragma once

#include <cstdint>

#include "tenet/system/cluster.h"

namespace tenet::system {

/// Measures `load` with the monitor off, off again (the control), off beside a process that takes as much of a
/// processor as the checker does, on, and on for one run in 16 and in 64, `rounds` times each (at least two), in a
/// random order within a round, and compares each with `off` of the same round: processor time in a closed loop, and
/// the 99th percentile of the latency in an open one at 60 % of the rate that was reached with the monitor off. Prints
/// a Markdown table of medians and mean differences with their 95 % intervals (Student's t); what is not told apart
/// from the control is said to be below a bound. The exit status: 0, or 4 if something could not be measured.
[[nodiscard]] int bench(System& system, const Setup& setup, const Load& load, std::uint64_t rounds);

}  // namespace tenet::system
