/// Files in mypyvy's language.
#pragma once

#include "tenet/frontend/frontend.h"

namespace tenet::frontend::pyv {

/// Parses, checks and lowers. Never throws.
[[nodiscard]] Loaded load(const SourceFile& file);

}  // namespace tenet::frontend::pyv
