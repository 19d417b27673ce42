/// Counters as Prometheus text and as a sentence.
#pragma once

#include <string>
#include <vector>

#include "tenet/monitor/monitor.h"

namespace tenet::monitor {

/// `up`: the checker takes events, or will: it was neither stopped nor has it crashed.
std::string prometheus(const Rules& rules, const std::vector<RuleState>& states, const Summary& summary, bool enabled,
                       bool up);

}  // namespace tenet::monitor
