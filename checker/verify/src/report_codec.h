/// Exploration reports as bytes, for the cache.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenet/explore/explorer.h"

namespace tenet::verify {

/// Raised whenever what `encode` writes changes; part of the cache key.
inline constexpr int kReportLayout = 2;

[[nodiscard]] std::string encode(const explore::Report& report);
/// Nothing if the bytes are not what `encode` writes, or if they name a step,
/// property or expression that `protocol` does not have.
[[nodiscard]] std::optional<explore::Report> decode(std::string_view bytes, const ir::Protocol& protocol);

}  // namespace tenet::verify
