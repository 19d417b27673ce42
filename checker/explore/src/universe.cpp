#include "universe.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "refusal.h"

namespace tenet::explore {

namespace {

/// Seeds that keep the kinds of content apart.
constexpr std::uint64_t kConfigSeed = 0x636f6e66;
constexpr std::uint64_t kLocalSeed = 0x6c6f6361;
constexpr std::uint64_t kMessageSeed = 0x6d657373;

}  // namespace

std::uint64_t hash_cells(const std::vector<Cell>& cells, std::uint64_t seed) {
  return XXH3_64bits_withSeed(cells.data(), cells.size() * sizeof(Cell), seed);
}

std::uint64_t Message::copy_hash(std::uint32_t copy) const {
  const std::uint64_t parts[2] = {hash, copy};
  return XXH3_64bits(parts, sizeof(parts));
}

Universe::Universe(const ir::Protocol& protocol, const ir::Instance& instance, Layouts& layouts, const Places& places)
    : p_(protocol),
      instance_(instance),
      layouts_(layouts),
      places_(places),
      hosts_(places.host_count()),
      by_constructor_(protocol.messages.size()) {
  for (const ir::MessageDecl& message : protocol.messages) {
    std::uint32_t offset = 0;
    auto& offsets = field_offsets_.emplace_back();
    for (const ir::FieldDecl& field : message.fields) {
      offsets.push_back(offset);
      offset += layouts.shape(field.type).cells;
    }
    argument_cells_.push_back(offset);
  }
}

void Universe::set_footprints(std::vector<Footprint> footprints) {
  footprints_ = std::move(footprints);
  projection_ids_.resize(footprints_.size());
}

std::uint32_t Universe::intern_config(std::vector<Cell> cells) {
  const std::lock_guard lock(config_mutex_);
  const auto [entry, is_new] = config_ids_.try_emplace(cells, configs_.size());
  if (is_new) {
    Config& config = configs_.next();
    config.hash = hash_cells(cells, kConfigSeed);
    config.cells = std::move(cells);
    configs_.publish();
  }
  return entry->second;
}

std::uint32_t Universe::projection_count(std::size_t check) const {
  const std::lock_guard lock(projection_mutex_);
  return static_cast<std::uint32_t>(projection_ids_[check].size());
}

void Universe::project(Local& local) {
  const std::size_t role = places_.host(local.host).role.index();
  std::vector<Cell> read;
  const std::lock_guard lock(projection_mutex_);
  for (std::size_t check = 0; check < footprints_.size(); ++check) {
    read.clear();
    for (const auto& [offset, length] : footprints_[check].cells[role]) {
      read.insert(read.end(), local.cells.begin() + offset, local.cells.begin() + offset + length);
    }
    auto& ids = projection_ids_[check];
    local.projections.push_back(ids.try_emplace(read, static_cast<std::uint32_t>(ids.size())).first->second);
  }
}

std::uint32_t Universe::intern_local(std::uint32_t host, std::uint32_t config, const Cell* cells) {
  Host& table = hosts_[host];
  const std::uint32_t width = places_.record_cells(places_.host(host).role);
  Key key{config, std::vector<Cell>(cells, cells + width)};
  const std::lock_guard lock(table.mutex);
  const auto found = table.ids.find(key);
  if (found != table.ids.end()) return found->second;
  const std::uint32_t id = table.locals.size();
  Local& local = table.locals.next();
  local.id = id;
  local.host = host;
  local.config = config;
  local.cells = key.cells;
  local.hash = hash_cells(local.cells, kLocalSeed + host + configs_[config].hash);
  project(local);
  memory_ += sizeof(Local) + std::uint64_t{width} * 2 * sizeof(Cell) + local.projections.size() * 4 + 96;
  table.ids.emplace(std::move(key), id);
  table.locals.publish();
  return id;
}

std::uint32_t Universe::intern_message(ir::MessageId constructor, std::uint32_t sender, std::uint32_t addressee,
                                       std::vector<Cell> args) {
  std::vector<Cell> key = args;
  key.push_back(constructor.value);
  key.push_back(sender);
  key.push_back(addressee);
  const std::lock_guard lock(message_mutex_);
  const auto [entry, is_new] = message_ids_.try_emplace(std::move(key), messages_.size());
  if (!is_new) return entry->second;
  Message& message = messages_.next();
  message.constructor = constructor;
  message.sender = sender;
  message.addressee = addressee;
  message.consumed = p_[constructor].delivery == ir::Delivery::at_most_once;
  message.copies = message.consumed ? static_cast<std::uint32_t>(instance_.copies()) : 1;
  message.hash = hash_cells(entry->first, kMessageSeed);
  message.args = std::move(args);
  StableVector<std::uint32_t>& inbox = hosts_[addressee].inbox;
  message.bit = inbox.size();
  for (std::uint32_t copy = 0; copy < message.copies; ++copy) {
    inbox.next() = entry->second;
    inbox.publish();
  }
  by_constructor_[constructor.index()].next() = entry->second;
  memory_ += sizeof(Message) + 2 * message.args.size() * sizeof(Cell) + 128;
  const std::uint32_t id = messages_.publish();
  by_constructor_[constructor.index()].publish();
  return id;
}

void Universe::store(ir::TypeId type, const ir::Value& value, Cell* out) const {
  if (!layouts_.to_cells(layouts_.shape(type), value, out)) {
    refuse(ErrorKind::internal, "a value of a state lies outside the instance");
  }
}

std::uint32_t Universe::intern_config(const ir::Constants& constants) {
  std::vector<Cell> cells(places_.config_cells());
  for (std::size_t i = 0; i < p_.constants.size(); ++i) {
    const ir::ConstId id(i);
    if (p_[id].role.valid() && !places_.shared(id)) continue;
    const std::uint32_t width = layouts_.shape(p_[id].type).cells;
    for (std::uint32_t row = 0; row < places_.rows(id); ++row) {
      store(p_[id].type, constants.values[i][row], cells.data() + places_.config(id) + std::size_t{row} * width);
    }
  }
  return intern_config(std::move(cells));
}

std::uint32_t Universe::intern_local(std::uint32_t host, std::uint32_t config, const ir::Constants& constants,
                                     const ir::State& state) {
  const ir::HostRef ref = places_.host(host);
  const ir::RoleDecl& role = p_[ref.role];
  std::vector<Cell> cells(places_.record_cells(ref.role));
  for (const ir::VarId id : role.variables) {
    store(p_[id].type, state.variables[id.index()][ref.index], cells.data() + places_.variable(id));
  }
  for (const ir::ConstId id : role.constants) {
    store(p_[id].type, constants.values[id.index()][ref.index], cells.data() + places_.constant(id));
  }
  return intern_local(host, config, cells.data());
}

std::uint32_t Universe::intern_packet(const ir::Packet& packet) {
  std::vector<Cell> args(argument_cells(packet.message));
  const auto& fields = p_[packet.message].fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    store(fields[i].type, packet.args[i], args.data() + field_offsets(packet.message)[i]);
  }
  return intern_message(packet.message, places_.number(packet.sender), places_.number(packet.addressee),
                        std::move(args));
}

