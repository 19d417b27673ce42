// The event path. Nothing here locks, allocates or waits.
#include <time.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "ring_file.h"
#include "tenet/monitor/abi.h"

namespace tenet::monitor {
namespace {

std::atomic<RingFile*> current{nullptr};

std::mutex kept_lock;
std::vector<std::shared_ptr<RingFile>>& kept() {
  static auto* files = new std::vector<std::shared_ptr<RingFile>>;  // outlives every thread
  return *files;
}

// The calling thread's ring. Plain data, so that the event path reads it without asking whether it was made.
struct Claim {
  RingFile* file;
  RingHeader* ring;
  std::uint64_t* words;
  std::uint64_t capacity;
};
#if defined(__GNUC__)
__attribute__((tls_model("initial-exec")))
#endif
thread_local constinit Claim claim{};

void release() {
  if (claim.ring != nullptr) claim.ring->owner.store(kAbandoned, std::memory_order_release);
  claim = Claim{};
}

// Gives the ring back when the thread ends.
struct Ending {
  ~Ending() { release(); }
};

// The first event of a thread in this file: one compare-and-swap per ring that is taken.
[[gnu::noinline]] bool claim_ring(RingFile* file) {
  thread_local Ending ending;
  (void)&ending;
  release();
  for (std::size_t i = 0; i < file->rings(); ++i) {
    RingHeader& ring = file->ring(i);
    std::uint32_t expected = kFree;
    if (ring.owner.load(std::memory_order_relaxed) != kFree ||
        !ring.owner.compare_exchange_strong(expected, kOwned, std::memory_order_acquire)) {
      continue;
    }
    ring.known_head = ring.head.load(std::memory_order_acquire);
    claim = Claim{file, &ring, file->words(i), file->ring_words()};
    return true;
  }
  return false;
}

bool sampled(FileHeader& header, std::uint64_t key) {
  const std::uint32_t one_in = header.sample_one_in.load(std::memory_order_relaxed);
  if (key == 0 || one_in <= 1) return true;
  const std::uint64_t mixed = (key * 0x9e3779b97f4a7c15ULL) >> 32;
  return mixed % one_in == header.sample_slice.load(std::memory_order_relaxed);
}

HostSlot* slot_of(RingFile& file, std::uint32_t host) {
  for (std::size_t i = 0; i < kHostSlots; ++i) {
    HostSlot& slot = file.host(i);
    std::uint32_t expected = 0;
    if (slot.used.load(std::memory_order_acquire) == 0 && slot.used.compare_exchange_strong(expected, 2)) {
      slot.host = host;
      slot.used.store(1, std::memory_order_release);
      return &slot;
    }
    if (slot.used.load(std::memory_order_acquire) == 1 && slot.host == host) return &slot;
  }
  return nullptr;
}

}  // namespace

void record_into(std::shared_ptr<RingFile> file) {
  const std::scoped_lock guard(kept_lock);
  current.store(file.get(), std::memory_order_release);
  if (file == nullptr) return;
  for (const auto& one : kept()) {
    if (one == file) return;
  }
  kept().push_back(std::move(file));
}

std::shared_ptr<RingFile> recorded_before(const std::string& path) {
  const std::scoped_lock guard(kept_lock);
  for (const auto& one : kept()) {
    if (one->is_at(path)) return one;
  }
  return nullptr;
}

std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

}  // namespace tenet::monitor

using tenet::monitor::current;
using tenet::monitor::FileHeader;
using tenet::monitor::HostSlot;
using tenet::monitor::kSequenceBits;
using tenet::monitor::RingFile;
using tenet::monitor::RingHeader;

