/// The file by which an operator switches rules while the service runs.
#pragma once

#include <string>
#include <vector>

#include "tenet/monitor/monitor.h"

namespace tenet::monitor {

/// Applies the text to all rules: what it does not mention is on and not silenced. One order a line:
/// `off RULE`, `off *` (everything), `silence RULE UNTIL REASON…` (UNTIL a date, a time in UTC or seconds since 1970).
/// Returns what it does not understand, line by line; sets `enabled` to the global switch.
std::vector<std::string> apply_control(const std::string& text, std::vector<RuleState>& rules, bool& enabled);

}  // namespace tenet::monitor
