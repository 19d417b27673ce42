/// From text to tree. No meaning yet: names and types come later.
#pragma once

#include "ast.h"
#include "tenet/base/diagnostic.h"
#include "tenet/base/source.h"
#include "token.h"

namespace tenet::frontend {

/// A parsed file. With errors in `diagnostics` the tree holds what could be
/// recovered. Views point into the source file.
struct Parsed {
  TokenList tokens;
  ast::Tree tree;
};

enum class Grammar { protocol, variant };

/// Parses the whole file by the given start rule; syntax errors, several if
/// there are several, go to `diagnostics`.
[[nodiscard]] Parsed parse(const SourceFile& file, Grammar grammar, Diagnostics& diagnostics);

}  // namespace tenet::frontend
