#define XXH_INLINE_ALL
#include <xxhash.h>

#include "checksum.h"
#include "tenet/cache/cache.h"

namespace tenet::cache {

Key checksum(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  Key result;
  static_assert(sizeof(canonical.digest) == result.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = canonical.digest[i];
  return result;
}

Key key(const std::vector<std::string_view>& parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
  }
  return checksum(text);
}

}  // namespace tenet::cache
