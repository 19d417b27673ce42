/// How a state lies in bits: for each host the number of its local state and
/// the bits of its inbox. Widths grow with what has been discovered; changing
/// them means packing all states anew.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "universe.h"

namespace tenet::explore {

/// A packed state in registers; only the first `Packing::words` count.
inline constexpr std::uint32_t kMaxWords = 64;
using Word = std::uint64_t;

class Packing {
 public:
  struct Field {
    std::uint32_t offset = 0;
    std::uint32_t width = 0;
    friend bool operator==(const Field&, const Field&) = default;
  };

  Packing() = default;
  /// Wide enough for everything in `universe`, with a little room to grow.
  /// `tight`: exactly wide enough.
  static Packing fit(const Universe& universe, const Packing* previous);

  [[nodiscard]] std::uint32_t bits() const { return bits_; }
  [[nodiscard]] std::uint32_t words() const { return words_; }
  /// 32-bit units in memory.
  [[nodiscard]] std::uint32_t units() const { return (bits_ + 31) / 32; }
  [[nodiscard]] std::uint32_t hosts() const { return static_cast<std::uint32_t>(locals_.size()); }
  [[nodiscard]] Field local_field(std::uint32_t host) const { return locals_[host]; }
  [[nodiscard]] Field inbox_field(std::uint32_t host) const { return inboxes_[host]; }

  /// `width` <= 64 bits from `offset` on.
  [[nodiscard]] static Word read(const Word* words, std::uint32_t offset, std::uint32_t width) {
    if (width == 0) return 0;
    const std::uint32_t word = offset / 64;
    const std::uint32_t shift = offset % 64;
    Word value = words[word] >> shift;
    if (shift + width > 64) value |= words[word + 1] << (64 - shift);
    return width == 64 ? value : value & ((Word{1} << width) - 1);
  }
  static void write(Word* words, std::uint32_t offset, std::uint32_t width, Word value) {
    for (std::uint32_t i = 0; i < width;) {
      const std::uint32_t word = (offset + i) / 64;
      const std::uint32_t shift = (offset + i) % 64;
      const std::uint32_t part = std::min(width - i, 64 - shift);
      const Word mask = (part == 64 ? ~Word{0} : (Word{1} << part) - 1) << shift;
      words[word] = (words[word] & ~mask) | (((value >> i) << shift) & mask);
      i += part;
    }
  }
  [[nodiscard]] std::uint32_t local(const Word* words, std::uint32_t host) const {
    return static_cast<std::uint32_t>(read(words, locals_[host].offset, locals_[host].width));
  }
  void set_local(Word* words, std::uint32_t host, std::uint32_t id) const {
    write(words, locals_[host].offset, locals_[host].width, id);
  }
  [[nodiscard]] bool fits_local(std::uint32_t host, std::uint32_t id) const { return id >> locals_[host].width == 0; }
  [[nodiscard]] bool fits(const Message& message) const {
    return message.bit + message.copies <= inboxes_[message.addressee].width;
  }
  /// Position of the first bit of a message that fits.
  [[nodiscard]] std::uint32_t bit(const Message& message) const {
    return inboxes_[message.addressee].offset + message.bit;
  }
  /// How many copies of a message are in flight.
  [[nodiscard]] std::uint32_t copies(const Word* words, const Message& message) const {
    std::uint32_t count = 0;
    const std::uint32_t first = bit(message);
    while (count < message.copies && (words[(first + count) / 64] >> ((first + count) % 64) & 1) != 0) ++count;
    return count;
  }

  void load(const std::uint32_t* memory, Word* words) const {
    words[words_ - 1] = 0;
    std::memcpy(words, memory, units() * sizeof(std::uint32_t));
  }

 private:
  std::vector<Field> locals_, inboxes_;
  std::uint32_t bits_ = 0;
  std::uint32_t words_ = 1;
};

/// Carries states over to another packing that has room for them.
class Repacking {
 public:
  Repacking(const Packing& from, const Packing& to);
  void operator()(const Word* from, Word* to) const;

 private:
  struct Move {
    std::uint32_t from, to, width;
  };
  std::vector<Move> moves_;
  std::uint32_t words_;
};

}  // namespace tenet::explore
