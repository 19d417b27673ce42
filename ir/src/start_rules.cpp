#include "start_rules.h"

#include <utility>

namespace tenet::ir {

namespace {

/// Steps forward from one host of a ring to another; a host meets itself last.
std::int64_t distance(std::int64_t from, std::int64_t to, std::int64_t size) {
  const std::int64_t steps = (to - from + size) % size;
  return steps == 0 ? size : steps;
}

std::variant<std::vector<Value>, Fault> for_every_host(Context context, RoleId role, ExprId expr) {
  const std::int64_t hosts = role.valid() ? context.instance->hosts(role) : 1;
  std::vector<Value> values;
  Evaluator evaluator(context);
  for (std::int64_t i = 0; i < hosts; ++i) {
    if (role.valid()) evaluator.context().self = HostRef{role, static_cast<std::uint32_t>(i)};
    try {
      values.push_back(evaluator.value(expr));
    } catch (const Stopped& stopped) {
      return fault_of(stopped);
    }
  }
  return values;
}

}  // namespace

std::vector<Value> ring_table(const Instance& instance, const ConstDecl& decl, const Protocol& protocol) {
  const std::int64_t size = instance.hosts(RoleId(protocol[decl.parameters.front()].declaration));
  std::vector<Value> table;
  if (decl.kind == ConstKind::ring_next) {
    for (std::int64_t a = 0; a < size; ++a) table.push_back({(a + 1) % size, {}});
    return table;
  }
  for (std::int64_t a = 0; a < size; ++a) {
    for (std::int64_t b = 0; b < size; ++b) {
      for (std::int64_t c = 0; c < size; ++c) {
        table.push_back({distance(a, b, size) < distance(a, c, size) ? 1 : 0, {}});
      }
    }
  }
  return table;
}

std::variant<std::vector<Value>, Fault> defined_values(const Context& context, const ConstDecl& decl) {
  return for_every_host(context, decl.role, decl.value);
}

std::variant<std::vector<Value>, Fault> initial_values(const Context& context, const VarDecl& decl) {
  return for_every_host(context, decl.role, decl.init);
}

std::size_t cells_of(const Context& context, const ConstDecl& decl) {
  if (decl.role.valid()) return static_cast<std::size_t>(context.instance->hosts(decl.role));
  std::size_t cells = 1;
  for (const TypeId parameter : decl.parameters) cells *= context.domains->of(parameter)->size();
  return cells;
}

std::string full_name(const Protocol& protocol, const ConstDecl& decl) {
  return decl.role.valid() ? protocol[decl.role].name + "." + decl.name : decl.name;
}

std::string full_name(const Protocol& protocol, const VarDecl& decl) {
  return protocol[decl.role].name + "." + decl.name;
}

}  // namespace tenet::ir
