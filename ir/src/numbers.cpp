#include "tenet/ir/numbers.h"

#include <algorithm>

namespace tenet::ir {

bool has_numbers(const Protocol& protocol, TypeId type) {
  const Type& t = protocol[type];
  switch (t.kind) {
    case TypeKind::integer:
    case TypeKind::natural:
    case TypeKind::real:
      return true;
    case TypeKind::structure: {
      const auto& fields = protocol.structs[t.declaration].fields;
      return std::any_of(fields.begin(), fields.end(),
                         [&](const FieldDecl& field) { return has_numbers(protocol, field.type); });
    }
    default:
      return (t.first.valid() && has_numbers(protocol, t.first)) ||
             (t.second.valid() && has_numbers(protocol, t.second));
  }
}

}  // namespace tenet::ir
