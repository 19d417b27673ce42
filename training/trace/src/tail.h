// The mapped file that holds the rows since the last block.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "format.h"

namespace tenet::training {

class Tail {
 public:
  Tail() = default;
  ~Tail() { unmap(); }
  Tail(const Tail&) = delete;
  Tail& operator=(const Tail&) = delete;

  // Creates (or truncates) the file with room for `capacity` bytes of rows. False with errno set on failure.
  [[nodiscard]] bool create(const std::string& path, std::size_t capacity,
                            const std::array<std::uint8_t, 16>& identity);

  // Where the next row of `bytes` bytes goes, or null if it does not fit. Nothing is visible before `commit`.
  [[nodiscard]] std::uint8_t* reserve(std::size_t bytes) noexcept;
  void begin_record() noexcept { store(header_->begun, header_->begun + 1); }
  void commit(std::size_t bytes, bool is_record) noexcept;
  void set_dropped(std::uint64_t count) noexcept { store(header_->dropped, count); }

  // Forgets the rows: they are block `next_sequence - 1` now.
  void restart(std::uint64_t next_sequence) noexcept;

  [[nodiscard]] std::span<const std::uint8_t> rows() const noexcept { return {rows_, used_}; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool mapped() const noexcept { return header_ != nullptr; }

  void unmap() noexcept;

 private:
  static void store(std::uint64_t& field, std::uint64_t value) noexcept;

  format::TailHeader* header_ = nullptr;
  std::uint8_t* rows_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
};

}  // namespace tenet::training
