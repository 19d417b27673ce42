/// Formulas of a protocol as C++ expressions over `Evaluation`.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "names.h"
#include "tenet/ir/protocol.h"

namespace tenet::from_spec {

/// Writes expressions of one function. What it cannot write is remembered in `unsupported`.
class Expressions {
 public:
  /// `acting`: the role whose host takes the step; its own state is then `self`. Without: a property.
  Expressions(const ir::Protocol& protocol, Locals& locals, ir::RoleId acting = {})
      : p_(protocol), types_(protocol), locals_(locals), acting_(acting) {}

  /// The expression; in brackets if something that binds at least as tightly as `around` stands around it.
  [[nodiscard]] std::string write(ir::ExprId expr, int around = 0);
  /// The body of a formula about single hosts, of which `host` is one (plan.h). `since`: `old` reads what was seen of
  /// it last, and not only the state before the present step.
  [[nodiscard]] std::string write_about(ir::ExprId formula, ir::LocalId host, bool since);
  /// For where a member access or a call follows.
  [[nodiscard]] std::string operand(ir::ExprId expr) { return write(expr, kPostfix); }
  [[nodiscard]] const std::string& unsupported() const { return unsupported_; }
  /// Variables of hosts, and messages whose sendings, were read.
  [[nodiscard]] const std::set<ir::VarId>& variables_read() const { return variables_read_; }
  [[nodiscard]] const std::set<ir::MessageId>& messages_read() const { return messages_read_; }
  [[nodiscard]] const std::set<ir::TypeId>& seen_types() const { return seen_types_; }

  static constexpr int kOr = 1, kAnd = 2, kCompare = 3, kUnary = 4, kPostfix = 5;

 private:
  [[nodiscard]] std::string order(const ir::Expr& e, const char* op);
  [[nodiscard]] std::string comparison(const ir::Expr& e, const char* op);
  [[nodiscard]] std::string equality(const ir::Expr& e, bool equal);
  [[nodiscard]] std::string quantifier(const ir::Expr& e);
  [[nodiscard]] std::string quantifier(const ir::Expr& e, std::size_t binder);
  /// What is said within the quantifier over this bound variable.
  [[nodiscard]] std::string within(const ir::Expr& e, std::size_t binder);
  [[nodiscard]] std::string sum(const ir::Expr& e, std::size_t binder);
  [[nodiscard]] bool mentions(ir::ExprId expr, ir::LocalId local) const;
  [[nodiscard]] std::string range(ir::LocalId binder, bool& seen_only);
  [[nodiscard]] std::string sent(const ir::Expr& e);
  [[nodiscard]] std::string call(const char* name, const ir::Expr& e);
  [[nodiscard]] std::string cell(const ir::Expr& e, const std::string& member, bool constant);
  [[nodiscard]] std::string other(ir::ExprId id, const ir::Expr& e);
  [[nodiscard]] std::string fail(const std::string& what);
  /// The set S if the formula begins with `binder in S`.
  [[nodiscard]] std::optional<ir::ExprId> bounding_set(ir::ExprId body, ir::LocalId binder, bool universal) const;

  const ir::Protocol& p_;
  Types types_;
  Locals& locals_;
  ir::RoleId acting_;
  ir::LocalId about_;
  bool since_ = false;
  bool old_ = false;
  std::string unsupported_;
  std::set<ir::VarId> variables_read_;
  std::set<ir::MessageId> messages_read_;
  std::set<ir::TypeId> seen_types_;
};

/// The roles that send a message.
[[nodiscard]] std::set<ir::RoleId> senders(const ir::Protocol& protocol, ir::MessageId message);
/// Name of a member of the checker that collects the values of a type.
[[nodiscard]] std::string seen_member(const ir::Protocol& protocol, ir::TypeId type);

}  // namespace tenet::from_spec
