/// Runs the body of one step: statements take effect in order.
#pragma once

#include "evaluate.h"

namespace tenet::ir {

/// A run came to a `choose` for which the action has no value.
struct NeedsChoice {
  LocalId local;
};

/// What a run of a step may come to.
using Ran = std::variant<Happened, Disabled, CutAtBound, Fault, NeedsChoice>;

/// Tries `action` in `state`. Choices beyond those the step makes leave it
/// disabled. `context` supplies protocol, instance, domains and constants.
[[nodiscard]] Ran run_action(const Context& context, const State& state, const Action& action);

}  // namespace tenet::ir
