// Rows of the tail to the body of a block.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bytes.h"

namespace tenet::training {

struct LayoutField {
  std::uint32_t key = 0;
  std::uint8_t type = 0;
  friend bool operator==(const LayoutField&, const LayoutField&) = default;
};
using LayoutFields = std::vector<LayoutField>;

struct BlockBody {
  Bytes bytes;
  std::uint32_t records = 0;
};

// `rows` are whole, well-formed rows as the writer put them; `layouts[i]` is layout i + 1. `first_new_string` and
// `first_new_layout` index the first entry that no earlier block holds.
[[nodiscard]] BlockBody encode_block(std::span<const std::uint8_t> rows, std::span<const std::string> strings,
                                     std::size_t first_new_string, std::span<const LayoutFields> layouts,
                                     std::size_t first_new_layout);

}  // namespace tenet::training
