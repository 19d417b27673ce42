/// Typed expressions of the IR.
///
/// An expression is a node in `Protocol::exprs`; children are ids. Nodes are
/// never changed in place by passes: an edit makes new nodes. A node may be
/// shared by several parents.
#pragma once

#include <cstdint>
#include <vector>

#include "tenet/base/source.h"
#include "tenet/ir/ids.h"

namespace tenet::ir {

/// What a node computes. Beside each: its arguments (`args`) and what
/// `ref`, `value` or `binders` hold. All typing rules are in verifier.h.
enum class Op : std::uint8_t {
  // Leaves
  bool_literal,  ///< value 0 or 1
  int_literal,   ///< value; type integer or natural
  real_literal,  ///< value / 10^ref (a decimal)
  enum_literal,  ///< value = index of the member in its enum
  none,          ///< type option<T>
  empty_map,     ///< type map<K,V>
  all_hosts,     ///< type set<R>: every host of the role
  role_size,     ///< ref = RoleId; natural |R|
  local,         ///< ref = LocalId: parameter, received field, chosen or bound variable
  self,          ///< the acting host; only in steps and host initialisers
  single_host,   ///< ref = RoleId of a `single` role
  // State and constants
  state_var,     ///< [host]; ref = VarId
  host_const,    ///< [host]; ref = ConstId of a role
  global_const,  ///< [arguments…]; ref = ConstId of the protocol (a relation or function has arguments)
  // Logic
  not_,
  and_,  ///< two or more arguments, left to right, short-circuit
  or_,   ///< the same
  implies,
  iff,
  ite,  ///< [condition, then, else]; only the chosen one is evaluated
  eq,
  ne,
  lt,  ///< integers, naturals, reals, ordered sorts; ordered structs field by field, the first that differs decides
  le,
  gt,
  ge,
  // Arithmetic (integer, natural, real)
  add,
  sub,  ///< natural minus natural is natural: below zero is an error
  mul,
  div,  ///< rounds down; by zero is an error
  mod,
  neg,
  to_int,  ///< natural used as an integer; inserted by the frontend
  // Options
  some,
  get,  ///< [option]; of none is an error; value 1 if inserted by narrowing
  // Structs
  make_struct,  ///< one argument per field
  field,        ///< [struct]; ref = field index
  with_field,   ///< [struct, value]; ref = field index: a copy with the field replaced
  // Sets
  set_literal,  ///< elements; none for {}
  contains,     ///< [element, set]
  subset,       ///< [set, set], improper
  set_union,
  set_intersection,
  set_difference,
  set_build,    ///< [domain set or absent, predicate]; one binder; the set of the binder's values
  cardinality,  ///< [set]; natural
  majority,     ///< [set<R>]; 2·|s| > |R|
  // Maps (partial)
  map_get,     ///< [map, key]; a missing key is an error
  map_has,     ///< [map, key]
  map_put,     ///< [map, key, value]
  map_remove,  ///< [map, key]
  map_keys,    ///< [map]; set<K>
  // Functions (total)
  constant_function,  ///< [value]: the same result for every argument
  apply,              ///< [function, argument]
  update,             ///< [function, argument, value]
  function_build,     ///< [body]; one binder: binder => body
  // Sequences (place kept; refused by the frontend as not supported yet)
  seq_literal,
  seq_length,
  seq_at,
  seq_append,
  // Quantifiers; each binder ranges over its type, or over args[1] if present (one binder then)
  forall,  ///< [body] or [body, domain]
  exists,
  sum,  ///< [summand] or [summand, domain], binders as above: its values added up, 0 if there are none; beyond 64 bits
        ///< is
        ///< an error
  // Two states and the past
  old,   ///< [expr] in the state before the step; only in `transition`
  sent,  ///< ref = MessageId; args = one per field, invalid id for `_`; binder-free. With value 1, args[n], args[n+1]
         ///< are sender, addressee (each may be invalid)
  once,  ///< place kept; refused as not supported yet
};

/// Number of operations; tables indexed by Op check against it.
inline constexpr int kOpCount = static_cast<int>(Op::once) + 1;

struct Expr {
  Op op = Op::bool_literal;
  TypeId type;
  std::uint32_t ref = 0xffffffff;
  std::int64_t value = 0;
  std::vector<ExprId> args;
  std::vector<LocalId> binders;
  Span span;
};

}  // namespace tenet::ir
