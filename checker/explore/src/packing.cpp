#include "packing.h"

#include <algorithm>
#include <bit>

namespace tenet::explore {

Packing Packing::fit(const Universe& universe, const Packing* previous) {
  Packing result;
  std::uint32_t offset = 0;
  const auto place = [&](std::vector<Field>& fields, std::uint32_t width) {
    fields.push_back({offset, width});
    offset += width;
  };
  const std::uint32_t hosts = universe.places().host_count();
  for (std::uint32_t host = 0; host < hosts; ++host) {
    const std::uint32_t count = universe.local_count(host);
    // A quarter more than needed: packing anew for every few local states costs time.
    std::uint32_t width = count <= 1 ? 0 : static_cast<std::uint32_t>(std::bit_width(count - 1 + count / 4));
    if (previous != nullptr) width = std::max(width, previous->locals_[host].width);
    place(result.locals_, width);
  }
  for (std::uint32_t host = 0; host < hosts; ++host) place(result.inboxes_, universe.inbox_bits(host));
  result.bits_ = std::max(1U, offset);
  result.words_ = (result.bits_ + 63) / 64;
  return result;
}

Repacking::Repacking(const Packing& from, const Packing& to) : words_(to.words()) {
  const auto field = [&](Packing::Field source, Packing::Field target) {
    Move next{source.offset, target.offset, source.width};
    // What is moved together may be in one piece.
    if (!moves_.empty() && moves_.back().from + moves_.back().width == next.from &&
        moves_.back().to + moves_.back().width == next.to) {
      moves_.back().width += next.width;
    } else {
      moves_.push_back(next);
    }
  };
  for (std::uint32_t host = 0; host < from.hosts(); ++host) field(from.local_field(host), to.local_field(host));
  for (std::uint32_t host = 0; host < from.hosts(); ++host) field(from.inbox_field(host), to.inbox_field(host));
}

void Repacking::operator()(const Word* from, Word* to) const {
  std::fill_n(to, words_, 0);
  for (const Move& move : moves_) {
    for (std::uint32_t i = 0; i < move.width; i += 64) {
      const std::uint32_t part = std::min(64U, move.width - i);
      Packing::write(to, move.to + i, part, Packing::read(from, move.from + i, part));
    }
  }
}

}  // namespace tenet::explore
