#include "default_memory.h"

#include <unistd.h>

#include <algorithm>

namespace tenet::cli {

std::uint64_t default_memory() {
  constexpr std::uint64_t kMost = 4ULL << 30;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long size = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || size <= 0) return kMost;
  return std::min(kMost, static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size) / 2);
}

}  // namespace tenet::cli
