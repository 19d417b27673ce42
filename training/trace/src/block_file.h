// The file of sealed blocks, append only.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bytes.h"

namespace tenet::training {

class BlockFile {
 public:
  BlockFile() = default;
  ~BlockFile() { close(); }
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;

  // Creates PREFIX.PID.tnt, or PREFIX.PID-1.tnt and so on when that exists, and writes the header. False with errno.
  [[nodiscard]] bool create(const std::string& prefix, std::uint64_t monotonic_now);

  struct Block {
    std::uint32_t records = 0;
    std::uint64_t dropped = 0;
    bool last = false;
  };
  // Compresses and appends. After a failed write the file is cut back to whole blocks.
  [[nodiscard]] bool append(const Bytes& body, const Block& block, int level);

  void close() noexcept;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::string tail_path() const { return path_ + ".tail"; }
  [[nodiscard]] const std::array<std::uint8_t, 16>& identity() const noexcept { return identity_; }
  [[nodiscard]] std::uint32_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::uint64_t stored_bytes() const noexcept { return length_; }

 private:
  [[nodiscard]] bool write_all(const void* data, std::size_t size);

  int file_ = -1;
  std::string path_;
  std::array<std::uint8_t, 16> identity_{};
  std::uint32_t blocks_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace tenet::training
