/// The whole protocol as IR text. read.cpp is its counterpart, construct by
/// construct; docs/ir.md describes the form.
#include <map>

#include <fmt/format.h>

#include "ir_text.h"
#include "op_names.h"
#include "sexp.h"
#include "tenet/ir/printer.h"

namespace tenet::ir {

namespace {

class Printer {
 public:
  explicit Printer(const Protocol& protocol) : p_(protocol) {}

  Sexp protocol();

 private:
  Sexp type(TypeId id) const;
  std::string number(LocalId id) const {
    const auto known = numbers_.find(id);
    return known == numbers_.end() ? "%unbound" : "%" + std::to_string(known->second);
  }
  /// `(%3 name type)`, with a number of its own from here on.
  Sexp binder(LocalId id) {
    numbers_[id] = next_++;
    return list(number(id), p_[id].name, type(p_[id].type));
  }
  Sexp expr(ExprId id);
  Sexp generic(const Expr& e);
  Sexp bound(const Expr& e);
  Sexp sent(const Expr& e);
  Sexp stmt(StmtId id);
  Sexp block(const char* name, const std::vector<StmtId>& stmts);
  Sexp fields(const std::vector<FieldDecl>& fields) const;
  Sexp constant(const ConstDecl& decl);
  Sexp variable(const VarDecl& decl);
  Sexp message(const MessageDecl& decl) const;
  Sexp step(const Step& step);
  Sexp receive(const ReceivePattern& pattern);
  Sexp trace(const TraceQuery& query);
  void declarations(std::vector<Sexp>& out);
  void claims(std::vector<Sexp>& out);

