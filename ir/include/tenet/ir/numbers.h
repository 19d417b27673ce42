/// Which types have infinitely many values.
#pragma once

#include "tenet/ir/protocol.h"

namespace tenet::ir {

/// Whether there are numbers in values of the type: only an instance makes it finite then.
[[nodiscard]] bool has_numbers(const Protocol& protocol, TypeId type);

}  // namespace tenet::ir
