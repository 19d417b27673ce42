// Little-endian integers and varints, written to a growing buffer and read with bounds checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace tenet::training {

using Bytes = std::vector<std::uint8_t>;

[[nodiscard]] constexpr std::uint64_t zigzag(std::uint64_t value) noexcept {
  return (value << 1U) ^ (0 - (value >> 63U));
}
[[nodiscard]] constexpr std::uint64_t unzigzag(std::uint64_t value) noexcept {
  return (value >> 1U) ^ (0 - (value & 1U));
}

inline void put_varint(Bytes& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(value | 0x80U));
    value >>= 7U;
  }
  out.push_back(static_cast<std::uint8_t>(value));
}

inline void put_bytes(Bytes& out, const void* data, std::size_t size) {
  if (size == 0) return;
  const auto* first = static_cast<const std::uint8_t*>(data);
  out.insert(out.end(), first, first + size);
}

inline void put_u64(Bytes& out, std::uint64_t value) { put_bytes(out, &value, sizeof value); }

// Reads forward; after the first failure every read answers zero or empty and `ok` is false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> data) noexcept : data_(data) {}

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  [[nodiscard]] std::size_t remaining() const noexcept { return data_.size() - at_; }
  void fail() noexcept {
    ok_ = false;
    at_ = data_.size();
  }

  [[nodiscard]] std::uint8_t byte() noexcept {
    if (at_ >= data_.size()) {
      fail();
      return 0;
    }
    return data_[at_++];
  }

  [[nodiscard]] std::uint64_t varint() noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= static_cast<std::uint64_t>(next & 0x7FU) << shift;
      if ((next & 0x80U) == 0) return value;
    }
    fail();
    return 0;
  }

  [[nodiscard]] std::uint64_t u64() noexcept {
    std::uint64_t value = 0;
    const auto from = take(sizeof value);
    if (!from.empty()) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }

  // Exactly `size` bytes, or empty on failure.
  [[nodiscard]] std::span<const std::uint8_t> take(std::size_t size) noexcept {
    if (size > remaining()) {
      fail();
      return {};
    }
    const auto result = data_.subspan(at_, size);
    at_ += size;
    return result;
  }

  [[nodiscard]] std::string_view text(std::size_t size) noexcept {
    const auto from = take(size);
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }

 private:
  std::span<const std::uint8_t> data_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace tenet::training
