// Sets, maps, functions, quantifiers, and what speaks of other states.
#include <fmt/format.h>

#include "lowering.h"

namespace tenet::frontend {

using ast::BinaryOp;
using ir::TypeKind;

Lowering::ExprId Lowering::set_literal(const ast::Expr& e, TypeId hint) {
  const TypeId set = wanted(hint, TypeKind::set);
  if (e.args.empty()) {
    if (set.valid()) return make(e.span).set_literal(set, {});
    if (const TypeId map = wanted(hint, TypeKind::map); map.valid()) {
      ir::Expr empty;
      empty.op = Op::empty_map;
      empty.type = map;
      empty.span = where(e.span);
      return p_.add(std::move(empty));
    }
    if (hint.valid()) {
      report("type-mismatch", e.span, fmt::format("found '{{}}', expected {}", type_name(hint)),
             "'{}' is an empty set or map");
      return {};
    }
    return need_type(e.span, "'{}'", "compare it with, or assign it to, something that has a type");
  }
  TypeId element = set.valid() ? shape(set).first : TypeId{};
  std::vector<ExprId> elements;
  bool ok = true;
  for (const ast::ExprRef arg : e.args) {
    const ExprId id = element.valid() ? check(arg, element) : infer(arg);
    ok = ok && id.valid();
    if (id.valid() && !element.valid()) element = p_[id].type;
    elements.push_back(id);
  }
  return ok ? make(e.span).set_literal(p_.types.set(element), std::move(elements)) : ExprId{};
}

Lowering::ExprId Lowering::all(const ast::Expr& e, TypeId hint) {
  if (!e.name.empty()) {
    const Symbol* symbol = symbols_.find(e.name.text);
    if (symbol == nullptr) {
      unknown(e.name, "role", names_of(SymbolKind::role), "unknown-role");
      return {};
    }
    if (symbol->kind != SymbolKind::role) {
      report("unknown-role", e.name.span, fmt::format("'{}' is {}, not a role", e.name.text, describe(symbol->kind)));
      return {};
    }
    return make(e.span).all_hosts(ir::RoleId(symbol->index));
  }
  const TypeId set = wanted(hint, TypeKind::set);
  if (set.valid() && is(shape(set).first, TypeKind::host)) {
    return make(e.span).all_hosts(ir::RoleId(shape(shape(set).first).declaration));
  }
  if (hint.valid()) {
    report("type-mismatch", e.span, fmt::format("found 'all', expected {}", type_name(hint)),
           "'all' is the set of all hosts of a role");
    return {};
  }
  return need_type(e.span, "'all'", "name the role, as in 'all Acceptor'");
}

Lowering::TypeId Lowering::element_of(ExprId set, Span span) {
  const ir::Type t = shape(p_[set].type);
  if (t.kind == TypeKind::set) return t.first;
  if (t.kind == TypeKind::option && shape(t.first).kind == TypeKind::set) {
    may_be_none(set, span);
  } else {
    report("type-mismatch", span, fmt::format("found {}, expected a set", type_name(p_[set].type)));
  }
  return {};
}

Lowering::ExprId Lowering::membership(const ast::Expr& e) {
  ExprId element;
  ExprId whole;
  if (needs_context(e.args[1])) {
    element = infer(e.args[0]);
    if (!element.valid()) return {};
    whole = check(e.args[1], p_.types.set(p_[element].type));
  } else {
    whole = infer(e.args[1]);
    if (!whole.valid()) {
      if (!needs_context(e.args[0])) infer(e.args[0]);
      return {};
    }
    const bool map = is(p_[whole].type, TypeKind::map);
    const TypeId type = map ? shape(p_[whole].type).first : element_of(whole, at(e.args[1]).span);
    if (type.valid()) element = check(e.args[0], type);
  }
  if (!element.valid() || !whole.valid()) return {};
  ir::Builder& b = make(e.span);
  const bool map = is(p_[whole].type, TypeKind::map);
  const ExprId found = map ? b.binary(Op::map_has, whole, element) : b.binary(Op::contains, element, whole);
  return e.op == BinaryOp::not_in ? b.negate(found) : found;
}

Lowering::ExprId Lowering::set_operation(const ast::Expr& e, TypeId hint) {
  ExprId a;
  ExprId b;
  if (!operands(e, e.op == BinaryOp::subset ? TypeId{} : wanted(hint, TypeKind::set), a, b)) return {};
  const bool left = element_of(a, at(e.args[0]).span).valid();
  const bool right = element_of(b, at(e.args[1]).span).valid();
  if (!left || !right) return {};
  if (p_[a].type != p_[b].type) {
    report("type-mismatch", e.span,
           fmt::format("these sets differ: one is {}, the other {}", type_name(p_[a].type), type_name(p_[b].type)));
    return {};
  }
  Op op = Op::subset;
  if (e.op == BinaryOp::set_union) op = Op::set_union;
  if (e.op == BinaryOp::set_difference) op = Op::set_difference;
  if (e.op == BinaryOp::set_intersection) op = Op::set_intersection;
  return make(e.span).binary(op, a, b);
}

Lowering::ExprId Lowering::cardinality(const ast::Expr& e) {
  const ast::Expr& operand = at(e.args[0]);
  if (operand.kind == ExprKind::name && find_local(operand.name.text) == nullptr) {
    const Symbol* symbol = symbols_.find(operand.name.text);
    if (symbol != nullptr && symbol->kind == SymbolKind::role) {
      const ExprId size = make(e.span).role_size(ir::RoleId(symbol->index));
      return size;
    }
  }
  const ExprId set = infer(e.args[0]);
  if (!set.valid() || !element_of(set, operand.span).valid()) return {};
  return make(e.span).unary(Op::cardinality, set);
}

Lowering::ExprId Lowering::majority(const ast::Expr& e) {
  const ExprId set = infer(e.args[0]);
  if (!set.valid()) return {};
  const TypeId element = element_of(set, at(e.args[0]).span);
  if (!element.valid()) return {};
  if (!is(element, TypeKind::host)) {
    report("type-mismatch", at(e.args[0]).span,
           fmt::format("'majority' is about sets of hosts, and this is {}", type_name(p_[set].type)),
           "compare its size, as in '2 * |s| > n'");
    return {};
  }
  return make(e.span).unary(Op::majority, set);
}

Lowering::ExprId Lowering::keys(const ast::Expr& e) {
  const ExprId map = infer(e.args[0]);
  if (!map.valid()) return {};
  if (!is(p_[map].type, TypeKind::map)) {
    report("type-mismatch", at(e.args[0]).span, fmt::format("found {}, expected a map", type_name(p_[map].type)));
    return {};
  }
  return make(e.span).unary(Op::map_keys, map);
}

Lowering::Range Lowering::range_of(const ast::Binder& binder) {
  if (binder.type.valid()) return {type(binder.type), {}};
  const ExprId domain = infer(binder.domain);
  return {domain.valid() ? element_of(domain, at(binder.domain).span) : TypeId{}, domain};
}

bool Lowering::bind_groups(const ast::Expr& e, std::vector<BinderGroup>& groups) {
  bool ok = true;
  for (const ast::Binder& binder : e.binders) {
    const auto [element, domain] = range_of(binder);
    ok = ok && element.valid();
    for (const ast::Ident& name : binder.names) {
      const LocalId id = bind(name, element);
      // Typed binders side by side are one quantifier; a domain has its own.
      if (groups.empty() || domain.valid() || groups.back().domain.valid()) groups.push_back({{}, domain});
      groups.back().binders.push_back(id);
    }
  }
  return ok;
}

Lowering::ExprId Lowering::quantifier(const ast::Expr& e) {
  std::vector<BinderGroup> groups;
  const std::size_t scope = locals_.size();
  const bool ok = bind_groups(e, groups);
  ExprId body = condition(e.args[0]);
  locals_.resize(scope);
  if (!ok || !body.valid()) return {};
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    body = make(e.span).quantifier(e.flag ? Op::exists : Op::forall, std::move(group->binders), body, group->domain);
  }
  return body;
}

