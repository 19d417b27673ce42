/// The typing rule of every operation.
#include <algorithm>

#include "verify.h"

namespace tenet::ir {

namespace {

class Rule {
 public:
  Rule(const Protocol& protocol, const Expr& expr) : p_(protocol), e_(expr), result_(protocol[expr.type]) {}

  [[nodiscard]] bool holds() const;

 private:
  [[nodiscard]] TypeId id(std::size_t i) const { return p_[e_.args[i]].type; }
  [[nodiscard]] const Type& arg(std::size_t i) const { return p_[id(i)]; }
  [[nodiscard]] bool is(std::size_t i, TypeKind kind) const { return arg(i).kind == kind; }
  [[nodiscard]] bool gives(TypeKind kind) const { return result_.kind == kind; }
  [[nodiscard]] bool all(TypeKind kind) const {
    return std::all_of(e_.args.begin(), e_.args.end(), [&](ExprId a) { return p_[p_[a].type].kind == kind; });
  }
  [[nodiscard]] bool number(const Type& type) const {
    return type.kind == TypeKind::integer || type.kind == TypeKind::natural;
  }
  [[nodiscard]] bool host_of(const Type& type, RoleId role) const {
    return type.kind == TypeKind::host && type.declaration == role.value;
  }
  [[nodiscard]] bool leaf() const;
  [[nodiscard]] bool state() const;
  [[nodiscard]] bool logic_or_order() const;
  [[nodiscard]] bool arithmetic() const;
  [[nodiscard]] bool option_or_struct() const;
  [[nodiscard]] bool structure() const;
  [[nodiscard]] bool set() const;
  [[nodiscard]] bool map() const;
  [[nodiscard]] bool function() const;
  [[nodiscard]] bool quantifier() const;
  [[nodiscard]] bool sent() const;

