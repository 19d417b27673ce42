/// Making changed copies of expressions.
#pragma once

#include "tenet/ir/protocol.h"

namespace tenet::ir {

/// `root` with every occurrence of node `from` replaced by `to`, which is not
/// looked into. Makes new nodes for what changes on the way up; where a
/// literal came in, the logic above it is simplified (`a and true` is `a`).
/// Returns `root` itself if `from` does not occur.
[[nodiscard]] ExprId replaced(Protocol& protocol, ExprId root, ExprId from, ExprId to);

}  // namespace tenet::ir
