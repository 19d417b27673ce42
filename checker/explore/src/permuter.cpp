#include "permuter.h"

#include <algorithm>
#include <numeric>

#include "refusal.h"

namespace tenet::explore {

Renaming Renaming::identity(const ir::Protocol& protocol, const ir::Instance& instance) {
  Renaming result;
  const auto count = [](std::int64_t size) {
    std::vector<std::uint32_t> numbers(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), 0U);
    return numbers;
  };
  for (std::size_t i = 0; i < protocol.roles.size(); ++i) result.hosts.push_back(count(instance.hosts(ir::RoleId(i))));
  for (std::size_t i = 0; i < protocol.sorts.size(); ++i) {
    result.sorts.push_back(count(instance.sort_size(ir::SortId(i))));
  }
  return result;
}

std::uint32_t Permuter::host(std::uint32_t number, const Renaming& renaming) const {
  const ir::HostRef ref = universe_.places().host(number);
  return universe_.places().number({ref.role, renaming.hosts[ref.role.index()][ref.index]});
}

ir::Value Permuter::function(const ir::Type& type, const ir::Value& value, const Renaming& renaming) {
  const Domain& arguments = layouts_.domain(type.first, "");
  const Shape& shape = layouts_.shape(type.first);
  ir::Value result;
  result.items.resize(value.items.size());
  std::vector<Cell> argument(shape.cells);
  for (std::uint64_t i = 0; i < arguments.size(); ++i) {
    cells(type.first, arguments.element(i), argument.data(), renaming);
    const std::int64_t to = arguments.index(argument.data());
    if (to < 0) refuse(ErrorKind::internal, "a renamed argument lies outside its domain");
    result.items[static_cast<std::size_t>(to)] = this->value(type.second, value.items[i], renaming);
  }
  return result;
}

ir::Value Permuter::value(ir::TypeId id, const ir::Value& from, const Renaming& renaming) {
  const ir::Type type = p_[id];
  ir::Value result = from;
  switch (type.kind) {
    case ir::TypeKind::host:
      result.number = renaming.hosts[type.declaration][static_cast<std::size_t>(from.number)];
      return result;
    case ir::TypeKind::sort:
      result.number = renaming.sorts[type.declaration][static_cast<std::size_t>(from.number)];
      return result;
    case ir::TypeKind::option:
    case ir::TypeKind::set:
      for (ir::Value& item : result.items) item = value(type.first, item, renaming);
      std::sort(result.items.begin(), result.items.end());
      return result;
    case ir::TypeKind::structure:
      for (std::size_t i = 0; i < result.items.size(); ++i) {
        result.items[i] = value(p_.structs[type.declaration].fields[i].type, from.items[i], renaming);
      }
      return result;
    case ir::TypeKind::map: {
      std::vector<std::pair<ir::Value, ir::Value>> entries;
      for (std::size_t i = 0; i < from.items.size(); i += 2) {
        entries.emplace_back(value(type.first, from.items[i], renaming),
                             value(type.second, from.items[i + 1], renaming));
      }
      std::sort(entries.begin(), entries.end());
      for (std::size_t i = 0; i < entries.size(); ++i) {
        result.items[2 * i] = std::move(entries[i].first);
        result.items[2 * i + 1] = std::move(entries[i].second);
      }
      return result;
    }
    case ir::TypeKind::function:
      return function(type, from, renaming);
    default:
      return result;
  }
}

void Permuter::cells(ir::TypeId type, const Cell* from, Cell* to, const Renaming& renaming) {
  const Shape& shape = layouts_.shape(type);
  if (!layouts_.to_cells(shape, value(type, layouts_.to_value(shape, from), renaming), to)) {
    refuse(ErrorKind::internal, "a renamed value lies outside the instance");
  }
}

std::uint32_t Permuter::row(const ir::ConstDecl& decl, std::uint32_t row, const Renaming& renaming) {
  if (decl.role.valid()) return renaming.hosts[decl.role.index()][row];
  std::uint32_t result = 0;
  std::uint32_t stride = 1;
  for (std::size_t i = decl.parameters.size(); i-- > 0;) {
    const Domain& domain = layouts_.domain(decl.parameters[i], "");
    std::vector<Cell> argument(layouts_.shape(decl.parameters[i]).cells);
    const auto size = static_cast<std::uint32_t>(domain.size());
    cells(decl.parameters[i], domain.element(row % size), argument.data(), renaming);
    result += stride * static_cast<std::uint32_t>(domain.index(argument.data()));
    stride *= size;
    row /= size;
  }
  return result;
}

std::uint32_t Permuter::config(std::uint32_t id, const Renaming& renaming) {
  const std::vector<Cell>& from = universe_.config(id).cells;
  std::vector<Cell> to(from.size());
  const Places& places = universe_.places();
  for (std::size_t i = 0; i < p_.constants.size(); ++i) {
    const ir::ConstId constant(i);
    const ir::ConstDecl& decl = p_[constant];
    if (decl.role.valid() && !places.shared(constant)) continue;
    const std::size_t width = layouts_.shape(decl.type).cells;
    for (std::uint32_t n = 0; n < places.rows(constant); ++n) {
      cells(decl.type, from.data() + places.config(constant) + n * width,
            to.data() + places.config(constant) + row(decl, n, renaming) * width, renaming);
    }
  }
  return universe_.intern_config(std::move(to));
}

std::uint32_t Permuter::local(const Local& local, const Renaming& renaming) {
  const Places& places = universe_.places();
  const ir::RoleDecl& role = p_[places.host(local.host).role];
  std::vector<Cell> to(local.cells.size());
  for (const ir::VarId id : role.variables) {
    cells(p_[id].type, local.cells.data() + places.variable(id), to.data() + places.variable(id), renaming);
  }
  for (const ir::ConstId id : role.constants) {
    cells(p_[id].type, local.cells.data() + places.constant(id), to.data() + places.constant(id), renaming);
  }
  return universe_.intern_local(host(local.host, renaming), config(local.config, renaming), to.data());
}

std::uint32_t Permuter::message(std::uint32_t id, const Renaming& renaming) {
  const Message& from = universe_.message(id);
  std::vector<Cell> args(from.args.size());
  const auto& fields = p_[from.constructor].fields;
  const auto& offsets = universe_.field_offsets(from.constructor);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    cells(fields[i].type, from.args.data() + offsets[i], args.data() + offsets[i], renaming);
  }
  return universe_.intern_message(from.constructor, host(from.sender, renaming), host(from.addressee, renaming),
                                  std::move(args));
}

}  // namespace tenet::explore