  const Protocol& p_;
  const Expr& e_;
  const Type& result_;
};

bool Rule::leaf() const {
  switch (e_.op) {
    case Op::bool_literal:
      return gives(TypeKind::boolean) && (e_.value == 0 || e_.value == 1);
    case Op::int_literal:
      return gives(TypeKind::integer) || (gives(TypeKind::natural) && e_.value >= 0);
    case Op::enum_literal:
      return gives(TypeKind::enumeration) && e_.value >= 0 &&
             static_cast<std::size_t>(e_.value) < p_.enums[result_.declaration].members.size();
    case Op::none:
      return gives(TypeKind::option);
    case Op::empty_map:
      return gives(TypeKind::map);
    case Op::all_hosts:
      return gives(TypeKind::set) && p_[result_.first].kind == TypeKind::host;
    case Op::role_size:
      return gives(TypeKind::natural);
    case Op::local:
      return e_.type == p_.locals[e_.ref].type;
    case Op::self:
      return gives(TypeKind::host);
    case Op::single_host:
      return host_of(result_, RoleId(e_.ref)) && p_.roles[e_.ref].single;
    default:
      return false;
  }
}

bool Rule::state() const {
  if (e_.op == Op::state_var) {
    const VarDecl& decl = p_.variables[e_.ref];
    return e_.type == decl.type && host_of(arg(0), decl.role);
  }
  const ConstDecl& decl = p_.constants[e_.ref];
  if (e_.type != decl.type) return false;
  if (e_.op == Op::host_const) return decl.role.valid() && host_of(arg(0), decl.role);
  if (decl.role.valid()) return false;
  for (std::size_t i = 0; i < e_.args.size(); ++i) {
    if (id(i) != decl.parameters[i]) return false;
  }
  return true;
}

bool Rule::logic_or_order() const {
  switch (e_.op) {
    case Op::ite:
      return is(0, TypeKind::boolean) && id(1) == e_.type && id(2) == e_.type;
    case Op::eq:
    case Op::ne:
      return gives(TypeKind::boolean) && id(0) == id(1);
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
      return gives(TypeKind::boolean) && id(0) == id(1) && has_order(p_, id(0));
    default:
      return gives(TypeKind::boolean) && all(TypeKind::boolean);
  }
}

bool Rule::arithmetic() const {
  if (e_.op == Op::to_int) return gives(TypeKind::integer) && is(0, TypeKind::natural);
  if (e_.op == Op::neg) return gives(TypeKind::integer) && id(0) == e_.type;
  return number(result_) && id(0) == e_.type && id(1) == e_.type;
}

bool Rule::structure() const {
  const bool makes = e_.op == Op::make_struct;
  const Type& type = makes ? result_ : arg(0);
  if (type.kind != TypeKind::structure) return false;
  const std::vector<FieldDecl>& fields = p_.structs[type.declaration].fields;
  if (makes) {
    if (e_.args.size() != fields.size()) return false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (id(i) != fields[i].type) return false;
    }
    return true;
  }
  if (e_.ref >= fields.size()) return false;
  if (e_.op == Op::field) return e_.type == fields[e_.ref].type;
  return e_.type == id(0) && id(1) == fields[e_.ref].type;
}

bool Rule::option_or_struct() const {
  if (e_.op == Op::some) return gives(TypeKind::option) && result_.first == id(0);
  if (e_.op == Op::get) return is(0, TypeKind::option) && arg(0).first == e_.type && (e_.value == 0 || e_.value == 1);
  return structure();
}

bool Rule::set() const {
  switch (e_.op) {
    case Op::set_literal:
      return gives(TypeKind::set) &&
             std::all_of(e_.args.begin(), e_.args.end(), [&](ExprId a) { return p_[a].type == result_.first; });
    case Op::contains:
      return gives(TypeKind::boolean) && is(1, TypeKind::set) && arg(1).first == id(0);
    case Op::subset:
      return gives(TypeKind::boolean) && is(0, TypeKind::set) && id(0) == id(1);
    case Op::set_build:
      return gives(TypeKind::set) && p_[e_.binders[0]].type == result_.first && is(1, TypeKind::boolean) &&
             (!e_.args[0].valid() || id(0) == e_.type);
    case Op::cardinality:
      return gives(TypeKind::natural) && is(0, TypeKind::set);
    case Op::majority:
      return gives(TypeKind::boolean) && is(0, TypeKind::set) && p_[arg(0).first].kind == TypeKind::host;
    default:
      return gives(TypeKind::set) && id(0) == e_.type && id(1) == e_.type;
  }
}

bool Rule::map() const {
  if (!is(0, TypeKind::map)) return false;
  const Type& map = arg(0);
  if (e_.op == Op::map_keys) return gives(TypeKind::set) && result_.first == map.first;
  if (id(1) != map.first) return false;
  if (e_.op == Op::map_get) return e_.type == map.second;
  if (e_.op == Op::map_has) return gives(TypeKind::boolean);
  return e_.type == id(0) && (e_.op == Op::map_remove || id(2) == map.second);
}

bool Rule::function() const {
  if (e_.op == Op::constant_function) return gives(TypeKind::function) && result_.second == id(0);
  if (e_.op == Op::function_build) {
    return gives(TypeKind::function) && result_.first == p_[e_.binders[0]].type && result_.second == id(0);
  }
  if (!is(0, TypeKind::function) || id(1) != arg(0).first) return false;
  if (e_.op == Op::apply) return e_.type == arg(0).second;
  return e_.type == id(0) && id(2) == arg(0).second;
}

bool Rule::quantifier() const {
  const bool fits = e_.op == Op::sum ? number(result_) && id(0) == e_.type  //
                                     : gives(TypeKind::boolean) && is(0, TypeKind::boolean);
  if (!fits) return false;
  if (e_.args.size() == 1) return true;
  return is(1, TypeKind::set) && arg(1).first == p_[e_.binders[0]].type;
}

bool Rule::sent() const {
  const MessageDecl& message = p_.messages[e_.ref];
  if (!gives(TypeKind::boolean) || (e_.value != 0 && e_.value != 1)) return false;
  for (std::size_t i = 0; i < e_.args.size(); ++i) {
    if (!e_.args[i].valid()) continue;
    const bool fits = i < message.fields.size() ? id(i) == message.fields[i].type : is(i, TypeKind::host);
    if (!fits) return false;
  }
  return true;
}

bool Rule::holds() const {
  const Op op = e_.op;
  if (op <= Op::single_host) return leaf();
  if (op <= Op::global_const) return state();
  if (op <= Op::ge) return logic_or_order();
  if (op <= Op::to_int) return arithmetic();
  if (op <= Op::with_field) return option_or_struct();
  if (op <= Op::majority) return set();
  if (op <= Op::map_keys) return map();
  if (op <= Op::function_build) return function();
  if (op == Op::forall || op == Op::exists || op == Op::sum) return quantifier();
  if (op == Op::old) return e_.type == id(0);
  return op == Op::sent && sent();
}

}  // namespace

std::string type_problem(const Protocol& protocol, const Expr& expr) {
  const bool unsupported =
      expr.op == Op::once || expr.op == Op::real_literal || (expr.op >= Op::seq_literal && expr.op <= Op::seq_append);
  if (unsupported) return "is not supported yet";
  return Rule(protocol, expr).holds() ? "" : "does not follow the typing rule of its operation";
}

}  // namespace tenet::ir
