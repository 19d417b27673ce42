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

void Packing::convert(const Word* from, const Packing& to, Word* out) const {
  std::fill_n(out, to.words_, 0);
  for (std::uint32_t host = 0; host < hosts(); ++host) {
    to.set_local(out, host, local(from, host));
    const Field source = inboxes_[host];
    const Field target = to.inboxes_[host];
    for (std::uint32_t i = 0; i < source.width; i += 64) {
      const std::uint32_t part = std::min(64U, source.width - i);
      write(out, target.offset + i, part, read(from, source.offset + i, part));
    }
  }
}

}  // namespace tenet::explore
