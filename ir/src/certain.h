/// Truth while some constants or variables have no value yet.
#pragma once

#include <optional>

#include "evaluate.h"

namespace tenet::ir {

/// True or false if the formula is so whatever the missing values are; else
/// nothing. Knows no more than its parts say: enough to cut an enumeration
/// early. An operand that faults counts as not known.
[[nodiscard]] std::optional<bool> certain(Evaluator& evaluator, ExprId formula);

}  // namespace tenet::ir
