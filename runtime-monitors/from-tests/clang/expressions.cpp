#include "expressions.h"

#include "clang/AST/ExprCXX.h"

namespace tenet::from_tests {

using llvm::dyn_cast;

const clang::Expr* plain(const clang::Expr* expression) {
  while (expression != nullptr) {
    const clang::Expr* inner = expression->IgnoreParenImpCasts();
    if (const auto* temporary = dyn_cast<clang::MaterializeTemporaryExpr>(inner)) inner = temporary->getSubExpr();
    if (const auto* clean = dyn_cast<clang::ExprWithCleanups>(inner)) inner = clean->getSubExpr();
    if (const auto* bound = dyn_cast<clang::CXXBindTemporaryExpr>(inner)) inner = bound->getSubExpr();
    if (const auto* filled = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(inner)) inner = filled->getReplacement();
    if (inner == expression) return expression;
    expression = inner;
  }
  return expression;
}

const clang::Expr* uncast(const clang::Expr* expression) {
  expression = plain(expression);
  while (expression != nullptr) {
    const auto* cast = dyn_cast<clang::CXXFunctionalCastExpr>(expression);
    if (cast == nullptr) break;
    expression = plain(cast->getSubExpr());
  }
  return expression;
}

}  // namespace tenet::from_tests