ir::Packet Universe::packet(std::uint32_t id) const {
  const Message& from = messages_[id];
  ir::Packet packet{from.constructor, places_.host(from.sender), places_.host(from.addressee), {}};
  const auto& fields = p_[from.constructor].fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Cell* cells = from.args.data() + field_offsets(from.constructor)[i];
    packet.args.push_back(layouts_.to_value(layouts_.shape(fields[i].type), cells));
  }
  return packet;
}

ir::Constants Universe::constants_seen_by(const Local& local) const {
  ir::Constants result;
  const ir::HostRef self = places_.host(local.host);
  const std::vector<Cell>& config = configs_[local.config].cells;
  for (std::size_t i = 0; i < p_.constants.size(); ++i) {
    const ir::ConstId id(i);
    const Shape& shape = layouts_.shape(p_[id].type);
    const bool in_config = !p_[id].role.valid() || places_.shared(id);
    const bool own = p_[id].role.valid() && p_[id].role == self.role;
    auto& values = result.values.emplace_back(places_.rows(id));
    for (std::uint32_t row = 0; row < values.size(); ++row) {
      if (in_config) {
        values[row] = layouts_.to_value(shape, config.data() + places_.config(id) + std::size_t{row} * shape.cells);
      } else if (own) {
        values[row] = layouts_.to_value(shape, local.cells.data() + places_.constant(id));
      }
    }
  }
  return result;
}

void Universe::read_variables(const Local& local, ir::State& state) const {
  const ir::HostRef self = places_.host(local.host);
  state.variables.resize(p_.variables.size());
  for (const ir::VarId id : p_[self.role].variables) {
    auto& values = state.variables[id.index()];
    values.resize(static_cast<std::size_t>(instance_.hosts(self.role)));
    const Cell* cells = local.cells.data() + places_.variable(id);
    values[self.index] = layouts_.to_value(layouts_.shape(p_[id].type), cells);
  }
}

std::vector<Cell> Universe::cells_of(const Local& like, const ir::State& state) const {
  std::vector<Cell> cells = like.cells;
  const ir::HostRef self = places_.host(like.host);
  for (const ir::VarId id : p_[self.role].variables) {
    store(p_[id].type, state.variables[id.index()][self.index], cells.data() + places_.variable(id));
  }
  return cells;
}

std::uint64_t Universe::memory() const { return memory_.load(std::memory_order_relaxed); }

}  // namespace tenet::explore