  const Protocol& p_;
  std::map<LocalId, std::size_t> numbers_;
  std::size_t next_ = 0;
};

void add_doc(std::vector<Sexp>& to, const std::string& doc) {
  if (!doc.empty()) to.push_back(list("doc", doc));
}

Sexp Printer::type(TypeId id) const {
  const Type& t = p_[id];
  const std::string kind(type_word(t.kind));
  switch (t.kind) {
    case TypeKind::enumeration:
      return list(kind, p_.enums[t.declaration].name);
    case TypeKind::sort:
      return list(kind, p_.sorts[t.declaration].name);
    case TypeKind::host:
      return list(kind, p_.roles[t.declaration].name);
    case TypeKind::structure:
      return list(kind, p_.structs[t.declaration].name);
    case TypeKind::option:
    case TypeKind::set:
    case TypeKind::sequence:
      return list(kind, type(t.first));
    case TypeKind::map:
    case TypeKind::function:
      return list(kind, type(t.first), type(t.second));
    default:
      return kind;
  }
}

Sexp Printer::bound(const Expr& e) {
  std::vector<Sexp> out{std::string(op_name(e.op))};
  if (!always_boolean(e.op)) out.push_back(type(e.type));
  // What a binder ranges over is outside its scope, so it comes first.
  const bool set_build = e.op == Op::set_build;
  const ExprId domain = set_build ? e.args[0] : e.args.size() > 1 ? e.args[1] : ExprId{};
  if (domain.valid()) out.push_back(list("over", expr(domain)));
  std::vector<Sexp> binders;
  for (const LocalId id : e.binders) binders.push_back(binder(id));
  out.emplace_back(std::move(binders));
  out.push_back(expr(e.args[set_build ? 1 : 0]));
  return out;
}

Sexp Printer::sent(const Expr& e) {
  std::vector<Sexp> out{"sent", p_[MessageId(e.ref)].name};
  if (e.value != 0) out.emplace_back("hosts");
  for (const ExprId arg : e.args) out.push_back(arg.valid() ? expr(arg) : Sexp("_"));
  return out;
}

Sexp Printer::generic(const Expr& e) {
  std::vector<Sexp> out{std::string(op_name(e.op))};
  if (!always_boolean(e.op)) out.push_back(type(e.type));
  if (e.op == Op::get && e.value != 0) out.emplace_back("narrowed");
  if (e.op == Op::field || e.op == Op::with_field) out.push_back(std::to_string(e.ref));
  if (e.op == Op::int_literal || e.op == Op::real_literal) out.push_back(std::to_string(e.value));
  if (e.op == Op::real_literal) out.push_back(std::to_string(e.ref));
  for (const ExprId arg : e.args) out.push_back(expr(arg));
  return out;
}

Sexp Printer::expr(ExprId id) {
  const Expr& e = p_[id];
  const std::string op(op_name(e.op));
  switch (e.op) {
    case Op::bool_literal:
      return e.value != 0 ? "true" : "false";
    case Op::enum_literal: {
      const EnumDecl& decl = p_.enums[p_[e.type].declaration];
      return list(op, decl.name, decl.members[static_cast<std::size_t>(e.value)]);
    }
    case Op::role_size:
    case Op::single_host:
      return list(op, p_.roles[e.ref].name);
    case Op::local:
      return number(LocalId(e.ref));
    case Op::state_var: {
      const VarDecl& decl = p_[VarId(e.ref)];
      return list(op, p_[decl.role].name, decl.name, expr(e.args[0]));
    }
    case Op::host_const: {
      const ConstDecl& decl = p_[ConstId(e.ref)];
      return list(op, p_[decl.role].name, decl.name, expr(e.args[0]));
    }
    case Op::global_const: {
      std::vector<Sexp> out{op, p_[ConstId(e.ref)].name};
      for (const ExprId arg : e.args) out.push_back(expr(arg));
      return out;
    }
    case Op::forall:
    case Op::exists:
    case Op::sum:
    case Op::set_build:
    case Op::function_build:
      return bound(e);
    case Op::sent:
      return sent(e);
    default:
      return generic(e);
  }
}

Sexp Printer::block(const char* name, const std::vector<StmtId>& stmts) {
  std::vector<Sexp> out{name};
  for (const StmtId id : stmts) out.push_back(stmt(id));
  return out;
}

Sexp Printer::stmt(StmtId id) {
  const Stmt& s = p_[id];
  switch (s.kind) {
    case StmtKind::assign:
      return list("assign", p_[s.var].name, expr(s.value));
    case StmtKind::if_: {
      std::vector<Sexp> out{"if", expr(s.value), block("then", s.then_branch)};
      if (!s.else_branch.empty()) out.push_back(block("else", s.else_branch));
      return out;
    }
    case StmtKind::send: {
      std::vector<Sexp> out{"send", p_[s.message].name, list("to", expr(s.target))};
      if (s.local.valid()) out.push_back(list("each", binder(s.local)));
      for (const ExprId arg : s.args) out.push_back(list("arg", expr(arg)));
      return out;
    }
    case StmtKind::choose: {
      std::vector<Sexp> out{"choose", binder(s.local)};
      if (s.value.valid()) out.push_back(expr(s.value));
      return out;
    }
    case StmtKind::let: {
      Sexp value = expr(s.value);
      return list("let", binder(s.local), std::move(value));
    }
  }
  return {};
}

Sexp Printer::fields(const std::vector<FieldDecl>& fields) const {
  std::vector<Sexp> out{"fields"};
  for (const FieldDecl& field : fields) out.push_back(list(field.name, type(field.type)));
  return out;
}

Sexp Printer::message(const MessageDecl& decl) const {
  std::vector<Sexp> out{"message", decl.name};
  if (decl.delivery != Delivery::any) out.push_back(std::string(delivery_word(decl.delivery)));
  out.push_back(fields(decl.fields));
  add_doc(out, decl.doc);
  return out;
}

Sexp Printer::constant(const ConstDecl& decl) {
  std::vector<Sexp> out{"const", decl.name, type(decl.type)};
  if (decl.role.valid()) out.push_back(list("role", p_[decl.role].name));
  if (decl.unique) out.push_back(list("unique"));
  if (decl.kind == ConstKind::ring_next) out.push_back(list("ring_next"));
  if (decl.kind == ConstKind::ring_between) out.push_back(list("ring_between"));
  for (const TypeId parameter : decl.parameters) out.push_back(list("parameter", type(parameter)));
  if (decl.value.valid()) out.push_back(list("value", expr(decl.value)));
  add_doc(out, decl.doc);
  return out;
}

Sexp Printer::variable(const VarDecl& decl) {
  std::vector<Sexp> out{"var", decl.name, type(decl.type), list("role", p_[decl.role].name)};
  if (decl.is_volatile) out.push_back(list("volatile"));
  if (decl.init.valid()) out.push_back(list("value", expr(decl.init)));
  add_doc(out, decl.doc);
  return out;
}

Sexp Printer::receive(const ReceivePattern& pattern) {
  std::vector<Sexp> out{"receive", p_[pattern.message].name};
  if (pattern.from.valid()) out.push_back(list("from", p_[pattern.from].name));
  if (pattern.sender.valid()) out.push_back(list("sender", binder(pattern.sender)));
  for (const LocalId field : pattern.fields) out.push_back(list("field", binder(field)));
  return out;
}

Sexp Printer::step(const Step& step) {
  std::vector<Sexp> out{"step", step.name, list("role", p_[step.role].name)};
  for (const LocalId parameter : step.parameters) out.push_back(list("parameter", binder(parameter)));
  if (step.receive) out.push_back(receive(*step.receive));
  out.push_back(list("guard", expr(step.guard)));
  out.push_back(block("body", step.body));
  add_doc(out, step.doc);
  return out;
}

Sexp Printer::trace(const TraceQuery& query) {
  std::vector<Sexp> out{"trace", query.name, std::string(trace_claim_word(query.claim))};
  if (query.initial) out.push_back(list("initial"));
  for (const TraceItem& item : query.items) {
    std::vector<Sexp> one{std::string(trace_item_word(item.kind))};
    if (item.formula.valid()) one.push_back(expr(item.formula));
    for (const TraceCall& call : item.calls) {
      std::vector<Sexp> words{"call", p_[p_[call.step].role].name, p_[call.step].name};
      for (const ExprId argument : call.arguments) words.push_back(argument.valid() ? expr(argument) : Sexp("_"));
      one.emplace_back(std::move(words));
    }
    out.emplace_back(std::move(one));
  }
  add_doc(out, query.doc);
  return out;
}

void Printer::declarations(std::vector<Sexp>& out) {
  for (const EnumDecl& decl : p_.enums) {
    std::vector<Sexp> one{"enum", decl.name};
    one.insert(one.end(), decl.members.begin(), decl.members.end());
    out.emplace_back(std::move(one));
  }
  for (const SortDecl& decl : p_.sorts) {
    out.push_back(decl.ordered ? list("sort", decl.name, "ordered") : list("sort", decl.name));
  }
  for (const StructDecl& decl : p_.structs) {
    out.push_back(list("struct", decl.name, fields(decl.fields)));
    if (decl.ordered) out.back().items.emplace_back("ordered");
  }
  for (const MessageDecl& decl : p_.messages) out.push_back(message(decl));
  for (const RoleDecl& decl : p_.roles) {
    std::vector<Sexp> one{"role", decl.name};
    if (decl.single) one.push_back(list("single"));
    add_doc(one, decl.doc);
    out.emplace_back(std::move(one));
  }
}

void Printer::claims(std::vector<Sexp>& out) {
  for (const Formula& axiom : p_.axioms) out.push_back(list("axiom", expr(axiom.formula)));
  for (const Formula& init : p_.inits) out.push_back(list("init", expr(init.formula)));
  for (const Property& property : p_.properties) {
    std::vector<Sexp> one{std::string(property_word(property.kind)), property.name, expr(property.formula)};
    add_doc(one, property.doc);
    out.emplace_back(std::move(one));
  }
  for (const TraceQuery& query : p_.traces) out.push_back(trace(query));
  for (const InstanceDecl& instance : p_.instances) {
    std::vector<Sexp> one{"instance", instance.name};
    for (const InstanceEntry& entry : instance.entries) {
      std::vector<Sexp> words{entry.name, std::to_string(entry.low)};
      if (entry.is_range) words.push_back(std::to_string(entry.high));
      one.emplace_back(std::move(words));
    }
    out.emplace_back(std::move(one));
  }
}

Sexp Printer::protocol() {
  std::vector<Sexp> out{"protocol", p_.name};
  add_doc(out, p_.doc);
  if (p_.deadlock_ok) out.push_back(list("deadlock_ok"));
  declarations(out);
  for (const ConstDecl& decl : p_.constants) out.push_back(constant(decl));
  for (const VarDecl& decl : p_.variables) out.push_back(variable(decl));
  for (const Step& one : p_.steps) out.push_back(step(one));
  claims(out);
  return out;
}

}  // namespace

std::string print(const Protocol& protocol) { return to_text(Printer(protocol).protocol()); }

}  // namespace tenet::ir
