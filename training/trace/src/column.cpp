#include "column.h"

#include <algorithm>
#include <bit>

namespace tenet::training {
namespace {

enum Encoding : std::uint8_t { constant = 0, delta = 1, plain = 2, planes = 3 };

std::size_t varint_bytes(std::uint64_t value) noexcept {
  return (static_cast<std::size_t>(std::bit_width(value | 1U)) + 6) / 7;
}

void encode_planes(std::span<const std::uint64_t> values, Bytes& out) {
  out.push_back(planes);
  const std::size_t start = out.size();
  out.resize(start + 8 * values.size());
  std::uint8_t* to = out.data() + start;
  for (unsigned plane = 0; plane < 8; ++plane) {
    for (const std::uint64_t value : values) *to++ = static_cast<std::uint8_t>(value >> (8 * plane));
  }
}

void encode_integers(std::span<const std::uint64_t> values, Bytes& out) {
  std::size_t plain_bytes = 0;
  std::size_t delta_bytes = 0;
  std::uint64_t before = 0;
  for (const std::uint64_t value : values) {
    plain_bytes += varint_bytes(zigzag(value));
    delta_bytes += varint_bytes(zigzag(value - before));
    before = value;
  }
  const bool use_delta = delta_bytes < plain_bytes;
  out.push_back(use_delta ? delta : plain);
  before = 0;
  for (const std::uint64_t value : values) {
    put_varint(out, zigzag(use_delta ? value - before : value));
    before = value;
  }
}

bool decode_integers(ByteReader& in, bool is_delta, std::span<std::uint64_t> values) {
  std::uint64_t before = 0;
  for (std::uint64_t& value : values) {
    const std::uint64_t read = unzigzag(in.varint());
    value = is_delta ? before + read : read;
    before = value;
  }
  return in.ok();
}

bool decode_planes(ByteReader& in, std::span<std::uint64_t> values) {
  const auto bytes = in.take(8 * values.size());
  if (bytes.size() != 8 * values.size()) return false;
  std::ranges::fill(values, 0);
  const std::uint8_t* from = bytes.data();
  for (unsigned plane = 0; plane < 8; ++plane) {
    for (std::uint64_t& value : values) value |= static_cast<std::uint64_t>(*from++) << (8 * plane);
  }
  return true;
}

}  // namespace

void encode_column(std::span<const std::uint64_t> values, ColumnKind kind, Bytes& out) {
  const bool same =
      values.empty() || std::ranges::all_of(values, [&](std::uint64_t value) { return value == values.front(); });
  if (same) {
    out.push_back(constant);
    const std::uint64_t value = values.empty() ? 0 : values.front();
    if (kind == ColumnKind::words) {
      put_u64(out, value);
    } else {
      put_varint(out, zigzag(value));
    }
  } else if (kind == ColumnKind::words) {
    encode_planes(values, out);
  } else {
    encode_integers(values, out);
  }
}

bool decode_column(ByteReader& in, ColumnKind kind, std::span<std::uint64_t> values) {
  const std::uint8_t encoding = in.byte();
  if (!in.ok()) return false;
  if (encoding == constant) {
    std::ranges::fill(values, kind == ColumnKind::words ? in.u64() : unzigzag(in.varint()));
    return in.ok();
  }
  if (kind == ColumnKind::words) return encoding == planes && decode_planes(in, values);
  return (encoding == delta || encoding == plain) && decode_integers(in, encoding == delta, values);
}

}  // namespace tenet::training
