/// Counters as Prometheus text and as a sentence.
#pragma once

#include <string>
#include <vector>

#include "tenet/monitor/monitor.h"

namespace tenet::monitor {

std::string prometheus(const Rules& rules, const std::vector<RuleState>& states, const Summary& summary, bool enabled);

}  // namespace tenet::monitor
