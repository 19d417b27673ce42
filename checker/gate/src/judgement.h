/// What an outcome amounts to under its policy; shared by the reports.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "tenet/gate/gate.h"

namespace tenet::gate {

/// Items of one kind of reaction, the gravest change first.
[[nodiscard]] std::vector<const Item*> items_with(const Outcome& outcome, Reaction reaction);

/// Why the gate cannot say yes although nothing fails; empty if it can.
[[nodiscard]] std::string nothing_said(const Outcome& outcome);

/// "passed", "failed", "cannot tell".
[[nodiscard]] std::string verdict(const Outcome& outcome);

/// "1 newly-violated and 2 proof-lost"; empty if there are none.
[[nodiscard]] std::string counted(const std::vector<const Item*>& items);

/// "5 protocols and variants touched, 3 as they were".
[[nodiscard]] std::string extent(const Outcome& outcome);

}  // namespace tenet::gate
