// Bytes at an offset, of a file or of memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tenet/base/result.h"

namespace tenet::training {

class Input {
 public:
  virtual ~Input() = default;
  // Number of bytes read, less than asked only at the end.
  [[nodiscard]] virtual std::size_t read(std::uint64_t offset, std::span<std::uint8_t> to) = 0;
  // Now: a file may grow.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
};

[[nodiscard]] Result<std::unique_ptr<Input>> open_file(const std::string& path);
[[nodiscard]] std::unique_ptr<Input> from_memory(std::vector<std::uint8_t> bytes);

}  // namespace tenet::training
