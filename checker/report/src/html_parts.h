/// The pieces of the HTML page.
#pragma once

#include <string>
#include <string_view>

#include "tenet/result/result_model.h"

namespace tenet::report {

/// Style sheet and script, to stand inside their elements.
[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view page_script();

/// The run as a message-sequence chart: lifelines, one row a step, an arrow
/// from each send to the step that received it, and beside it what changed.
[[nodiscard]] std::string chart(const result::FileResult& file, const result::Finding& finding);

/// Why it holds: the derived invariants by kind, and every obligation, folded.
[[nodiscard]] std::string proof_section(const result::Proof& proof, bool deterministic);

/// All variables of all hosts; the script makes it follow the chosen step.
[[nodiscard]] std::string state_table(const result::TraceView& trace);

}  // namespace tenet::report
