/// Which operations have begun and not yet ended: until when everything is known.
#pragma once

#include <atomic>
#include <cstdint>

namespace tenet::derived {

/// The stamp at which the thread's current operation began; 0 if there is none, 1 while it is being taken.
struct alignas(64) FlightSlot {
  std::atomic<std::uint64_t> start{0};
  std::atomic<std::uint32_t> used{0};
};

/// The calling thread's slot; null if there are more threads than slots (then `watermark` is 0 for as long as it
/// lives).
FlightSlot* flight_slot();

/// Every operation that began before this stamp has ended, and its record is published. 0: not known.
std::uint64_t watermark();

}  // namespace tenet::derived
