/// Where reading can go on after a syntax error.
#pragma once

#include "token.h"

namespace tenet::frontend::sync {

/// A declaration of the protocol begins here (`const` and `init` may also be
/// items of a role).
[[nodiscard]] bool starts_declaration(const Token* at);
/// The same without what may also be an item of a role.
[[nodiscard]] bool starts_outer_declaration(const Token* at);
/// An item of a role begins here.
[[nodiscard]] bool starts_item(const Token* at);
/// An edit of a variant begins here (and `in` is no operator).
[[nodiscard]] bool starts_edit(const Token* at);

/// Policies of the lists: where a list ends, and where to go on after an
/// element that began at `begin` and failed at `failed`.
struct Declarations {
  static bool at_end(const Token* at) { return at->kind == Tok::end; }
  static const Token* next(const Token* begin, const Token* failed);
};
struct Items {
  static bool at_end(const Token* at);
  static const Token* next(const Token* begin, const Token* failed);
};
struct Statements {
  static bool at_end(const Token* at);
  static const Token* next(const Token* begin, const Token* failed);
};
struct Edits {
  static bool at_end(const Token* at);
  static const Token* next(const Token* begin, const Token* failed);
};

}  // namespace tenet::frontend::sync
