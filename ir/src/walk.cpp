#include "walk.h"

namespace tenet::ir {

bool same_expr(const Protocol& protocol, ExprId a, ExprId b) {
  if (a == b) return true;
  if (!a.valid() || !b.valid()) return false;
  const Expr& x = protocol[a];
  const Expr& y = protocol[b];
  const bool value_counts = x.op != Op::get;
  if (x.op != y.op || x.type != y.type || x.ref != y.ref || (value_counts && x.value != y.value) ||
      x.binders != y.binders || x.args.size() != y.args.size()) {
    return false;
  }
  for (std::size_t i = 0; i < x.args.size(); ++i) {
    if (!same_expr(protocol, x.args[i], y.args[i])) return false;
  }
  return true;
}

void for_each_expr(const Protocol& protocol, ExprId root, const std::function<void(ExprId)>& visit) {
  if (!root.valid()) return;
  visit(root);
  for (const ExprId arg : protocol[root].args) for_each_expr(protocol, arg, visit);
}

void for_each_stmt(const Protocol& protocol, const std::vector<StmtId>& stmts,
                   const std::function<void(StmtId)>& visit) {
  for (const StmtId id : stmts) {
    visit(id);
    for_each_stmt(protocol, protocol[id].then_branch, visit);
    for_each_stmt(protocol, protocol[id].else_branch, visit);
  }
}

std::vector<ExprId> exprs_of(const Stmt& stmt) {
  std::vector<ExprId> result;
  if (stmt.value.valid()) result.push_back(stmt.value);
  result.insert(result.end(), stmt.args.begin(), stmt.args.end());
  if (stmt.target.valid()) result.push_back(stmt.target);
  return result;
}

}  // namespace tenet::ir
