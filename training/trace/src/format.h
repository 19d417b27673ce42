// The two files of a trace, as laid out on disk (docs/training-trace-format.md). Little-endian hosts only.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace tenet::training::format {

static_assert(std::endian::native == std::endian::little, "the trace format is written by copying native integers");

inline constexpr std::array<char, 8> kFileMagic{'T', 'E', 'N', 'E', 'T', 'T', 'R', 'C'};
inline constexpr std::array<char, 8> kTailMagic{'T', 'E', 'N', 'E', 'T', 'T', 'L', '1'};
inline constexpr std::array<char, 4> kBlockMagic{'T', 'B', 'L', 'K'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kMaxBodyBytes = 64U << 20U;
inline constexpr std::uint32_t kMaxFields = 4096;
inline constexpr std::uint32_t kTailRowsOffset = 4096;
inline constexpr std::uint32_t kLastBlockFlag = 1;

inline constexpr std::uint8_t kRowString = 240;
inline constexpr std::uint8_t kRowLayout = 241;
inline constexpr std::uint8_t kScopeBit = 0x80;

struct FileHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::array<std::uint8_t, 16> identity;
  std::uint64_t process;
  std::uint64_t monotonic_start;
  std::uint64_t wall_start;
  std::uint64_t checksum;
};
static_assert(sizeof(FileHeader) == 64);

struct BlockHeader {
  std::array<char, 4> magic;
  std::uint32_t flags;
  std::uint32_t sequence;
  std::uint32_t records;
  std::uint32_t body_bytes;
  std::uint32_t stored_bytes;
  std::uint64_t first_record;
  std::uint64_t dropped;
  std::uint64_t reserved;
  std::uint64_t checksum;
};
static_assert(sizeof(BlockHeader) == 56);

struct TailHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t rows_offset;
  std::array<std::uint8_t, 16> identity;
  std::uint64_t capacity;
  std::uint64_t sequence;
  std::uint64_t committed_bytes;
  std::uint64_t begun;
  std::uint64_t committed;
  std::uint64_t dropped;
};
static_assert(sizeof(TailHeader) == 80);

struct RowHeader {
  std::uint32_t bytes;
  std::uint8_t kind;
  std::uint8_t scope;
  std::uint16_t thread;
  std::uint32_t name;
  std::uint32_t layout;
  std::uint64_t time;
  std::uint64_t reference;
};
static_assert(sizeof(RowHeader) == 32);

// Checksums: XXH3-64 of the header without its last field, and of header and stored body.
[[nodiscard]] std::uint64_t checksum(const FileHeader& header) noexcept;
[[nodiscard]] std::uint64_t checksum(const BlockHeader& header, const void* stored) noexcept;

}  // namespace tenet::training::format
