#include "tenet/ir/footprint.h"

#include <algorithm>

#include "walk.h"

namespace tenet::ir {

bool Footprint::meets(const Footprint& other) const {
  const auto common = [](const auto& a, const auto& b) {
    return std::any_of(a.begin(), a.end(), [&](auto x) { return b.contains(x); });
  };
  return common(variables, other.variables) || common(messages, other.messages);
}

void Footprint::join(const Footprint& other) {
  variables.insert(other.variables.begin(), other.variables.end());
  messages.insert(other.messages.begin(), other.messages.end());
  two_states = two_states || other.two_states;
}

Footprint read_by(const Protocol& protocol, ExprId expr) {
  Footprint result;
  if (!expr.valid()) return result;
  for_each_expr(protocol, expr, [&](ExprId id) {
    const Expr& node = protocol[id];
    if (node.op == Op::state_var) result.variables.insert(VarId(node.ref));
    if (node.op == Op::sent) result.messages.insert(MessageId(node.ref));
    if (node.op == Op::old) result.two_states = true;
  });
  return result;
}

std::set<MessageId> sent_by(const Protocol& protocol, StepId step) {
  std::set<MessageId> result;
  for_each_stmt(protocol, protocol[step].body, [&](StmtId id) {
    if (protocol[id].kind == StmtKind::send) result.insert(protocol[id].message);
  });
  return result;
}

Footprint changed_by(const Protocol& protocol, StepId step) {
  Footprint result;
  result.messages = sent_by(protocol, step);
  for_each_stmt(protocol, protocol[step].body, [&](StmtId id) {
    if (protocol[id].kind == StmtKind::assign) result.variables.insert(protocol[id].var);
  });
  const auto& receive = protocol[step].receive;
  if (receive && protocol[receive->message].delivery != Delivery::any) result.messages.insert(receive->message);
  return result;
}

}  // namespace tenet::ir
