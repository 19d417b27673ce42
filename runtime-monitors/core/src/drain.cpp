#include "drain.h"

#include <algorithm>

#include "tenet/monitor/abi.h"

namespace tenet::monitor {
namespace {

constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << kSequenceBits) - 1;

// False: what stands at `at` is no record.
bool read_record(const std::uint64_t* words, std::uint64_t mask, std::uint64_t at, std::uint64_t available,
                 Event& event, std::uint64_t& length) {
  const std::uint64_t first = words[at & mask];
  length = (first >> 16) & 0xffffu;
  if (length < TENET_MONITOR_V1_HEADER_WORDS || length > available) return false;
  const std::uint64_t name = words[(at + 1) & mask];
  event.type = static_cast<std::uint16_t>(first & 0xffffu);
  event.host.word = static_cast<std::uint32_t>(first >> 32);
  event.incarnation = static_cast<std::uint32_t>(name >> kSequenceBits);
  event.sequence = name & kSequenceMask;
  event.key = words[(at + 2) & mask];
  event.stamp = words[(at + 3) & mask];
  event.words.clear();
  event.words.reserve(length - TENET_MONITOR_V1_HEADER_WORDS);
  for (std::uint64_t i = TENET_MONITOR_V1_HEADER_WORDS; i < length; ++i) event.words.push_back(words[(at + i) & mask]);
  return event.sequence != 0 && event.incarnation != 0;
}

// False: `take` has had enough.
bool drain_ring(RingFile& file, std::size_t i, std::uint32_t owner, const std::function<bool(Event&)>& take,
                Drained& done) {
  constexpr int kReleaseEvery = 256;  // records; so that the ring does not fill up while they are taken
  const std::uint64_t capacity = file.ring_words();
  RingHeader& ring = file.ring(i);
  const std::uint64_t tail = ring.tail.load(std::memory_order_acquire);
  std::uint64_t head = ring.head.load(std::memory_order_relaxed);
  if (tail - head > capacity) {
    ++done.malformed;
    head = tail;
  }
  done.fullest = std::max(done.fullest, static_cast<double>(tail - head) / static_cast<double>(capacity));
  Event event;  // one for all: its words keep their memory
  bool more = true;
  for (int held = 1; head != tail && more; ++held) {
    std::uint64_t length = 0;
    if (!read_record(file.words(i), capacity - 1, head, tail - head, event, length)) {
      ++done.malformed;
      head = tail;
      break;
    }
    more = take(event);
    ++done.events;
    head += length;
    if (held % kReleaseEvery == 0) ring.head.store(head, std::memory_order_release);
  }
  ring.head.store(head, std::memory_order_release);
  if (owner == kAbandoned && head == tail) ring.owner.store(kFree, std::memory_order_release);
  return more;
}

}  // namespace

Drained drain(RingFile& file, const std::function<bool(Event&)>& take) {
  Drained done;
  for (const bool only_abandoned : {true, false}) {
    for (std::size_t i = 0; i < file.rings(); ++i) {
      const std::uint32_t owner = file.ring(i).owner.load(std::memory_order_acquire);
      const bool now = owner == kAbandoned || (owner != kFree && !only_abandoned);
      if (now && !drain_ring(file, i, owner, take, done)) return done;
    }
  }
  return done;
}

}  // namespace tenet::monitor
