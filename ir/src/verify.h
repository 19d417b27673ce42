/// The parts of the IR verifier. Each appends what it finds; a later part may
/// rely on what the earlier ones checked, so they run only if nothing was
/// found yet.
#pragma once

#include <string>
#include <vector>

#include "tenet/ir/protocol.h"

namespace tenet::ir {

using Breaches = std::vector<std::string>;

/// Types, declarations and their names; ids that they hold.
void verify_declarations(const Protocol& protocol, Breaches& breaches);
/// Ids, arities and depth of expressions and statements; no circles.
void verify_shape(const Protocol& protocol, Breaches& breaches);
/// Types of expressions, statements and patterns.
void verify_types(const Protocol& protocol, Breaches& breaches);
/// Where locals, `self`, variables, `old` and `sent` may occur.
void verify_scopes(const Protocol& protocol, Breaches& breaches);

/// Empty if the node's type follows from its arguments' types.
[[nodiscard]] std::string type_problem(const Protocol& protocol, const Expr& expr);

}  // namespace tenet::ir
