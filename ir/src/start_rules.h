/// What makes constants and an initial state a start: shared by the
/// enumeration of starts and by replay.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "evaluate.h"

namespace tenet::ir {

/// Value of a ring constant: the ring goes through the hosts by index. (Hosts
/// have no other order, so every ring is this one up to names.)
[[nodiscard]] std::vector<Value> ring_table(const Instance& instance, const ConstDecl& decl, const Protocol& protocol);

/// Values of a defined constant, one for every host of its role or one in
/// all; from constants that have values already.
[[nodiscard]] std::variant<std::vector<Value>, Fault> defined_values(const Context& context, const ConstDecl& decl);

/// Initial values of a variable that has an initialiser, by host.
[[nodiscard]] std::variant<std::vector<Value>, Fault> initial_values(const Context& context, const VarDecl& decl);

/// How many values a constant has: one, one per host, or one per argument.
[[nodiscard]] std::size_t cells_of(const Context& context, const ConstDecl& decl);

/// `f` or `Leader.ballot`.
[[nodiscard]] std::string full_name(const Protocol& protocol, const ConstDecl& decl);
[[nodiscard]] std::string full_name(const Protocol& protocol, const VarDecl& decl);

}  // namespace tenet::ir