Lowering::ExprId Lowering::sum(const ast::Expr& e, TypeId hint) {
  std::vector<BinderGroup> groups;
  const std::size_t scope = locals_.size();
  const bool ok = bind_groups(e, groups);
  const Span span = at(e.args[0]).span;
  const TypeId integer = wanted(hint, TypeKind::integer);
  ExprId total = numeric(infer(e.args[0], integer), span, "added up");
  if (total.valid() && integer.valid()) total = coerce(total, integer, span);
  locals_.resize(scope);
  if (!ok || !total.valid()) return {};
  for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
    total = make(e.span).sum(std::move(group->binders), total, group->domain);
  }
  return total;
}

Lowering::ExprId Lowering::set_build(const ast::Expr& e) {
  const ast::Binder& binder = e.binders.front();
  const auto [element, domain] = range_of(binder);
  const std::size_t scope = locals_.size();
  const LocalId id = bind(binder.names.front(), element);
  const ExprId predicate = condition(e.args[0]);
  locals_.resize(scope);
  if (!id.valid() || !predicate.valid()) return {};
  return make(e.span).set_build(id, predicate, domain);
}

bool Lowering::is_lambda(const ast::Expr& e) const {
  const auto arrow = [this](const ast::Expr& candidate) {
    return candidate.kind == ExprKind::binary && candidate.op == BinaryOp::implies &&
           at(candidate.args[0]).kind == ExprKind::name && !at(candidate.args[0]).parenthesised;
  };
  if (e.kind != ExprKind::conditional) return arrow(e);
  return !at(e.args[0]).parenthesised && arrow(at(e.args[0]));
}

