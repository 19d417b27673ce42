/// The types of the protocol language, interned.
#pragma once

#include <cstdint>
#include <vector>

#include "tenet/ir/ids.h"

namespace tenet::ir {

enum class TypeKind : std::uint8_t {
  boolean,
  integer,  ///< unbounded; an instance gives it a range
  natural,  ///< integer >= 0; subtraction below zero is an error of the specification
  real,
  enumeration,  ///< `declaration` is an EnumId
  sort,         ///< uninterpreted, perhaps ordered; `declaration` is a SortId
  host,         ///< a host of a role; `declaration` is a RoleId
  option,       ///< `first` is the payload
  set,          ///< `first` is the element
  map,          ///< partial; `first` key, `second` value
  function,     ///< total; `first` argument, `second` result
  sequence,     ///< `first` is the element
  structure,    ///< `declaration` is a StructId
};

struct Type {
  TypeKind kind = TypeKind::boolean;
  std::uint32_t declaration = 0xffffffff;  ///< index into the table named at `kind`
  TypeId first{};
  TypeId second{};
  friend bool operator==(const Type&, const Type&) = default;
};

/// Interns types: equal types have equal ids. Copyable.
class TypeTable {
 public:
  TypeId intern(const Type& type);
  [[nodiscard]] const Type& operator[](TypeId id) const { return types_[id.index()]; }
  [[nodiscard]] std::size_t size() const { return types_.size(); }

  TypeId boolean() { return intern({TypeKind::boolean}); }
  TypeId integer() { return intern({TypeKind::integer}); }
  TypeId natural() { return intern({TypeKind::natural}); }
  TypeId real() { return intern({TypeKind::real}); }
  TypeId enumeration(EnumId id) { return intern({TypeKind::enumeration, id.value}); }
  TypeId sort(SortId id) { return intern({TypeKind::sort, id.value}); }
  TypeId host(RoleId id) { return intern({TypeKind::host, id.value}); }
  TypeId structure(StructId id) { return intern({TypeKind::structure, id.value}); }
  TypeId option(TypeId payload) { return intern({TypeKind::option, 0xffffffff, payload}); }
  TypeId set(TypeId element) { return intern({TypeKind::set, 0xffffffff, element}); }
  TypeId sequence(TypeId element) { return intern({TypeKind::sequence, 0xffffffff, element}); }
  TypeId map(TypeId key, TypeId value) { return intern({TypeKind::map, 0xffffffff, key, value}); }
  TypeId function(TypeId argument, TypeId result) { return intern({TypeKind::function, 0xffffffff, argument, result}); }

 private:
  std::vector<Type> types_;
};

}  // namespace tenet::ir
