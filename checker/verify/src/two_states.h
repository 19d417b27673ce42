/// Claims that are not inductive, shown as two states and the step between them.
#pragma once

#include <optional>

#include "exploration.h"
#include "tenet/induct/induct.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/result/result_model.h"
#include "tenet/verify/verify.h"

namespace tenet::verify {

/// A trace that begins where no run needs to come.
inline constexpr const char* kUnreachableStart = "unreachable-start";

/// Puts the trace, which begins in no initial state, into the finding, and why
/// it matters to `property` (unless invalid).
void show_unreachable(result::Finding& finding, const ir::Protocol& protocol, const ir::Instance& instance,
                      const ir::Trace& trace, ir::PropertyId property);

/// The two states of a counterexample, or the one of a claim that fails at the start.
void show_counterexample(result::Finding& finding, const ir::Protocol& protocol, const induct::Counterexample& shown,
                         ir::PropertyId property);

/// A note for each of `open` that some step of a small instance does not keep,
/// though all claims of the text hold before.
[[nodiscard]] std::vector<result::Finding> not_inductive(const Runner& runner, const Options& options,
                                                         const ir::Protocol& protocol,
                                                         const std::vector<ir::PropertyId>& open);

}  // namespace tenet::verify
