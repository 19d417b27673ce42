/// A finite instance: how many hosts, how many values of each sort, which
/// numbers. Resolved from an `InstanceDecl` with the documented defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/base/diagnostic.h"
#include "tenet/base/result.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/value.h"

namespace tenet::ir {

struct Range {
  std::int64_t low = 0;
  std::int64_t high = 0;  ///< inclusive
  friend bool operator==(Range, Range) = default;
};

/// Defaults for what an instance leaves out.
inline constexpr std::int64_t kDefaultHosts = 2;
inline constexpr std::int64_t kDefaultSortSize = 2;
inline constexpr Range kDefaultNaturals{0, 3};
inline constexpr Range kDefaultIntegers{-2, 3};
/// Equal copies of an at-most-once message in flight; one more is cut.
/// An entry `copies = n` changes it.
inline constexpr std::int64_t kDefaultCopies = 2;
/// The most hosts of a role or values of a sort that an instance may name.
inline constexpr std::int64_t kMaxInstanceSize = 4096;

/// A resolved instance. Immutable after `resolve`.
class Instance {
 public:
  /// Resolves `decl` (or only defaults if null). Unknown names, sizes below
  /// one (hosts, sorts), empty ranges and the like go to `diagnostics`.
  static std::optional<Instance> resolve(const Protocol& protocol, const InstanceDecl* decl, Diagnostics& diagnostics);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::int64_t hosts(RoleId role) const { return role_sizes_[role.index()]; }
  [[nodiscard]] std::int64_t sort_size(SortId sort) const { return sort_sizes_[sort.index()]; }
  /// The numbers that a slot (variable, constant, field, parameter) named
  /// `slot` may hold. Struct fields inside the slot's type go by their own names.
  [[nodiscard]] Range numbers(std::string_view slot, TypeKind kind) const;
  /// The hull of all ranges of that kind: what a quantifier or a function
  /// argument over numbers ranges over.
  [[nodiscard]] Range all_numbers(TypeKind kind) const;
  /// The value an entry gives to the global constant of that name, if any.
  [[nodiscard]] std::optional<std::int64_t> constant(std::string_view name) const;
  [[nodiscard]] std::int64_t copies() const { return copies_; }

  /// All values of `type` in a slot of that name ("" : any slot, numbers then
  /// range over `all_numbers`), ascending. Arguments of functions always count
  /// as any slot, so that all functions of one type are tables over the same
  /// arguments. `too_large` beyond `limit` values, `unsupported` for reals and
  /// sequences.
  [[nodiscard]] Result<std::vector<Value>> domain(const Protocol& protocol, TypeId type, std::string_view slot,
                                                  std::size_t limit) const;
  /// Whether `value` lies in that domain. False means "cut at bound".
  [[nodiscard]] bool within(const Protocol& protocol, TypeId type, std::string_view slot, const Value& value) const;
  /// What has to be widened for `value` to lie within: the slot's name, a
  /// field's name inside it, or "nat" and "int" where no slot has a name.
  /// Nothing if it lies within; also names the slot for a value that is no
  /// value of the type at all.
  [[nodiscard]] std::optional<std::string> outside(const Protocol& protocol, TypeId type, std::string_view slot,
                                                   const Value& value) const;

 private:
  friend class InstanceReader;
  std::string name_;
  std::vector<std::int64_t> role_sizes_;
  std::vector<std::int64_t> sort_sizes_;
  struct NamedRange {
    std::string name;
    Range range;
  };
  std::vector<NamedRange> ranges_;
  Range all_naturals_ = kDefaultNaturals;
  Range all_integers_ = kDefaultIntegers;
  std::vector<std::pair<std::string, std::int64_t>> constants_;
  Range naturals_ = kDefaultNaturals;
  Range integers_ = kDefaultIntegers;
  std::int64_t copies_ = kDefaultCopies;
};

}  // namespace tenet::ir
