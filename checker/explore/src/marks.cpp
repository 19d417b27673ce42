#include "marks.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tenet::explore {

namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c = 0) {
  const std::uint64_t parts[3] = {a, b, c};
  return XXH3_64bits(parts, sizeof(parts));
}

}  // namespace

std::uint64_t Marker::host(std::uint32_t number) const {
  const ir::HostRef ref = universe_.places().host(number);
  return mark_(true, ref.role.value, ref.index);
}

std::uint64_t Marker::value(ir::TypeId id, const ir::Value& from) const {
  const ir::Protocol& p = universe_.protocol();
  const ir::Type& type = p[id];
  const auto number = static_cast<std::uint64_t>(from.number);
  switch (type.kind) {
    case ir::TypeKind::host:
      return mix(1, mark_(true, type.declaration, static_cast<std::uint32_t>(from.number)));
    case ir::TypeKind::sort:
      return mix(2, mark_(false, type.declaration, static_cast<std::uint32_t>(from.number)));
    case ir::TypeKind::option:
      return mix(3, number, from.items.empty() ? 0 : value(type.first, from.items[0]));
    case ir::TypeKind::structure: {
      std::uint64_t hash = 4;
      for (std::size_t i = 0; i < from.items.size(); ++i) {
        hash = mix(hash, value(p.structs[type.declaration].fields[i].type, from.items[i]));
      }
      return hash;
    }
    // Elements, keys and arguments have no order here: renaming changes it.
    case ir::TypeKind::set: {
      std::uint64_t sum = 0;
      for (const ir::Value& item : from.items) sum += mix(5, value(type.first, item));
      return mix(5, sum, from.items.size());
    }
    case ir::TypeKind::map: {
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < from.items.size(); i += 2) {
        sum += mix(6, value(type.first, from.items[i]), value(type.second, from.items[i + 1]));
      }
      return mix(6, sum);
    }
    case ir::TypeKind::function: {
      const Domain& arguments = *universe_.shape(id).elements;
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < arguments.size(); ++i) {
        const ir::Value argument = universe_.value(type.first, arguments.element(i));
        sum += mix(7, value(type.first, argument), value(type.second, from.items[i]));
      }
      return mix(7, sum);
    }
    default:
      return mix(8, number);
  }
}

std::uint64_t Marker::local(const Local& local) const {
  const ir::Protocol& p = universe_.protocol();
  const Places& places = universe_.places();
  const ir::HostRef self = places.host(local.host);
  std::uint64_t hash = mix(10, self.role.value, host(local.host));
  for (const ir::VarId id : p[self.role].variables) {
    hash = mix(hash, value(p[id].type, universe_.value(p[id].type, local.cells.data() + places.variable(id))));
  }
  for (const ir::ConstId id : p[self.role].constants) {
    hash = mix(hash, value(p[id].type, universe_.value(p[id].type, local.cells.data() + places.constant(id))));
  }
  return hash;
}

std::uint64_t Marker::message(const Message& message) const {
  const ir::Protocol& p = universe_.protocol();
  std::uint64_t hash = mix(11, message.constructor.value);
  hash = mix(hash, host(message.sender), host(message.addressee));
  hash = mix(hash, universe_.places().host(message.sender).role.value);
  const auto& fields = p[message.constructor].fields;
  const auto& offsets = universe_.field_offsets(message.constructor);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    hash = mix(hash, value(fields[i].type, universe_.value(fields[i].type, message.args.data() + offsets[i])));
  }
  return hash;
}

}  // namespace tenet::explore
