/// What the grammar's parsers share: the arenas being filled, how deep the
/// parse is, and the furthest failure, from which the error message is made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ast.h"
#include "tenet/base/diagnostic.h"
#include "token.h"

namespace tenet::frontend {

class ParseState {
 public:
  ParseState(const SourceFile& file, const TokenList& list, Diagnostics& diagnostics)
      : file_(&file), list_(&list), diagnostics_(&diagnostics) {}

  ast::Tree tree;
  bool variant = false;  ///< variant grammar: `in` at an edit's start is no operator

  // Failures.

  /// Notes that `label` would have been accepted at `at`.
  void expected(const Token* at, std::string_view label, bool word);
  /// A place in `expected_` to go back to; see `relabel`.
  [[nodiscard]] std::size_t mark(const Token* at) const { return at == furthest_ ? expected_.size() : 0; }
  /// A rule that began at `at` failed there: its name stands for all that it
  /// would have accepted.
  void relabel(const Token* at, std::size_t mark, std::string_view label);
  /// Reports the furthest failure; returns its token. Forgets it.
  const Token* report(const Token* fallback);
  /// Reports that a `}` is missing before `at`.
  void report_unclosed(const Token* at);

  /// What lies between was not understood.
  void skipped(const Token* first, const Token* last);

  /// True once nothing more should be parsed.
  [[nodiscard]] bool stopped() const { return stopped_; }
  /// Operators are offered only where nothing else fits; see `report`.
  int quiet = 0;

  // Depth.
  bool enter(const Token* at);
  void leave() { --depth_; }

  // Nodes.
  ast::ExprRef add(ast::Expr expr, const Token* at);
  ast::TypeRef add(ast::Type type, const Token* at);
  ast::StmtRef add(ast::Stmt stmt);
  ast::ExprRef binary(ast::BinaryOp op, ast::ExprRef a, ast::ExprRef b, const Token* at);
  /// `a and b and c` is one node.
  ast::ExprRef chain(ast::ExprKind kind, ast::ExprRef a, ast::ExprRef b, const Token* at);

  [[nodiscard]] const SourceFile& file() const { return *file_; }
  [[nodiscard]] const TokenList& list() const { return *list_; }
  [[nodiscard]] const Token* end() const { return &list_->tokens.back(); }

 private:
  struct Expected {
    std::string_view label;
    bool word;   ///< written just like this
    bool quiet;  ///< only offered if nothing else is
  };

  void stop(const Token* at, std::string message, std::string hint);
  void unclosed_note(Diagnostic& diagnostic, const Token* at);
  [[nodiscard]] std::string expectation() const;
  [[nodiscard]] std::string hint(const Token& found) const;

  const SourceFile* file_;
  const TokenList* list_;
  Diagnostics* diagnostics_;
  const Token* furthest_ = nullptr;
  const Token* given_up_ = nullptr;  ///< a brace already said to be unclosed
  std::vector<Expected> expected_;
  int depth_ = 0;
  int errors_ = 0;
  bool stopped_ = false;
};

}  // namespace tenet::frontend
