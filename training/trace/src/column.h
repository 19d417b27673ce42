// One column of 64-bit values: the encodings constant, delta, plain and planes of the block format.
#pragma once

#include <cstdint>
#include <span>

#include "bytes.h"

namespace tenet::training {

enum class ColumnKind : std::uint8_t { integers, words };

// Appends the column to `out`. Integers take the shorter of delta and plain.
void encode_column(std::span<const std::uint64_t> values, ColumnKind kind, Bytes& out);

// Fills `values` (whose size is the number of entries). False when the bytes are not a column.
[[nodiscard]] bool decode_column(ByteReader& in, ColumnKind kind, std::span<std::uint64_t> values);

}  // namespace tenet::training
