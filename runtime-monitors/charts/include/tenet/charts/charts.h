/// What monitors and the validator found, in the result model: so the report writers show it, runs as message-sequence
/// charts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/base/source.h"
#include "tenet/ir/protocol.h"
#include "tenet/result/result_model.h"
#include "tenet/validate/validate.h"

namespace tenet::charts {

/// Of `tenet monitor validate`: each obstacle with the run before it, if the report has that (`Options::executions`).
[[nodiscard]] result::RunResult of_validation(const ir::Protocol& protocol, std::shared_ptr<const SourceFile> source,
                                              const validate::Report& report);

/// The findings of running monitors, JSON Lines (docs/monitors.md), one file each: every finding with the events that
/// led to it, in an order that each host's order and the names of messages allow. A last line that is cut is left out.
/// Errors: `io`, `bad_input` with file and line.
[[nodiscard]] Result<result::RunResult> of_findings(const std::vector<std::string>& files);

}  // namespace tenet::charts
