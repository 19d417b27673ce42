#pragma once

#include <string_view>

#include "tenet/cache/cache.h"

namespace tenet::cache {

/// XXH3-128, in its canonical byte order.
[[nodiscard]] Key checksum(std::string_view bytes);

}  // namespace tenet::cache
