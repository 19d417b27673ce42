/// Checking a run while it is written, from beside the job.
#pragma once

#include <string>

#include "tenet/base/result.h"
#include "tenet/base/stop.h"
#include "tenet/training/check.h"

namespace tenet::training {

/// Follows the run in `path` until every trace in it is closed, `stop` is requested, or (if `wait_seconds` > 0) nothing
/// has been written for so long. `options.on_violation` is called as violations are found.
[[nodiscard]] Result<CheckResult> follow_and_check(const std::string& path, const InvariantSet& invariants,
                                                   const CheckOptions& options, double wait_seconds,
                                                   const StopFlag& stop);

}  // namespace tenet::training