extern "C" {

tenet_monitor_v1_host* tenet_monitor_v1_begin_host(std::uint32_t role, std::uint32_t index) noexcept {
  RingFile* file = current.load(std::memory_order_acquire);
  if (file == nullptr || role > 0xff || index > 0xffffff) return nullptr;
  HostSlot* slot = tenet::monitor::slot_of(*file, (role << 24) | index);
  if (slot == nullptr) {
    file->header().no_ring.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  const std::uint64_t last = slot->sequence.load(std::memory_order_relaxed);
  const std::uint32_t before = slot->incarnation.load(std::memory_order_relaxed);
  slot->sequence.store(0, std::memory_order_relaxed);
  slot->incarnation.store(before + 1, std::memory_order_release);
  auto* host = reinterpret_cast<tenet_monitor_v1_host*>(slot);
  tenet_monitor_v1_record record;
  if (tenet_monitor_v1_begin(&record, host, 0, 0) != 0) {
    tenet_monitor_v1_push(&record, before);
    tenet_monitor_v1_push(&record, last);
    tenet_monitor_v1_commit(&record);
  }
  return host;
}

int tenet_monitor_v1_begin(tenet_monitor_v1_record* record, tenet_monitor_v1_host* host, std::uint16_t type,
                           std::uint64_t key) noexcept {
  RingFile* file = current.load(std::memory_order_acquire);
  if (file == nullptr || host == nullptr) return 0;
  FileHeader& header = file->header();
  if (!tenet::monitor::sampled(header, key)) return 0;
  auto* slot = reinterpret_cast<HostSlot*>(host);
  // Taken even if nothing will be recorded: what is missing must be seen to be missing.
  const std::uint64_t sequence = slot->sequence.fetch_add(1, std::memory_order_relaxed) + 1;
  if (header.enabled.load(std::memory_order_relaxed) == 0) return 0;
  const auto& claim = tenet::monitor::claim;
  if (claim.file != file && !tenet::monitor::claim_ring(file)) {
    header.no_ring.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  RingHeader& ring = *claim.ring;
  const std::uint64_t capacity = claim.capacity;
  const std::uint64_t tail = ring.tail.load(std::memory_order_relaxed);
  if (ring.known_head + capacity - tail < capacity / 4) ring.known_head = ring.head.load(std::memory_order_acquire);
  const std::uint64_t mask = capacity - 1;
  const std::uint64_t limit = ring.known_head + capacity;
  const std::uint64_t name =
      (static_cast<std::uint64_t>(slot->incarnation.load(std::memory_order_relaxed)) << kSequenceBits) | sequence;
  const std::uint32_t who = slot->host;
  std::uint64_t* const words = claim.words;
  // Not by `push`: the compiler would have to expect that each word changes the record.
  if (tail + TENET_MONITOR_V1_HEADER_WORDS <= limit) {
    words[(tail + 1) & mask] = name;
    words[(tail + 2) & mask] = key;
    words[(tail + 3) & mask] = tenet::monitor::ticks();
  }
  record->words = words;
  record->mask = mask;
  record->start = tail;
  record->position = tail + TENET_MONITOR_V1_HEADER_WORDS;
  record->limit = limit;
  record->ring = &ring;
  record->incarnation_sequence = name;
  record->host = who;
  record->type = type;
  return 1;
}

void tenet_monitor_v1_commit(tenet_monitor_v1_record* record) noexcept {
  auto& ring = *static_cast<RingHeader*>(record->ring);
  const std::uint64_t length = record->position - record->start;
  if (record->position > record->limit || length > TENET_MONITOR_V1_MAX_WORDS) {
    ring.dropped.store(ring.dropped.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  record->words[record->start & record->mask] =
      (static_cast<std::uint64_t>(record->host) << 32) | (length << 16) | record->type;
  ring.tail.store(record->position, std::memory_order_release);
}

std::uint64_t tenet_monitor_v1_issued(const tenet_monitor_v1_host* host) noexcept {
  if (host == nullptr) return 0;
  const auto* slot = reinterpret_cast<const HostSlot*>(host);
  const std::uint64_t incarnation = slot->incarnation.load(std::memory_order_acquire);
  return (incarnation << kSequenceBits) | slot->sequence.load(std::memory_order_acquire);
}

int tenet_monitor_v1_wanted(std::uint64_t key) noexcept {
  RingFile* file = current.load(std::memory_order_acquire);
  return file != nullptr && file->header().enabled.load(std::memory_order_relaxed) != 0 &&
                 tenet::monitor::sampled(file->header(), key)
             ? 1
             : 0;
}

void tenet_monitor_v1_enable(int on) noexcept {
  RingFile* file = current.load(std::memory_order_acquire);
  if (file != nullptr) file->header().enabled.store(on != 0 ? 1 : 0, std::memory_order_relaxed);
}

std::uint64_t tenet_monitor_v1_hash(const void* bytes, std::size_t length) noexcept {
  // Multiply and fold, 16 bytes at a time (the scheme of wyhash, Wang Yi, public domain).
  const auto fold = [](std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const auto word = [](const unsigned char* at) {
    std::uint64_t value;
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  constexpr std::uint64_t kA = 0xa0761d6478bd642fULL;
  constexpr std::uint64_t kB = 0xe7037ed1a0b428dbULL;
  const auto* at = static_cast<const unsigned char*>(bytes);
  std::uint64_t state = fold(kA, length ^ kB);
  std::size_t left = length;
  if (left >= 64) {  // four chains side by side
    std::uint64_t b = state, c = state, d = state;
    for (; left >= 64; left -= 64, at += 64) {
      state = fold(word(at) ^ kA, word(at + 8) ^ state);
      b = fold(word(at + 16) ^ kB, word(at + 24) ^ b);
      c = fold(word(at + 32) ^ kA, word(at + 40) ^ c);
      d = fold(word(at + 48) ^ kB, word(at + 56) ^ d);
    }
    state = fold(state ^ c, kA ^ b) ^ fold(d, kB ^ b);
  }
  for (; left >= 16; left -= 16, at += 16) state = fold(word(at) ^ kA, word(at + 8) ^ state);
  unsigned char rest[16] = {};
  if (left > 0) std::memcpy(rest, at, left);
  state = fold(word(rest) ^ kB, word(rest + 8) ^ state);
  return fold(state ^ length, kA);
}

}  // extern "C"
