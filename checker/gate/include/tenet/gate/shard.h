/// Which part of the work one process does.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "tenet/base/result.h"

namespace tenet::gate {

/// Part `index` of `count`; from 1. 1 of 1 is everything.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;

  /// Whether the piece of work at `position` (from 0) is in this part.
  [[nodiscard]] bool takes(std::size_t position) const { return position % count == index - 1; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// The value of an environment variable; empty if it is not set.
using Environment = std::function<std::string(const std::string&)>;

/// "2/5", or "auto" or "auto/5": from the environment of a job that an engine
/// started: `CI_NODE_INDEX` and `CI_NODE_TOTAL` (GitLab, from 1),
/// `SLURM_ARRAY_TASK_ID`, `_MIN`, `_COUNT` and `_STEP`, or
/// `JOB_COMPLETION_INDEX` (Kubernetes, from 0, which does not say of how many:
/// "auto/5" does). Errors: `bad_input`: no such thing, the engine is not there
/// or more than one is, or the numbers do not fit one another.
[[nodiscard]] Result<Shard> read_shard(const std::string& text, const Environment& environment);

}  // namespace tenet::gate
