#include "format.h"

#include <cstddef>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tenet::training::format {

std::uint64_t checksum(const FileHeader& header) noexcept {
  return XXH3_64bits(&header, offsetof(FileHeader, checksum));
}

std::uint64_t checksum(const BlockHeader& header, const void* stored) noexcept {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, &header, offsetof(BlockHeader, checksum));
  XXH3_64bits_update(&state, stored, header.stored_bytes);
  return XXH3_64bits_digest(&state);
}

}  // namespace tenet::training::format
