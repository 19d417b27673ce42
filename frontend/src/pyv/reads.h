/// What formulas read of the states.
#pragma once

#include "program.h"

namespace tenet::frontend::pyv {

/// Names that stand free in `expr`, in the order in which they first occur.
[[nodiscard]] std::vector<Name> free_names(const Expr& expr);

/// Definitions, callees before callers; `circular` gets one definition of each
/// circle.
[[nodiscard]] std::vector<std::size_t> call_order(const Program& program, std::vector<std::size_t>& circular);

}  // namespace tenet::frontend::pyv
