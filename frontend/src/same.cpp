// Equality of trees, for edits.
#include <algorithm>

#include "edit_plan.h"

namespace tenet::frontend {

namespace {

using ast::Tree;

template <class List, class Same>
bool same_lists(const List& a, const List& b, Same same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool same_type(const Tree& a, ast::TypeRef x, const Tree& b, ast::TypeRef y) {
  if (!x.valid() || !y.valid()) return x.valid() == y.valid();
  const bool named = a[x].kind == ast::TypeKind::named;
  if (a[x].kind != b[y].kind || (named && a[x].name.text != b[y].name.text)) return false;
  return same_lists(a[x].args, b[y].args, [&](ast::TypeRef s, ast::TypeRef t) { return same_type(a, s, b, t); });
}

bool same_block(const Tree& a, const ast::Block& x, const Tree& b, const ast::Block& y) {
  return same_lists(x.stmts, y.stmts, [&](ast::StmtRef s, ast::StmtRef t) { return same_stmt(a, s, b, t); });
}

bool same_digits(std::string_view x, std::string_view y) {
  const auto plain = [](std::string_view text) {
    std::string digits(text);
    std::erase(digits, '_');
    return digits;
  };
  return plain(x) == plain(y);
}

}  // namespace

bool same_expr(const Tree& a, ast::ExprRef x, const Tree& b, ast::ExprRef y) {
  if (!x.valid() || !y.valid()) return x.valid() == y.valid();
  const ast::Expr& e = a[x];
  const ast::Expr& f = b[y];
  if (e.kind != f.kind || e.op != f.op || e.flag != f.flag) return false;
  const bool number = e.kind == ast::ExprKind::number || e.kind == ast::ExprKind::decimal;
  if (number ? !same_digits(e.name.text, f.name.text) : e.name.text != f.name.text) return false;
  const auto same_args = [&](ast::ExprRef s, ast::ExprRef t) { return same_expr(a, s, b, t); };
  if (!same_lists(e.args, f.args, same_args)) return false;
  return same_lists(e.binders, f.binders, [&](const ast::Binder& s, const ast::Binder& t) {
    return same_type(a, s.type, b, t.type) && same_expr(a, s.domain, b, t.domain) &&
           same_lists(s.names, t.names, [](const ast::Ident& m, const ast::Ident& n) { return m.text == n.text; });
  });
}

bool same_stmt(const Tree& a, ast::StmtRef x, const Tree& b, ast::StmtRef y) {
  const ast::Stmt& s = a[x];
  const ast::Stmt& t = b[y];
  return s.kind == t.kind && s.op == t.op && s.has_else == t.has_else && s.name.text == t.name.text &&
         s.each.text == t.each.text && same_type(a, s.type, b, t.type) && same_expr(a, s.place, b, t.place) &&
         same_expr(a, s.value, b, t.value) && same_expr(a, s.target, b, t.target) &&
         same_lists(s.args, t.args, [&](ast::ExprRef m, ast::ExprRef n) { return same_expr(a, m, b, n); }) &&
         same_block(a, s.then_block, b, t.then_block) && same_block(a, s.else_block, b, t.else_block);
}

}  // namespace tenet::frontend
