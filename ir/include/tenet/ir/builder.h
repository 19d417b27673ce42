/// Convenience for making expressions with their types filled in. Used by the
/// frontend, by edits and by tests that have no text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenet/ir/protocol.h"

namespace tenet::ir {

/// Makes nodes in a protocol. Types follow from the arguments; a wrong
/// argument type is a programmer error (assertion). Cheap to create.
class Builder {
 public:
  explicit Builder(Protocol& protocol, Span span = {}) : p_(&protocol), span_(span) {}
  void at(Span span) { span_ = span; }

  ExprId boolean(bool value);
  ExprId natural(std::int64_t value);
  ExprId integer(std::int64_t value);
  ExprId enum_literal(EnumId decl, std::size_t member);
  ExprId none(TypeId option_type);
  ExprId some(ExprId payload);
  ExprId get(ExprId option, bool narrowed = false);
  ExprId local(LocalId id);
  ExprId self(RoleId role);
  ExprId single_host(RoleId role);
  ExprId all_hosts(RoleId role);
  ExprId role_size(RoleId role);
  ExprId state_var(VarId var, ExprId host);
  ExprId host_const(ConstId constant, ExprId host);
  ExprId global_const(ConstId constant, std::vector<ExprId> args = {});
  ExprId negate(ExprId a);
  ExprId conjunction(std::vector<ExprId> args);  ///< true for none, the argument itself for one
  ExprId disjunction(std::vector<ExprId> args);  ///< false for none
  ExprId binary(Op op, ExprId a, ExprId b);      ///< any two-argument Op
  ExprId unary(Op op, ExprId a);                 ///< any one-argument Op
  ExprId ite(ExprId condition, ExprId then, ExprId otherwise);
  ExprId make_struct(StructId decl, std::vector<ExprId> fields);
  ExprId field(ExprId value, std::size_t index);
  ExprId with_field(ExprId value, std::size_t index, ExprId replacement);
  ExprId set_literal(TypeId set_type, std::vector<ExprId> elements);
  ExprId constant_function(TypeId function_type, ExprId value);
  ExprId update(ExprId function, ExprId argument, ExprId value);
  ExprId map_put(ExprId map, ExprId key, ExprId value);
  ExprId quantifier(Op op, std::vector<LocalId> binders, ExprId body, ExprId domain = {});
  ExprId sum(std::vector<LocalId> binders, ExprId summand, ExprId domain = {});
  ExprId function_build(LocalId binder, ExprId body);
  ExprId set_build(LocalId binder, ExprId predicate, ExprId domain = {});

  StmtId assign(VarId var, ExprId value);
  StmtId send(MessageId message, std::vector<ExprId> args, ExprId target);
  StmtId if_then(ExprId condition, std::vector<StmtId> then_branch, std::vector<StmtId> else_branch = {});

 private:
  ExprId make(Op op, TypeId type, std::vector<ExprId> args, std::uint32_t ref = 0xffffffff, std::int64_t value = 0);
  Protocol* p_;
  Span span_;
};

}  // namespace tenet::ir
