// Statements of a step.
#include <fmt/format.h>

#include <algorithm>

#include "lowering.h"

namespace tenet::frontend {

using ast::AssignOp;
using ir::TypeKind;

ir::StmtId Lowering::add(ir::Stmt stmt) { return p_.add(std::move(stmt)); }

std::vector<ir::StmtId> Lowering::block(const ast::Block& block) {
  const std::size_t scope = locals_.size();
  std::vector<ir::StmtId> out;
  statements(block.stmts, out);
  locals_.resize(scope);
  return out;
}

void Lowering::statements(const std::vector<ast::StmtRef>& list, std::vector<ir::StmtId>& out) {
  std::vector<BlockEdit> edits;
  for (std::size_t i = 0; i < list.size(); ++i) {
    // The text of an edit sees what its place sees before the statement.
    look_for_block(list, i, edits);
    const ir::StmtId id = statement(list[i]);
    if (id.valid()) out.push_back(id);
  }
  record_blocks(edits, out);
}

ir::StmtId Lowering::statement(ast::StmtRef ref) {
  const ast::Stmt& stmt = (*tree_)[ref];
  switch (stmt.kind) {
    case ast::StmtKind::assign:
      return assignment(stmt);
    case ast::StmtKind::if_:
      return if_statement(stmt);
    case ast::StmtKind::send:
      return send(stmt);
    case ast::StmtKind::choose:
      return choose(stmt);
    case ast::StmtKind::let:
      return let(stmt);
  }
  return {};
}

bool Lowering::assignable(const ast::Ident& root, ir::VarId& var) {
  const auto refuse_it = [&](std::string_view what, std::string hint) {
    report("not-assignable", root.span, fmt::format("'{}' is {}: it cannot be assigned", root.text, what),
           std::move(hint));
    return false;
  };
  if (find_local(root.text) != nullptr) return refuse_it("fixed within this step", "only variables of the host change");
  if (const Symbol* member = symbols_.find(place_.role, root.text)) {
    if (member->kind == SymbolKind::constant) return refuse_it("a constant", "declare it with 'var' to change it");
    var = ir::VarId(member->index);
    var_written_[var.index()] = true;
    return true;
  }
  if (const Symbol* symbol = symbols_.find(root.text)) return refuse_it(describe(symbol->kind), "");
  std::vector<std::string> names;
  for (const ir::VarId id : p_[place_.role].variables) names.push_back(p_[id].name);
  unknown(root, "variable", names);
  return false;
}

ir::StmtId Lowering::assignment(const ast::Stmt& stmt) {
  // The places on the way from the variable to what changes, outermost first.
  std::vector<ast::ExprRef> path;
  ast::ExprRef root = stmt.place;
  while (at(root).kind == ExprKind::field || at(root).kind == ExprKind::index) {
    path.insert(path.begin(), root);
    root = at(root).args[0];
  }
  ast::Ident name = at(root).name;
  if (at(root).kind == ExprKind::self) {
    if (path.empty() || at(path.front()).kind != ExprKind::field) {
      report("not-assignable", at(root).span, "'self' cannot be assigned");
      return {};
    }
    name = at(path.front()).name;
    path.erase(path.begin());
  } else if (const Local* local = find_local(name.text);
             local != nullptr && !path.empty() && local->id.valid() && is(p_[local->id].type, TypeKind::host)) {
    report("not-assignable", at(stmt.place).span, "this belongs to another host: a step changes its own host only",
           "send it a message");
    infer(stmt.value);
    return {};
  }
  ir::VarId var;
  if (!assignable(name, var) || !p_[var].type.valid()) {
    if (!needs_context(stmt.value)) infer(stmt.value);
    return {};
  }
  make(at(root).span);
  const ExprId whole = b_.state_var(var, b_.self(place_.role));
  assigned_.clear();
  const ExprId value = put(whole, path, 0, stmt);
  if (!value.valid()) return {};
  narrowing_.forget(var);
  narrowing_.learn(assigned_);
  return make(stmt.span).assign(var, value);
}

/// The new value of `whole` once what `path` names from `at` on is assigned.
ir::ExprId Lowering::put(ExprId whole, const std::vector<ast::ExprRef>& path, std::size_t at_step,
                         const ast::Stmt& stmt) {
  if (at_step == path.size()) {
    const ExprId value = assigned_value(stmt, whole);
    if (value.valid() && p_[value].op == Op::some) remember_assigned(whole);
    return value;
  }
  const ast::Expr& step = at(path[at_step]);
  make(step.span);
  const ExprId inner = narrowed(whole);
  const ir::Type t = shape(p_[inner].type);
  if (t.kind == TypeKind::option) {
    may_be_none(inner, at(step.args[0]).span);
    return {};
  }
  ExprId result;
  if (step.kind == ExprKind::index && (t.kind == TypeKind::function || t.kind == TypeKind::map)) {
    const ExprId key = check(step.args[1], t.first);
    if (!key.valid()) return {};
    const bool map = t.kind == TypeKind::map;
    // A map's entry need not exist to be assigned.
    const ExprId entry = make(step.span).binary(map ? Op::map_get : Op::apply, inner, key);
    const ExprId value = put(entry, path, at_step + 1, stmt);
    if (!value.valid()) return {};
    result = map ? make(step.span).map_put(inner, key, value) : make(step.span).update(inner, key, value);
  } else if (step.kind == ExprKind::field && t.kind == TypeKind::structure) {
    const ir::StructId decl(t.declaration);
    std::size_t index = 0;
    while (index < p_[decl].fields.size() && p_[decl].fields[index].name != step.name.text) ++index;
    if (index == p_[decl].fields.size()) {
      std::vector<std::string> names;
      for (const ir::FieldDecl& f : p_[decl].fields) names.push_back(f.name);
      unknown(step.name, fmt::format("field of struct {}", p_[decl].name), names, "unknown-field");
      return {};
    }
    if (!p_[decl].fields[index].type.valid()) return {};
    const ExprId value = put(make(step.span).field(inner, index), path, at_step + 1, stmt);
    if (!value.valid()) return {};
    result = make(step.span).with_field(inner, index, value);
  } else if (t.kind == TypeKind::host) {
    report("not-assignable", at(stmt.place).span, "this belongs to another host: a step changes its own host only",
           "send it a message");
    return {};
  } else {
    report("type-mismatch", step.span,
           fmt::format("{} has no {} to assign", type_name(p_[inner].type),
                       step.kind == ExprKind::index ? "entries" : "fields"));
    return {};
  }
  if (inner == whole) return result;
  remember_assigned(whole);
  return make(step.span).some(result);
}

/// What has just been given a value is not none.
void Lowering::remember_assigned(ExprId place) {
  if (auto key = path_key(p_, place)) assigned_.insert(std::move(*key));
}

ir::ExprId Lowering::assigned_value(const ast::Stmt& stmt, ExprId current) {
  if (stmt.op == AssignOp::set) return check(stmt.value, p_[current].type);
  make(at(stmt.place).span);
  // What is read and written back is used, but not for anything else.
  return added_or_removed(stmt, current);
}

/// Whether an operand of `+=` or `-=` on a set of `element` could be such a
/// set as well as an element: `{}` where the elements are sets themselves.
bool Lowering::set_or_element(ast::ExprRef operand, TypeId element) {
  if (!is(element, TypeKind::set)) return false;
  const ast::Expr& e = at(operand);
  if (e.kind == ExprKind::all) return true;
  const auto both = [&](ast::ExprRef a, ast::ExprRef b) {
    return set_or_element(a, element) && set_or_element(b, element);
  };
  if (e.kind == ExprKind::conditional) return both(e.args[1], e.args[2]);
  if (e.kind == ExprKind::binary) return both(e.args[0], e.args[1]);  // a comparison is no set anyway
  return e.kind == ExprKind::set_literal && std::all_of(e.args.begin(), e.args.end(), [&](ast::ExprRef arg) {
           return set_or_element(arg, shape(element).first);
         });
}

ir::ExprId Lowering::added_or_removed(const ast::Stmt& stmt, ExprId whole) {
  const ExprId current = narrowed(whole);
  const TypeId type = p_[current].type;
  const ir::Type t = shape(type);
  const bool adds = stmt.op == AssignOp::add;
  const ast::Expr& operand = at(stmt.value);
  if (t.kind == TypeKind::set) {
    // A set or an element: the operand's own type says which.
    const bool set_like =
        operand.kind == ExprKind::set_literal || operand.kind == ExprKind::set_build || operand.kind == ExprKind::all;
    ExprId value;
    if (set_or_element(stmt.value, t.first)) {
      report("unknown-meaning", operand.span,
             fmt::format("this may be an element of {} or a set of elements", type_name(type)),
             adds ? "'s = s union e' adds the elements of e, 's += {e}' adds e itself"
                  : "'s = s \\ e' removes the elements of e, 's -= {e}' removes e itself");
      return {};
    }
    if (set_like) {
      value = check(stmt.value, type);
    } else {
      const ExprId found = lower(stmt.value, t.first);
      value = found.valid() && p_[found].type == type ? found : coerce(found, t.first, operand.span);
      look_for_edit(stmt.value, value);
    }
    if (!value.valid()) return {};
    make(stmt.span);
    if (p_[value].type != type) value = b_.set_literal(type, {value});
    return coerce(b_.binary(adds ? Op::set_union : Op::set_difference, current, value), p_[whole].type, stmt.span);
  }
  if (t.kind == TypeKind::natural || t.kind == TypeKind::integer) {
    const ExprId value = check(stmt.value, type);
    if (!value.valid()) return {};
    return coerce(make(stmt.span).binary(adds ? Op::add : Op::sub, current, value), p_[whole].type, stmt.span);
  }
  if (t.kind == TypeKind::map && !adds) {
    const ExprId key = check(stmt.value, t.first);
    if (!key.valid()) return {};
    return coerce(make(stmt.span).binary(Op::map_remove, current, key), p_[whole].type, stmt.span);
  }
  if (t.kind == TypeKind::option) {
    may_be_none(current, at(stmt.place).span);
    return {};
  }
  report("type-mismatch", at(stmt.place).span,
         fmt::format("'{}' changes a set or a number, and this is {}", adds ? "+=" : "-=", type_name(type)),
         t.kind == TypeKind::map ? "assign an entry, as in 'm[k] = v'" : "");
  return {};
}

ir::StmtId Lowering::if_statement(const ast::Stmt& stmt) {
  note_conjuncts(stmt.value);
  const ExprId test = condition(stmt.value);
  const Certain certain = test.valid() ? certain_after(p_, test) : Certain{};
  const Narrowing before = narrowing_;
  narrowing_.learn(certain.if_true);
  std::vector<ir::StmtId> then_branch = block(stmt.then_block);
  Narrowing after_then = std::move(narrowing_);
  narrowing_ = before;
  narrowing_.learn(certain.if_false);
  std::vector<ir::StmtId> else_branch = block(stmt.else_block);
  narrowing_ = Narrowing::join(after_then, narrowing_);
  if (!test.valid()) return {};
  return make(stmt.span).if_then(test, std::move(then_branch), std::move(else_branch));
}

ir::StmtId Lowering::send(const ast::Stmt& stmt) {
  const Symbol* symbol = symbols_.find(stmt.name.text);
  if (symbol == nullptr || symbol->kind != SymbolKind::message) {
    unknown(stmt.name, "message", names_of(SymbolKind::message), "unknown-message");
    return {};
  }
  const ir::MessageId message(symbol->index);
  message_sent_[message.index()] = true;
  ir::Stmt out;
  out.kind = ir::StmtKind::send;
  out.message = message;
  out.target = infer(stmt.target);
  bool ok = out.target.valid();
  TypeId element;
  if (ok) {
    const TypeId found = p_[out.target].type;
    element = is(found, TypeKind::set) ? shape(found).first : TypeId{};
    if (is(found, TypeKind::option) &&
        (is(shape(found).first, TypeKind::host) || is(shape(found).first, TypeKind::set))) {
      may_be_none(out.target, at(stmt.target).span);
      ok = false;
    } else if (!(is(found, TypeKind::host) && stmt.each.empty()) && !is(element, TypeKind::host)) {
      report("type-mismatch", at(stmt.target).span,
             fmt::format("messages go to a host or a set of hosts, and this is {}", type_name(found)));
      ok = false;
    }
  }
  const std::size_t scope = locals_.size();
  if (!stmt.each.empty()) out.local = bind(stmt.each, ok ? element : TypeId{});
  std::vector<TypeId> types;
  for (const ir::FieldDecl& field : p_[message].fields) types.push_back(field.type);
  out.args = arguments(stmt.args, types, stmt.name, "message", stmt.span);
  locals_.resize(scope);
  if (!ok || out.args.size() != types.size()) return {};
  out.span = where(stmt.span);
  return add(std::move(out));
}

ir::StmtId Lowering::choose(const ast::Stmt& stmt) {
  const TypeId chosen = type(stmt.type);
  ir::Stmt out;
  out.kind = ir::StmtKind::choose;
  out.local = bind(stmt.name, chosen);
  bool ok = out.local.valid();
  if (stmt.value.valid()) {
    out.value = condition(stmt.value);
    ok = ok && out.value.valid();
    // The choice is made so that the condition holds.
    if (out.value.valid()) narrowing_.learn(certain_after(p_, out.value).if_true);
  }
  out.span = where(stmt.span);
  return ok ? add(std::move(out)) : ir::StmtId{};
}

ir::StmtId Lowering::let(const ast::Stmt& stmt) {
  ir::Stmt out;
  out.kind = ir::StmtKind::let;
  out.value = infer(stmt.value);
  out.local = bind(stmt.name, out.value.valid() ? p_[out.value].type : TypeId{});
  out.span = where(stmt.span);
  return out.value.valid() ? add(std::move(out)) : ir::StmtId{};
}

}  // namespace tenet::frontend
