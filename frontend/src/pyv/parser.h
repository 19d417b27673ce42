/// From words to the tree.
#pragma once

#include "ast.h"
#include "tenet/base/diagnostic.h"
#include "tenet/base/source.h"

namespace tenet::frontend::pyv {

/// Reads the whole file; after something that is no declaration it goes on at
/// the next word that begins one. What could not be read is missing in the
/// tree, and there is an error for it.
[[nodiscard]] File parse(const SourceFile& file, Diagnostics& diagnostics);

}  // namespace tenet::frontend::pyv
