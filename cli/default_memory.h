/// How much memory a search may take where nobody said.
#pragma once

#include <cstdint>

namespace tenet::cli {

/// 4 GiB, or half of the machine if that is less, so that it never swaps.
[[nodiscard]] std::uint64_t default_memory();

}  // namespace tenet::cli
