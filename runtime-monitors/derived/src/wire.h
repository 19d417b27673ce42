/// How an operation is packed into a record: start, end, object, head, and for each field a descriptor, its word and,
/// if kept, its bytes.
#pragma once

#include <cstdint>

#include "tenet/monitor/abi.h"

namespace tenet::derived {

constexpr std::uint16_t kFirstOperation = 16;

constexpr std::uint64_t pack_head(std::uint32_t thread, std::uint8_t outcome, std::uint8_t effect, std::uint8_t count) {
  return std::uint64_t{thread} << 32 | std::uint64_t{outcome} << 16 | std::uint64_t{effect} << 8 | count;
}
constexpr std::uint64_t pack_field(std::uint8_t role, bool out, bool number, bool bytes, std::uint32_t size) {
  return std::uint64_t{size} << 32 | std::uint64_t{role} << 8 | (out ? 1u : 0u) | (number ? 2u : 0u) |
         (bytes ? 4u : 0u);
}

/// Grows whenever a monitor is made: hosts of an older one are not used any more.
std::uint64_t monitor_generation();

/// The one host that tells this process's operations; null if none was told yet.
tenet_monitor_v1_host* telling_host();

}  // namespace tenet::derived
