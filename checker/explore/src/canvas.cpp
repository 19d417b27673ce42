#include "canvas.h"

#include <algorithm>
#include <bit>

namespace tenet::explore {

void Canvas::use(const Packing& packing) {
  packing_ = packing;
  bit_hashes_.assign(std::size_t{packing.words()} * 64, 0);
  inbox_mask_.assign(packing.words(), 0);
  bits_.assign(std::size_t{packing.words()} * 64, {});
  for (std::uint32_t host = 0; host < packing.hosts(); ++host) {
    const Packing::Field field = packing.inbox_field(host);
    for (std::uint32_t i = 0; i < field.width; ++i) {
      const std::uint32_t id = universe_.message_at(host, i);
      const Message& message = universe_.message(id);
      const std::uint32_t place = field.offset + i;
      bits_[place] = {id, i - message.bit};
      bit_hashes_[place] = message.copy_hash(i - message.bit);
      inbox_mask_[place / 64] |= Word{1} << (place % 64);
    }
  }
  refresh();
}

void Canvas::refresh() {
  locals_.resize(packing_.hosts());
  local_hashes_.resize(packing_.hosts());
  for (std::uint32_t host = 0; host < packing_.hosts(); ++host) {
    for (auto id = static_cast<std::uint32_t>(locals_[host].size()); id < universe_.local_count(host); ++id) {
      locals_[host].push_back(&universe_.local(host, id));
      local_hashes_[host].push_back(universe_.local(host, id).hash);
    }
  }
}

std::uint64_t Canvas::hash(const Word* words) const {
  std::uint64_t sum = inbox_hash(words);
  for (std::uint32_t host = 0; host < packing_.hosts(); ++host) {
    const std::uint32_t id = packing_.local(words, host);
    const auto& known = local_hashes_[host];
    sum += id < known.size() ? known[id] : universe_.local(host, id).hash;
  }
  return sum;
}

std::uint64_t Canvas::inbox_hash(const Word* words) const {
  std::uint64_t sum = 0;
  for (std::uint32_t w = 0; w < packing_.words(); ++w) {
    for (Word rest = words[w] & inbox_mask_[w]; rest != 0; rest &= rest - 1) {
      sum += bit_hashes_[w * 64 + static_cast<std::uint32_t>(std::countr_zero(rest))];
    }
  }
  return sum;
}

std::optional<Packed> Canvas::pack(Universe& universe, const ir::Constants& constants, const ir::State& state) const {
  Packed result;
  std::fill_n(result.words, packing_.words(), 0);
  const std::uint32_t config = universe.intern_config(constants);
  for (std::uint32_t host = 0; host < packing_.hosts(); ++host) {
    const std::uint32_t id = universe.intern_local(host, config, constants, state);
    if (!packing_.fits_local(host, id)) return {};
    packing_.set_local(result.words, host, id);
  }
  for (const ir::Packet& packet : state.network) {
    const Message& message = universe.message(universe.intern_packet(packet));
    if (!packing_.fits(message)) return {};
    const std::uint32_t place = packing_.bit(message) + (message.consumed ? packing_.copies(result.words, message) : 0);
    result.words[place / 64] |= Word{1} << (place % 64);
  }
  result.hash = hash(result.words);
  return result;
}

ir::State Canvas::unpack(const Word* words) const {
  ir::State state;
  for (std::uint32_t host = 0; host < packing_.hosts(); ++host) universe_.read_variables(local(words, host), state);
  state.variables.resize(universe_.protocol().variables.size());
  for (std::uint32_t host = 0; host < packing_.hosts(); ++host) {
    const Packing::Field field = packing_.inbox_field(host);
    for (std::uint32_t i = 0; i < field.width; ++i) {
      const std::uint32_t place = field.offset + i;
      if ((words[place / 64] >> (place % 64) & 1) != 0) {
        state.network.push_back(universe_.packet(universe_.message_at(host, i)));
      }
    }
  }
  std::sort(state.network.begin(), state.network.end());
  return state;
}

ir::Constants Canvas::constants(const Word* words) const {
  ir::Constants result;
  const ir::Protocol& p = universe_.protocol();
  for (std::uint32_t host = 0; host < packing_.hosts(); ++host) {
    ir::Constants seen = universe_.constants_seen_by(local(words, host));
    const ir::HostRef self = universe_.places().host(host);
    if (host == 0) result = seen;
    for (const ir::ConstId id : p[self.role].constants) {
      result.values[id.index()][self.index] = std::move(seen.values[id.index()][self.index]);
    }
  }
  return result;
}

bool PackedNetwork::sent(std::uint32_t constructor, const std::vector<const Cell*>& args, std::int64_t sender,
                         std::int64_t addressee) const {
  const Universe& universe = canvas_.universe();
  const StableVector<std::uint32_t>& ids = universe.of_constructor(constructor);
  const auto& offsets = universe.field_offsets(ir::MessageId(constructor));
  const std::uint32_t width = universe.argument_cells(ir::MessageId(constructor));
  const std::uint32_t count = ids.size();
  for (std::uint32_t i = 0; i < count; ++i) {
    const Message& message = universe.message(ids[i]);
    if (sender >= 0 && message.sender != sender) continue;
    if (addressee >= 0 && message.addressee != addressee) continue;
    if (!canvas_.packing().fits(message)) continue;
    const std::uint32_t place = canvas_.packing().bit(message);
    if ((words_[place / 64] >> (place % 64) & 1) == 0) continue;
    bool matches = true;
    for (std::size_t f = 0; f < args.size() && matches; ++f) {
      const std::uint32_t end = f + 1 < args.size() ? offsets[f + 1] : width;
      matches =
          args[f] == nullptr || std::equal(args[f], args[f] + (end - offsets[f]), message.args.data() + offsets[f]);
    }
    if (matches) return true;
  }
  return false;
}

}  // namespace tenet::explore
