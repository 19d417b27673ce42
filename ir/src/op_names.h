/// The name of every operation, as in IR text and JSON.
#pragma once

#include <optional>
#include <string_view>

#include "tenet/ir/expr.h"

namespace tenet::ir {

[[nodiscard]] std::string_view op_name(Op op);
[[nodiscard]] std::optional<Op> op_of(std::string_view name);

}  // namespace tenet::ir