/// `k => e`. The body reaches as far right as it can, so that what was read
/// as `(k => c) ? a : b` means `k => (c ? a : b)`.
Lowering::ExprId Lowering::lambda(const ast::Expr& e, TypeId function) {
  const ir::Type t = shape(function);
  const bool conditional_body = e.kind == ExprKind::conditional;
  const ast::Expr& arrow = conditional_body ? at(e.args[0]) : e;
  const std::size_t scope = locals_.size();
  const LocalId id = bind(at(arrow.args[0]).name, t.first);
  ExprId body;
  if (conditional_body) {
    ast::Expr whole = e;
    whole.args[0] = arrow.args[1];
    const TypeId inner = is_lambda(whole) ? wanted(t.second, TypeKind::function) : TypeId{};
    body = coerce(inner.valid() ? lambda(whole, inner) : conditional(whole, t.second), t.second, e.span);
  } else {
    body = check(arrow.args[1], t.second);
  }
  locals_.resize(scope);
  if (!id.valid() || !body.valid()) return {};
  return make(e.span).function_build(id, body);
}

Lowering::ExprId Lowering::sent(const ast::Expr& e) {
  const std::size_t fields_given = e.args.size() - 2;
  const Symbol* symbol = symbols_.find(e.name.text);
  if (symbol == nullptr || symbol->kind != SymbolKind::message) {
    unknown(e.name, "message", names_of(SymbolKind::message), "unknown-message");
    return {};
  }
  const ir::MessageId message(symbol->index);
  message_named_[message.index()] = true;
  if (!place_.past) {
    report("not-allowed-here", e.span, fmt::format("'sent' has no meaning in {}", place_.name),
           "it belongs in properties: a host knows only what it has received");
    return {};
  }
  if (p_[message].delivery != ir::Delivery::any) {
    refuse(e.span, "'sent' of a message that arrives at most once", "keep what was sent in a variable");
    return {};
  }
  const std::size_t count = p_[message].fields.size();
  if (fields_given != count) {
    report(
        "argument-count", e.span,
        fmt::format("message '{}' has {} field{}, {} given", e.name.text, count, count == 1 ? "" : "s", fields_given),
        "write '_' for any value");
    return {};
  }
  ir::Expr node;
  node.op = Op::sent;
  node.type = p_.types.boolean();
  node.ref = message.value;
  node.span = where(e.span);
  bool ok = true;
  for (std::size_t i = 0; i < count; ++i) {
    ExprId arg;
    if (e.args[i].valid() && p_[message].fields[i].type.valid()) {
      arg = check(e.args[i], p_[message].fields[i].type);
      ok = ok && arg.valid();
    }
    node.args.push_back(arg);
  }
  for (std::size_t i = count; i < count + 2; ++i) {
    ExprId host;
    if (e.args[i].valid()) {
      node.value = 1;
      host = infer(e.args[i]);
      ok = ok && host.valid();
      if (host.valid() && !is(p_[host].type, TypeKind::host)) {
        report("type-mismatch", at(e.args[i]).span, fmt::format("found {}, expected a host", type_name(p_[host].type)));
        ok = false;
      }
    }
    node.args.push_back(host);
  }
  if (node.value == 0) node.args.resize(count);
  return ok ? p_.add(std::move(node)) : ExprId{};
}

Lowering::ExprId Lowering::old(const ast::Expr& e) {
  if (!place_.old) {
    report("not-allowed-here", e.span, fmt::format("'old' has no meaning in {}", place_.name),
           "only a 'transition' property compares two states");
    infer(e.args[0]);
    return {};
  }
  Narrowing outside = narrowing_;
  narrowing_ = narrowing_.before();
  place_.old = false;
  const ExprId inner = infer(e.args[0]);
  place_.old = true;
  narrowing_ = std::move(outside);
  if (!inner.valid()) return {};
  make(e.span);
  // Narrow `old(path)` as a path of its own: the checked read goes outside.
  const ExprId before = b_.unary(Op::old, inner);
  return narrowed(before);
}

}  // namespace tenet::frontend
