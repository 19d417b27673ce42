/// The edits of a variant, looked for while its protocol is lowered.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "ast.h"
#include "tenet/base/diagnostic.h"
#include "tenet/ir/edit.h"

namespace tenet::frontend {

/// One change of one edit, and what came of it.
struct PlannedChange {
  const ast::Edit* edit = nullptr;
  const ast::Change* change = nullptr;
  int places = 0;                 ///< places of the protocol that the edit names
  int matches = 0;                ///< what the change applied to in them
  std::vector<std::string> near;  ///< what it could have meant, in the words of the protocol
};

struct EditPlan {
  const SourceFile* file = nullptr;  ///< the variant's
  const ast::Tree* tree = nullptr;
  Diagnostics* diagnostics = nullptr;  ///< of the variant's file
  std::vector<PlannedChange> changes;
  std::vector<ir::Edit> edits;  ///< what came of it, in the order found
  /// Names that the protocol has, for hints: "Leader, step propose" …
  std::vector<std::string> places;

  // While a place is being lowered.
  std::vector<PlannedChange*> active;
  std::set<std::uint32_t> conjuncts;  ///< by expression: a conjunct of a guard or an `if`
  bool inside_edit = false;           ///< the edit's own text is not searched
};

/// Whether two pieces are written alike, but for blanks and parentheses.
[[nodiscard]] bool same_expr(const ast::Tree& a, ast::ExprRef x, const ast::Tree& b, ast::ExprRef y);
[[nodiscard]] bool same_stmt(const ast::Tree& a, ast::StmtRef x, const ast::Tree& b, ast::StmtRef y);

/// "Leader, step propose", as a user writes it.
[[nodiscard]] std::string place_text(const ast::Place& place);

}  // namespace tenet::frontend
