#include "tenet/ir/types.h"

#include "tenet/ir/protocol.h"

namespace tenet::ir {

TypeId TypeTable::intern(const Type& type) {
  for (std::size_t i = 0; i < types_.size(); ++i) {
    if (types_[i] == type) return TypeId(i);
  }
  types_.push_back(type);
  return TypeId(types_.size() - 1);
}

bool has_order(const Protocol& protocol, TypeId type) {
  const Type& t = protocol[type];
  switch (t.kind) {
    case TypeKind::integer:
    case TypeKind::natural:
    case TypeKind::real:
      return true;
    case TypeKind::sort:
      return protocol.sorts[t.declaration].ordered;
    case TypeKind::structure:
      return protocol.structs[t.declaration].ordered;
    default:
      return false;
  }
}

}  // namespace tenet::ir
