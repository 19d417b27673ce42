// The interface between the part that knows shapes and the part that knows vector instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tenet/training/summary.h"

namespace tenet::training::summary {

// Bytes handed to a kernel at a time: small enough that hash and statistics both find them in the first-level cache.
inline constexpr std::size_t block_bytes = 16384;

// Hands out the elements of a tensor in logical order. Every block but the last is block_bytes long.
class Blocks {
 public:
  virtual std::span<const std::byte> next() = 0;  // empty at the end

 protected:
  ~Blocks() = default;
};

// Reads all blocks; fills every field of the result but `count`.
using Kernel = void (*)(Blocks& blocks, tenet_dtype dtype, int flags, tenet_summary& out);

void baseline_kernel(Blocks& blocks, tenet_dtype dtype, int flags, tenet_summary& out);
#if defined(__x86_64__)
void avx2_kernel(Blocks& blocks, tenet_dtype dtype, int flags, tenet_summary& out);
void avx512_kernel(Blocks& blocks, tenet_dtype dtype, int flags, tenet_summary& out);
#endif

}  // namespace tenet::training::summary
