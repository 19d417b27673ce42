// The body of a block, or the rows of a tail, to records.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bytes.h"
#include "format.h"
#include "tenet/training/record.h"

namespace tenet::training {

// The ids of one file translated to the vocabulary of the work.
class FileDictionary {
 public:
  explicit FileDictionary(Vocabulary& vocabulary);

  void add_string(std::string_view text) { symbols_.push_back(vocabulary_->intern(text)); }
  // Fields as (file key id, type); false if an id or type is not valid.
  [[nodiscard]] bool add_layout(std::span<const std::uint64_t> fields);

  // The next new entry of a block. A reader that follows a trace knows it already, from the tail.
  void add_block_string(std::string_view text) {
    if (++block_strings_ > strings()) add_string(text);
  }
  [[nodiscard]] bool add_block_layout(std::span<const std::uint64_t> fields) {
    return ++block_layouts_ <= layouts() || add_layout(fields);
  }
  [[nodiscard]] std::size_t strings() const noexcept { return symbols_.size() - 1; }
  [[nodiscard]] std::size_t layouts() const noexcept { return layouts_.size() - 1; }

  [[nodiscard]] Symbol symbol(std::uint64_t id) const noexcept { return id < symbols_.size() ? symbols_[id] : 0; }
  // Null for an unknown id.
  [[nodiscard]] const Layout* layout(std::uint64_t id) const noexcept {
    return id < layouts_.size() ? layouts_[id] : nullptr;
  }

 private:
  Vocabulary* vocabulary_;
  std::vector<Symbol> symbols_{0};
  std::vector<const Layout*> layouts_;
  std::size_t block_strings_ = 0;
  std::size_t block_layouts_ = 0;
};

// Decoded records with their values; reused from block to block.
struct DecodedRows {
  std::vector<Record> records;  // spans point into `values`
  std::vector<std::uint64_t> values;
};

// False when the body is not well formed; `out` is then empty.
[[nodiscard]] bool decode_block(std::span<const std::uint8_t> body, std::uint32_t records, FileDictionary& dictionary,
                                DecodedRows& out);

// Reads rows until the end or the first that is not well formed; false in the latter case (what was read is kept).
[[nodiscard]] bool decode_rows(std::span<const std::uint8_t> rows, FileDictionary& dictionary, DecodedRows& out);

}  // namespace tenet::training
