#include "op_names.h"

#include <array>

namespace tenet::ir {

namespace {

/// In the order of `Op`.
constexpr std::array<std::string_view, kOpCount> kNames = {
    "bool_literal",
    "int_literal",
    "real_literal",
    "enum_literal",
    "none",
    "empty_map",
    "all_hosts",
    "role_size",
    "local",
    "self",
    "single_host",
    "state_var",
    "host_const",
    "global_const",
    "not",
    "and",
    "or",
    "implies",
    "iff",
    "ite",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "add",
    "sub",
    "mul",
    "div",
    "mod",
    "neg",
    "to_int",
    "some",
    "get",
    "make_struct",
    "field",
    "with_field",
    "set_literal",
    "contains",
    "subset",
    "set_union",
    "set_intersection",
    "set_difference",
    "set_build",
    "cardinality",
    "majority",
    "map_get",
    "map_has",
    "map_put",
    "map_remove",
    "map_keys",
    "constant_function",
    "apply",
    "update",
    "function_build",
    "seq_literal",
    "seq_length",
    "seq_at",
    "seq_append",
    "forall",
    "exists",
    "sum",
    "old",
    "sent",
    "once",
};
static_assert(!kNames.back().empty(), "every operation has a name");

}  // namespace

std::string_view op_name(Op op) { return kNames[static_cast<std::size_t>(op)]; }

std::optional<Op> op_of(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<Op>(i);
  }
  return {};
}

}  // namespace tenet::ir
