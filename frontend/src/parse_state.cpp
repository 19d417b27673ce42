#include "parse_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tenet/base/utf8.h"
#include "tenet/frontend/frontend.h"

namespace tenet::frontend {

namespace {

/// More nodes than any readable protocol: a hostile file must not fill memory.
constexpr std::size_t kMaxNodes = 1u << 18;
/// After so many syntax errors the rest of the file is not worth reading.
constexpr int kMaxErrors = 50;

std::string quoted(const Token& token) {
  if (token.kind == Tok::end) return "end of the file";
  const CodePoint first = decode_utf8(token.text);
  if (first.size == token.text.size() && is_invisible(first.value)) return fmt::format("U+{:04X}", first.value);
  constexpr std::size_t kLongest = 40;
  if (token.text.size() > kLongest) return fmt::format("'{}…'", token.text.substr(0, kLongest));
  return fmt::format("'{}'", token.text);
}

}  // namespace

void ParseState::expected(const Token* at, std::string_view label, bool word) {
  if (stopped_ || at < furthest_) return;
  if (at > furthest_) {
    furthest_ = at;
    expected_.clear();
  }
  expected_.push_back({label, word, quiet > 0});
}

void ParseState::relabel(const Token* at, std::size_t mark, std::string_view label) {
  if (stopped_ || furthest_ != at || expected_.size() <= mark) return;
  expected_.resize(mark);
  expected_.push_back({label, false, quiet > 0});
}

std::string ParseState::expectation() const {
  const bool loud = std::any_of(expected_.begin(), expected_.end(), [](const Expected& e) { return !e.quiet; });
  std::vector<std::string> names;
  for (const Expected& e : expected_) {
    if (loud && e.quiet) continue;
    std::string name = e.word ? fmt::format("'{}'", e.label) : std::string(e.label);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

std::string ParseState::hint(const Token& found) const {
  const auto wants = [&](std::string_view label) {
    return std::any_of(expected_.begin(), expected_.end(), [&](const Expected& e) { return e.label == label; });
  };
  if (found.text == "&&" || found.text == "&") return "write 'and'";
  if (found.text == "!" || found.text == "~") return "write 'not'";
  if (found.text == "\u2264") return "write '<='";
  if (found.text == "\u2265") return "write '>='";
  if (found.text == "\u2260") return "write '!='";
  if (found.text == "\u2208") return "write 'in'";
  if (found.text.substr(0, 1) == "\"" || found.text.substr(0, 1) == "'")
    return "the language has no texts; use an enum";
  if (found.kind == Tok::bad && found.text.substr(0, 1) == "_") return "names begin with a letter";
  if (found.kind == Tok::bar && (&found)[1].kind == Tok::bar && wants("an operator")) return "write 'or'";
  if (found.kind == Tok::assign && wants("an operator")) return "'==' compares, '=' assigns";
  if (found.kind >= Tok::eq && found.kind <= Tok::ge && wants("an operator")) {
    return "comparisons do not chain: join two with 'and'";
  }
  if (is_reserved(found.kind) && wants("a name")) {
    return fmt::format("'{}' is a word of the language and cannot be a name", found.text);
  }
  if (is_name(found.kind)) {
    std::vector<std::string> words;
    for (const Expected& e : expected_) {
      if (e.word) words.emplace_back(e.label);
    }
    if (std::string word = did_you_mean(found.text, words); !word.empty() && word != found.text) {
      return fmt::format("did you mean '{}'?", word);
    }
  }
  return {};
}

const Token* ParseState::report(const Token* fallback) {
  const Token* at = furthest_ != nullptr ? furthest_ : fallback;
  if (!stopped_) {
    std::string text = expectation();
    std::string message = fmt::format("unexpected {}", quoted(*at));
    if (!text.empty()) message += fmt::format(", expected {}", text);
    // The end of the file is shown at the last thing written.
    const bool at_end = at->kind == Tok::end;
    const Span span = at_end && at != list_->tokens.data() ? (at - 1)->span : at->span;
    Diagnostic& diagnostic = diagnostics_->error("syntax-error", span, std::move(message), hint(*at));
    if (at_end) unclosed_note(diagnostic, at);
    if (++errors_ >= kMaxErrors) stopped_ = true;
  }
  furthest_ = nullptr;
  expected_.clear();
  return at;
}

void ParseState::unclosed_note(Diagnostic& diagnostic, const Token* at) {
  std::vector<const Token*> open;
  for (const Token* token = list_->tokens.data(); token < at; ++token) {
    if (token->kind == Tok::lbrace && token != given_up_) open.push_back(token);
    if (token->kind == Tok::rbrace && !open.empty()) open.pop_back();
  }
  if (open.empty()) return;
  diagnostic.notes.push_back({open.back()->span, "this '{' is not closed"});
  given_up_ = open.back();
}

void ParseState::report_unclosed(const Token* at) {
  if (stopped_) return;
  Diagnostic& diagnostic =
      diagnostics_->error("syntax-error", at->span, fmt::format("unexpected {}, expected '}}' before it", quoted(*at)));
  unclosed_note(diagnostic, at);
  if (++errors_ >= kMaxErrors) stopped_ = true;
  furthest_ = nullptr;
  expected_.clear();
}

void ParseState::skipped(const Token* first, const Token* last) {
  for (const Token* token = first; token < last; ++token) {
    if (is_name(token->kind)) tree.unread.insert(token->text);
  }
}

void ParseState::stop(const Token* at, std::string message, std::string hint) {
  if (stopped_) return;
  diagnostics_->error("nested-too-deeply", at->span, std::move(message), std::move(hint));
  stopped_ = true;
}

bool ParseState::enter(const Token* at) {
  if (depth_ >= kMaxNesting) {
    stop(at, fmt::format("nested too deeply: at most {} levels are read", kMaxNesting), "name parts of it with 'let'");
    return false;
  }
  ++depth_;
  return true;
}

ast::ExprRef ParseState::add(ast::Expr expr, const Token* at) {
  std::uint32_t height = 0;
  for (const ast::ExprRef arg : expr.args) {
    if (arg.valid()) height = std::max(height, tree[arg].height);
  }
  for (const ast::Binder& binder : expr.binders) {
    if (binder.domain.valid()) height = std::max(height, tree[binder.domain].height);
  }
  expr.height = height + 1;
  if (expr.height > static_cast<std::uint32_t>(kMaxNesting)) {
    stop(at, fmt::format("nested too deeply: at most {} levels are read", kMaxNesting), "name parts of it with 'let'");
  }
  if (tree.exprs.size() >= kMaxNodes && !stopped_) {
    diagnostics_->error("file-too-complex", at->span,
                        fmt::format("more than {} expressions in one file: this is no protocol", kMaxNodes));
    stopped_ = true;
  }
  tree.exprs.push_back(std::move(expr));
  return {static_cast<std::uint32_t>(tree.exprs.size() - 1)};
}

ast::TypeRef ParseState::add(ast::Type type, const Token* at) {
  for (const ast::TypeRef arg : type.args) type.height = std::max(type.height, tree[arg].height + 1);
  if (type.height > static_cast<std::uint32_t>(kMaxNesting)) {
    stop(at, fmt::format("nested too deeply: at most {} levels are read", kMaxNesting), "");
  }
  tree.types.push_back(std::move(type));
  return {static_cast<std::uint32_t>(tree.types.size() - 1)};
}

ast::StmtRef ParseState::add(ast::Stmt stmt) {
  tree.stmts.push_back(std::move(stmt));
  return {static_cast<std::uint32_t>(tree.stmts.size() - 1)};
}

ast::ExprRef ParseState::binary(ast::BinaryOp op, ast::ExprRef a, ast::ExprRef b, const Token* at) {
  ast::Expr expr;
  expr.kind = ast::ExprKind::binary;
  expr.op = op;
  expr.span = {tree[a].span.begin, tree[b].span.end};
  expr.args = {a, b};
  return add(std::move(expr), at);
}

ast::ExprRef ParseState::chain(ast::ExprKind kind, ast::ExprRef a, ast::ExprRef b, const Token* at) {
  ast::Expr& first = tree.exprs[a.index];
  if (first.kind == kind && !first.parenthesised) {
    // The node was made by this very chain: no one else refers to it.
    const std::uint32_t height = std::max(first.height, tree[b].height + 1);
    first.args.push_back(b);
    first.span.end = tree[b].span.end;
    first.height = height;
    return a;
  }
  ast::Expr expr;
  expr.kind = kind;
  expr.span = {first.span.begin, tree[b].span.end};
  expr.args = {a, b};
  return add(std::move(expr), at);
}

}  // namespace tenet::frontend
