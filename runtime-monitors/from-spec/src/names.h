/// Names and types of the generated code.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "tenet/ir/protocol.h"

namespace tenet::from_spec {

/// `RequestVote` to `request_vote`.
[[nodiscard]] std::string snake(std::string_view name);
/// `receive Promise` to `ReceivePromise`.
[[nodiscard]] std::string camel(std::string_view name);
/// The name itself, or `the_name` if it means something else in C++ or in the generated code.
[[nodiscard]] std::string safe(const std::string& name);
/// The same for a member, which only C++ itself can forbid.
[[nodiscard]] std::string member(const std::string& name);
/// A text as a C++ string literal.
[[nodiscard]] std::string literal(std::string_view text);

/// How types of a protocol are called. `hook`: what a service passes; otherwise what the checker keeps.
class Types {
 public:
  explicit Types(const ir::Protocol& protocol) : p_(protocol) {}
  [[nodiscard]] std::string hook(ir::TypeId type) const { return name(type, true); }
  [[nodiscard]] std::string model(ir::TypeId type) const { return name(type, false); }
  [[nodiscard]] std::string host_id(ir::RoleId role) const { return p_[role].name + "Id"; }
  /// The member that holds all hosts of a role: `acceptors_`.
  [[nodiscard]] std::string all_hosts(ir::RoleId role) const { return snake(p_[role].name) + "_hosts_"; }
  /// The member of a run that holds what is known of them: `acceptors`.
  [[nodiscard]] std::string tracked(ir::RoleId role) const { return snake(p_[role].name) + "_states"; }
  /// The member that holds what was sent of a message: `request_vote`.
  [[nodiscard]] std::string messages(ir::MessageId message) const { return safe(snake(p_[message].name)); }
  /// Numbers, uninterpreted values and what is made of them: a monitor knows only those it has seen.
  [[nodiscard]] bool open(ir::TypeId type) const;
  /// Whether monitors can hold such values (no reals, no sequences).
  [[nodiscard]] bool supported(ir::TypeId type) const;

 private:
  [[nodiscard]] std::string name(ir::TypeId type, bool hook) const;
  const ir::Protocol& p_;
};

/// Names of locals inside one function: each binding its own.
class Locals {
 public:
  explicit Locals(const ir::Protocol& protocol) : p_(protocol) {}
  const std::string& operator[](ir::LocalId local);

 private:
  const ir::Protocol& p_;
  std::map<ir::LocalId, std::string> names_;
  std::set<std::string> taken_;
};

}  // namespace tenet::from_spec
