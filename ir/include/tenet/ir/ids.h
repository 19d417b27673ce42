/// Typed indices into the tables of a `Protocol`.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>

namespace tenet::ir {

/// An index that cannot be mixed up with another table's. Default: no object.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value(static_cast<std::uint32_t>(index)) {}
  [[nodiscard]] constexpr bool valid() const { return value != kNone; }
  [[nodiscard]] constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using TypeId = Id<struct TypeTag>;
using EnumId = Id<struct EnumTag>;
using SortId = Id<struct SortTag>;
using StructId = Id<struct StructTag>;
using RoleId = Id<struct RoleTag>;
using ConstId = Id<struct ConstTag>;        ///< Protocol::constants (global and per host)
using VarId = Id<struct VarTag>;            ///< Protocol::variables
using MessageId = Id<struct MessageTag>;    ///< Protocol::messages
using LocalId = Id<struct LocalTag>;        ///< Protocol::locals
using ExprId = Id<struct ExprTag>;          ///< Protocol::exprs
using StmtId = Id<struct StmtTag>;          ///< Protocol::stmts
using StepId = Id<struct StepTag>;          ///< Protocol::steps
using PropertyId = Id<struct PropertyTag>;  ///< Protocol::properties

}  // namespace tenet::ir

template <class Tag>
struct std::hash<tenet::ir::Id<Tag>> {
  std::size_t operator()(tenet::ir::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};
