#include "rewrite.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tenet::ir {

namespace {

class Rewriter {
 public:
  Rewriter(Protocol& protocol, ExprId from, ExprId to) : p_(protocol) { done_[from] = to; }

  ExprId rewrite(ExprId id);

 private:
  bool literal(ExprId id, bool value) const {
    const Expr& e = p_[id];
    return e.op == Op::bool_literal && (e.value != 0) == value;
  }
  ExprId boolean(bool value, const Expr& like) {
    Expr e;
    e.type = like.type;
    e.value = value ? 1 : 0;
    e.span = like.span;
    return p_.add(std::move(e));
  }
  ExprId simplified(Expr e);
  ExprId chain(Expr e);

  Protocol& p_;
  std::map<ExprId, ExprId> done_;
};

/// `and`, `or`: operands that do not count are dropped; one may decide.
ExprId Rewriter::chain(Expr e) {
  const bool neutral = e.op == Op::and_;
  const bool decided = std::any_of(e.args.begin(), e.args.end(), [&](ExprId a) { return literal(a, !neutral); });
  if (decided) return boolean(!neutral, e);
  std::erase_if(e.args, [&](ExprId a) { return literal(a, neutral); });
  if (e.args.empty()) return boolean(neutral, e);
  if (e.args.size() == 1) return e.args.front();
  return p_.add(std::move(e));
}

ExprId Rewriter::simplified(Expr e) {
  const auto is = [&](std::size_t i, bool value) { return literal(e.args[i], value); };
  switch (e.op) {
    case Op::and_:
    case Op::or_:
      return chain(std::move(e));
    case Op::not_:
      if (is(0, true) || is(0, false)) return boolean(is(0, false), e);
      break;
    case Op::implies:
      if (is(0, false) || is(1, true)) return boolean(true, e);
      if (is(0, true)) return e.args[1];
      break;
    case Op::ite:
      if (is(0, true)) return e.args[1];
      if (is(0, false)) return e.args[2];
      break;
    default:
      break;
  }
  return p_.add(std::move(e));
}

ExprId Rewriter::rewrite(ExprId id) {
  if (!id.valid()) return id;
  if (const auto known = done_.find(id); known != done_.end()) return known->second;
  Expr copy = p_[id];
  bool changed = false;
  for (ExprId& arg : copy.args) {
    const ExprId now = rewrite(arg);
    changed |= now != arg;
    arg = now;
  }
  const ExprId result = changed ? simplified(std::move(copy)) : id;
  done_[id] = result;
  return result;
}

}  // namespace

ExprId replaced(Protocol& protocol, ExprId root, ExprId from, ExprId to) {
  return Rewriter(protocol, from, to).rewrite(root);
}

}  // namespace tenet::ir
