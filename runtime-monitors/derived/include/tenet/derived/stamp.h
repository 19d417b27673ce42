/// Ordered time stamps: what is before one in the program is done when it is taken, what is after has not begun.
#pragma once

#include <cstdint>
#include <ctime>

namespace tenet {
namespace derived {

inline std::uint64_t ordered_stamp() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
  const std::uint64_t now = __builtin_ia32_rdtsc();
  __builtin_ia32_lfence();
  return now;
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("isb\nmrs %0, cntvct_el0\nisb" : "=r"(value)::"memory");
  return value;
#else
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

}  // namespace derived
}  // namespace tenet
