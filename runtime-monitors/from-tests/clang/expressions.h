/// What the compiler puts around an expression, taken off.
#pragma once

#include "clang/AST/Expr.h"

namespace tenet::from_tests {

/// Without parentheses, implicit casts, temporaries and what stands for a
/// template's parameter. Null for null.
[[nodiscard]] const clang::Expr* plain(const clang::Expr* expression);

/// Also without casts that are written as calls: `int(x)`, `Slice(x)`.
[[nodiscard]] const clang::Expr* uncast(const clang::Expr* expression);

}  // namespace tenet::from_tests
