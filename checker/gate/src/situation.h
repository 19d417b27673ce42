/// What `run` and `merge` have in common: which commits, policy and plan.
#pragma once

#include <memory>

#include "plan.h"
#include "tenet/gate/gate.h"
#include "tree.h"

namespace tenet::gate {

/// The two commits with everything in them. The plan points into the trees.
struct Situation {
  Tree base, head;
  Plan plan;
  Outcome outcome;  ///< stamp, policy, problems and notes; no units yet
};

/// Errors: those of `run`.
[[nodiscard]] Result<std::unique_ptr<Situation>> situation(const Options& options);

}  // namespace tenet::gate
