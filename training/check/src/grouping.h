// Violations to groups: which have one cause, and which of them is it.
#pragma once

#include <string>
#include <vector>

#include "tenet/training/check.h"

namespace tenet::training {

// One sentence: where, what was found, what is the rule.
[[nodiscard]] std::string message_of(const Invariant& invariant, const Violation& violation);

// Ranked, the most likely root first; inside a group as well.
[[nodiscard]] std::vector<Group> group_violations(const std::vector<Violation>& violations, const InvariantSet& set);

}  // namespace tenet::training
