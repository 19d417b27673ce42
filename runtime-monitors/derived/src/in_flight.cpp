#include "in_flight.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "tenet/derived/stamp.h"

namespace tenet::derived {
namespace {

constexpr std::size_t kSlots = 512;
std::array<FlightSlot, kSlots> slots;
std::atomic<std::uint32_t> without_slot{0};

struct Owner {
  FlightSlot* slot = nullptr;
  bool asked = false;
  ~Owner() {
    if (slot != nullptr) {
      slot->start.store(0, std::memory_order_release);
      slot->used.store(0, std::memory_order_release);
    } else if (asked) {
      without_slot.fetch_sub(1);
    }
  }
};
thread_local Owner owner;

// Makes the stores that other threads have executed visible here, so that they need no fence of their own.
void barrier() {
  static const bool registered = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  if (registered) (void)::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace

FlightSlot* flight_slot() {
  if (owner.asked) return owner.slot;
  owner.asked = true;
  for (FlightSlot& slot : slots) {
    std::uint32_t free = 0;
    if (slot.used.load(std::memory_order_relaxed) == 0 && slot.used.compare_exchange_strong(free, 1)) {
      owner.slot = &slot;
      return owner.slot;
    }
  }
  without_slot.fetch_add(1);
  return nullptr;
}

std::uint64_t watermark() {
  std::uint64_t mark = ordered_stamp();
  barrier();
  if (without_slot.load() != 0) return 0;
  for (const FlightSlot& slot : slots) {
    const std::uint64_t start = slot.start.load(std::memory_order_acquire);
    if (start != 0) mark = std::min(mark, start);
  }
  return mark;
}

}  // namespace tenet::derived
