/// Checks that an IR protocol is well formed: run between passes.
#pragma once

#include <string>
#include <vector>

#include "tenet/ir/protocol.h"

namespace tenet::ir {

/// Every breach of the rules, in table order; empty if there is none. Checks
/// ids, arities, types of all nodes, that locals are bound where they are
/// read, that `self` and variables occur only where they may, and that
/// expression and statement graphs have no circle. A breach is a bug of the
/// pass that made the protocol, never of the user.
[[nodiscard]] std::vector<std::string> verify_ir(const Protocol& protocol);

}  // namespace tenet::ir
