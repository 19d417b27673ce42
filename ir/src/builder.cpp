#include "tenet/ir/builder.h"

#include <cassert>
#include <utility>

namespace tenet::ir {

namespace {

bool is_number(const Type& type) {
  return type.kind == TypeKind::integer || type.kind == TypeKind::natural || type.kind == TypeKind::real;
}

/// The type of `a op b`; invalid if the operand types do not fit.
TypeId binary_type(Protocol& p, Op op, TypeId a, TypeId b) {
  const Type left = p.types[a];
  const Type right = p.types[b];
  switch (op) {
    case Op::and_:
    case Op::or_:
    case Op::implies:
    case Op::iff:
      return left.kind == TypeKind::boolean && right.kind == TypeKind::boolean ? a : TypeId{};
    case Op::eq:
    case Op::ne:
      return a == b ? p.types.boolean() : TypeId{};
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
      return a == b && has_order(p, a) ? p.types.boolean() : TypeId{};
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::mod:
      return a == b && is_number(left) ? a : TypeId{};
    case Op::contains:
      return right.kind == TypeKind::set && right.first == a ? p.types.boolean() : TypeId{};
    case Op::subset:
      return a == b && left.kind == TypeKind::set ? p.types.boolean() : TypeId{};
    case Op::set_union:
    case Op::set_intersection:
    case Op::set_difference:
      return a == b && left.kind == TypeKind::set ? a : TypeId{};
    case Op::map_get:
      return left.kind == TypeKind::map && left.first == b ? left.second : TypeId{};
    case Op::map_has:
      return left.kind == TypeKind::map && left.first == b ? p.types.boolean() : TypeId{};
    case Op::map_remove:
      return left.kind == TypeKind::map && left.first == b ? a : TypeId{};
    case Op::apply:
      return left.kind == TypeKind::function && left.first == b ? left.second : TypeId{};
    case Op::seq_at:
      return left.kind == TypeKind::sequence && is_number(right) ? left.first : TypeId{};
    case Op::seq_append:
      return left.kind == TypeKind::sequence && left.first == b ? a : TypeId{};
    default:
      return {};
  }
}

/// The type of `op a`; invalid if the operand type does not fit.
TypeId unary_type(Protocol& p, Op op, TypeId a) {
  const Type type = p.types[a];
  switch (op) {
    case Op::not_:
    case Op::once:
      return type.kind == TypeKind::boolean ? a : TypeId{};
    case Op::neg:
      return type.kind == TypeKind::integer || type.kind == TypeKind::real ? a : TypeId{};
    case Op::to_int:
      return type.kind == TypeKind::natural ? p.types.integer() : TypeId{};
    case Op::some:
      return p.types.option(a);
    case Op::get:
      return type.kind == TypeKind::option ? type.first : TypeId{};
    case Op::cardinality:
      return type.kind == TypeKind::set ? p.types.natural() : TypeId{};
    case Op::majority:
      return type.kind == TypeKind::set && p.types[type.first].kind == TypeKind::host ? p.types.boolean() : TypeId{};
    case Op::map_keys:
      return type.kind == TypeKind::map ? p.types.set(type.first) : TypeId{};
    case Op::seq_length:
      return type.kind == TypeKind::sequence ? p.types.natural() : TypeId{};
    case Op::old:
      return a;
    default:
      return {};
  }
}

}  // namespace

ExprId Builder::make(Op op, TypeId type, std::vector<ExprId> args, std::uint32_t ref, std::int64_t value) {
  assert(type.valid() && "operands do not fit the operation");
  Expr expr;
  expr.op = op;
  expr.type = type;
  expr.ref = ref;
  expr.value = value;
  expr.args = std::move(args);
  expr.span = span_;
  return p_->add(std::move(expr));
}

ExprId Builder::boolean(bool value) {
  return make(Op::bool_literal, p_->types.boolean(), {}, 0xffffffff, value ? 1 : 0);
}

ExprId Builder::natural(std::int64_t value) {
  assert(value >= 0);
  return make(Op::int_literal, p_->types.natural(), {}, 0xffffffff, value);
}

ExprId Builder::integer(std::int64_t value) {
  return make(Op::int_literal, p_->types.integer(), {}, 0xffffffff, value);
}

ExprId Builder::enum_literal(EnumId decl, std::size_t member) {
  assert(member < (*p_)[decl].members.size());
  return make(Op::enum_literal, p_->types.enumeration(decl), {}, 0xffffffff, static_cast<std::int64_t>(member));
}

ExprId Builder::none(TypeId option_type) {
  assert(p_->types[option_type].kind == TypeKind::option);
  return make(Op::none, option_type, {});
}

ExprId Builder::some(ExprId payload) { return unary(Op::some, payload); }

ExprId Builder::get(ExprId option, bool narrowed) {
  const TypeId type = unary_type(*p_, Op::get, (*p_)[option].type);
  return make(Op::get, type, {option}, 0xffffffff, narrowed ? 1 : 0);
}

ExprId Builder::local(LocalId id) { return make(Op::local, (*p_)[id].type, {}, id.value); }

ExprId Builder::self(RoleId role) { return make(Op::self, p_->types.host(role), {}); }

ExprId Builder::single_host(RoleId role) {
  assert((*p_)[role].single);
  return make(Op::single_host, p_->types.host(role), {}, role.value);
}

ExprId Builder::all_hosts(RoleId role) { return make(Op::all_hosts, p_->types.set(p_->types.host(role)), {}); }

ExprId Builder::role_size(RoleId role) { return make(Op::role_size, p_->types.natural(), {}, role.value); }

ExprId Builder::state_var(VarId var, ExprId host) {
  assert((*p_)[host].type == p_->types.host((*p_)[var].role));
  return make(Op::state_var, (*p_)[var].type, {host}, var.value);
}

ExprId Builder::host_const(ConstId constant, ExprId host) {
  assert((*p_)[host].type == p_->types.host((*p_)[constant].role));
  return make(Op::host_const, (*p_)[constant].type, {host}, constant.value);
}

ExprId Builder::global_const(ConstId constant, std::vector<ExprId> args) {
  assert(!(*p_)[constant].role.valid());
  assert((*p_)[constant].parameters.size() == args.size());
  return make(Op::global_const, (*p_)[constant].type, std::move(args), constant.value);
}

ExprId Builder::negate(ExprId a) { return unary(Op::not_, a); }

ExprId Builder::conjunction(std::vector<ExprId> args) {
  if (args.empty()) return boolean(true);
  if (args.size() == 1) return args.front();
  return make(Op::and_, p_->types.boolean(), std::move(args));
}

ExprId Builder::disjunction(std::vector<ExprId> args) {
  if (args.empty()) return boolean(false);
  if (args.size() == 1) return args.front();
  return make(Op::or_, p_->types.boolean(), std::move(args));
}

ExprId Builder::binary(Op op, ExprId a, ExprId b) {
  const TypeId type = binary_type(*p_, op, (*p_)[a].type, (*p_)[b].type);
  return make(op, type, {a, b});
}

ExprId Builder::unary(Op op, ExprId a) { return make(op, unary_type(*p_, op, (*p_)[a].type), {a}); }

ExprId Builder::ite(ExprId condition, ExprId then, ExprId otherwise) {
  assert((*p_)[condition].type == p_->types.boolean() && (*p_)[then].type == (*p_)[otherwise].type);
  return make(Op::ite, (*p_)[then].type, {condition, then, otherwise});
}

ExprId Builder::make_struct(StructId decl, std::vector<ExprId> fields) {
  assert((*p_)[decl].fields.size() == fields.size());
  return make(Op::make_struct, p_->types.structure(decl), std::move(fields));
}

ExprId Builder::field(ExprId value, std::size_t index) {
  const Type type = p_->types[(*p_)[value].type];
  assert(type.kind == TypeKind::structure);
  const StructDecl& decl = (*p_)[StructId(type.declaration)];
  assert(index < decl.fields.size());
  return make(Op::field, decl.fields[index].type, {value}, static_cast<std::uint32_t>(index));
}

ExprId Builder::with_field(ExprId value, std::size_t index, ExprId replacement) {
  assert(p_->types[(*p_)[value].type].kind == TypeKind::structure);
  return make(Op::with_field, (*p_)[value].type, {value, replacement}, static_cast<std::uint32_t>(index));
}

ExprId Builder::set_literal(TypeId set_type, std::vector<ExprId> elements) {
  assert(p_->types[set_type].kind == TypeKind::set);
  return make(Op::set_literal, set_type, std::move(elements));
}

ExprId Builder::constant_function(TypeId function_type, ExprId value) {
  assert(p_->types[function_type].kind == TypeKind::function);
  assert(p_->types[function_type].second == (*p_)[value].type);
  return make(Op::constant_function, function_type, {value});
}

ExprId Builder::update(ExprId function, ExprId argument, ExprId value) {
  assert(p_->types[(*p_)[function].type].kind == TypeKind::function);
  return make(Op::update, (*p_)[function].type, {function, argument, value});
}

ExprId Builder::map_put(ExprId map, ExprId key, ExprId value) {
  assert(p_->types[(*p_)[map].type].kind == TypeKind::map);
  return make(Op::map_put, (*p_)[map].type, {map, key, value});
}

ExprId Builder::quantifier(Op op, std::vector<LocalId> binders, ExprId body, ExprId domain) {
  assert(op == Op::forall || op == Op::exists);
  assert(!binders.empty() && (!domain.valid() || binders.size() == 1));
  std::vector<ExprId> args{body};
  if (domain.valid()) args.push_back(domain);
  const ExprId id = make(op, p_->types.boolean(), std::move(args));
  p_->exprs[id.index()].binders = std::move(binders);
  return id;
}

ExprId Builder::sum(std::vector<LocalId> binders, ExprId summand, ExprId domain) {
  assert(is_number(p_->types[(*p_)[summand].type]));
  assert(!binders.empty() && (!domain.valid() || binders.size() == 1));
  std::vector<ExprId> args{summand};
  if (domain.valid()) args.push_back(domain);
  const ExprId id = make(Op::sum, (*p_)[summand].type, std::move(args));
  p_->exprs[id.index()].binders = std::move(binders);
  return id;
}

ExprId Builder::function_build(LocalId binder, ExprId body) {
  const TypeId type = p_->types.function((*p_)[binder].type, (*p_)[body].type);
  const ExprId id = make(Op::function_build, type, {body});
  p_->exprs[id.index()].binders = {binder};
  return id;
}

ExprId Builder::set_build(LocalId binder, ExprId predicate, ExprId domain) {
  const ExprId id = make(Op::set_build, p_->types.set((*p_)[binder].type), {domain, predicate});
  p_->exprs[id.index()].binders = {binder};
  return id;
}

StmtId Builder::assign(VarId var, ExprId value) {
  assert((*p_)[var].type == (*p_)[value].type);
  Stmt stmt;
  stmt.kind = StmtKind::assign;
  stmt.var = var;
  stmt.value = value;
  stmt.span = span_;
  return p_->add(std::move(stmt));
}

StmtId Builder::send(MessageId message, std::vector<ExprId> args, ExprId target) {
  assert((*p_)[message].fields.size() == args.size());
  Stmt stmt;
  stmt.kind = StmtKind::send;
  stmt.message = message;
  stmt.args = std::move(args);
  stmt.target = target;
  stmt.span = span_;
  return p_->add(std::move(stmt));
}

StmtId Builder::if_then(ExprId condition, std::vector<StmtId> then_branch, std::vector<StmtId> else_branch) {
  assert((*p_)[condition].type == p_->types.boolean());
  Stmt stmt;
  stmt.kind = StmtKind::if_;
  stmt.value = condition;
  stmt.then_branch = std::move(then_branch);
  stmt.else_branch = std::move(else_branch);
  stmt.span = span_;
  return p_->add(std::move(stmt));
}

}  // namespace tenet::ir
