#include "tenet/ir/types.h"

namespace tenet::ir {

TypeId TypeTable::intern(const Type& type) {
  for (std::size_t i = 0; i < types_.size(); ++i) {
    if (types_[i] == type) return TypeId(i);
  }
  types_.push_back(type);
  return TypeId(types_.size() - 1);
}

}  // namespace tenet::ir
