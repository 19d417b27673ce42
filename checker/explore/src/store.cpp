#include "store.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tenet::explore {

namespace {

static_assert(std::endian::native == std::endian::little, "packed states are copied word by word");
static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

/// Beyond this load a table is full.
constexpr double kLoad = 0.8;
constexpr std::uint64_t kHugePage = 2ULL << 20;

/// States are a few units long: a loop beats a call.
inline bool same(const void* a, const Unit* b, std::uint32_t units) {
  Unit different = 0;
  for (std::uint32_t i = 0; i < units; ++i) {
    Unit unit = 0;
    std::memcpy(&unit, static_cast<const char*>(a) + i * sizeof(Unit), sizeof(Unit));
    different |= unit ^ b[i];
  }
  return different == 0;
}

}  // namespace

void Store::FreeUnits::operator()(Unit* units) const { std::free(units); }

Store::Units Store::allocate(std::uint64_t units) {
  const bool large = units * sizeof(Unit) >= kHugePage;
  const std::uint64_t alignment = large ? kHugePage : 64;
  const std::uint64_t bytes = (units * sizeof(Unit) + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  // Random look-ups over a large table are mostly misses of the TLB.
  if (large) madvise(memory, bytes, MADV_HUGEPAGE);
  return Units(static_cast<Unit*>(memory));
}

Store::Store(std::uint32_t state_units) : units_(state_units), chunks_(new std::atomic<Unit*>[kMaxChunks]()) {}

Store::~Store() {
  for (std::uint32_t i = 0; i < kMaxChunks; ++i) std::free(chunks_[i].load(std::memory_order_relaxed));
}

void Store::ensure_chunk(std::uint32_t index) {
  std::atomic<Unit*>& chunk = chunks_[index >> kChunkBits];
  if (chunk.load(std::memory_order_acquire) != nullptr) return;
  const std::lock_guard lock(chunk_mutex_);
  if (chunk.load(std::memory_order_relaxed) != nullptr) return;
  chunk.store(allocate(std::uint64_t{kChunkStates} * (units_ + 1)).release(), std::memory_order_release);
  ++chunk_count_;
}

void Store::lower_parent(std::uint32_t index, std::uint32_t parent) {
  std::atomic_ref<Unit> current(record(index)[0]);
  Unit seen = current.load(std::memory_order_relaxed);
  while (parent < seen && !current.compare_exchange_weak(seen, parent, std::memory_order_relaxed)) {
  }
}

Store::Inserted Store::insert(const void* state, std::uint64_t hash, std::uint32_t parent, std::uint32_t level_end,
                              Numbers& numbers) {
  const std::uint32_t tag = tag_of(hash);
  for (std::uint64_t slot = slot_of(hash);;) {
    std::uint32_t entry = table_[slot].load(std::memory_order_acquire);
    if (entry == 0) {
      if (numbers.empty()) {
        if (nearly_full()) return {Inserted::Kind::full, 0};
        numbers.begin = size_.fetch_add(kNumbersAtOnce, std::memory_order_relaxed);
        numbers.end = numbers.begin + kNumbersAtOnce;
        ensure_chunk(numbers.begin);
        ensure_chunk(numbers.end - 1);
      }
      const std::uint32_t index = numbers.begin;
      Unit* to = record(index);
      to[0] = parent;
      std::memcpy(to + 1, state, units_ * sizeof(Unit));
      if (table_[slot].compare_exchange_strong(entry, tag | (index + 1), std::memory_order_acq_rel,
                                               std::memory_order_acquire)) {
        ++numbers.begin;
        return {Inserted::Kind::added, index};
      }
    }
    if ((entry & ~index_mask_) == tag) {
      const std::uint32_t index = (entry & index_mask_) - 1;
      if (same(state, record(index) + 1, units_)) {
        if (index >= level_end) lower_parent(index, parent);
        return {Inserted::Kind::known, index};
      }
    }
    if (++slot == slots_) slot = 0;
  }
}

bool Store::give_back(const Numbers& numbers) {
  if (numbers.end != size()) return false;
  size_.store(numbers.begin, std::memory_order_relaxed);
  return true;
}

void Store::grow(std::uint64_t slots, const std::vector<std::uint32_t>& holes, const HashOf& hash_of) {
  table_memory_.reset();
  table_memory_ = allocate(slots);
  std::memset(table_memory_.get(), 0, slots * sizeof(Unit));
  table_ = reinterpret_cast<std::atomic<std::uint32_t>*>(table_memory_.get());
  slots_ = slots;
  limit_ = static_cast<std::uint64_t>(static_cast<double>(slots) * kLoad);
  // Threads may each take numbers beyond the limit before they see it.
  const auto index_bits = static_cast<unsigned>(std::bit_width(limit_ + std::uint64_t{4096} * kNumbersAtOnce));
  index_mask_ = index_bits >= 32 ? 0xffffffffU : (1U << index_bits) - 1;
  // Hash ahead and prefetch: the table is larger than any cache.
  struct Entry {
    std::uint32_t index;
    std::uint64_t hash;
  };
  constexpr std::size_t kBatch = 16;
  std::vector<Entry> batch;
  const auto enter = [&] {
    for (const auto& [index, hash] : batch) {
      std::uint64_t slot = slot_of(hash);
      while (table_[slot].load(std::memory_order_relaxed) != 0) {
        if (++slot == slots_) slot = 0;
      }
      table_[slot].store(tag_of(hash) | (index + 1), std::memory_order_relaxed);
    }
    batch.clear();
  };
  auto hole = holes.begin();
  for (std::uint32_t index = 0; index < size(); ++index) {
    if (hole != holes.end() && *hole == index) {
      ++hole;  // no state: it may be anything
      continue;
    }
    batch.push_back({index, hash_of(this->state(index))});
    prefetch_entry(batch.back().hash);
    if (batch.size() == kBatch) enter();
  }
  enter();
}

void Store::repack(std::uint32_t state_units, const std::function<void(const Unit* from, Unit* to)>& convert) {
  const std::uint32_t before = units_;
  const std::uint32_t count = chunk_count_.load();
  for (std::uint32_t c = 0; c < count; ++c) {
    const Units old(chunks_[c].load(std::memory_order_relaxed));
    Units fresh = allocate(std::uint64_t{kChunkStates} * (state_units + 1));
    const std::uint32_t states = std::min(kChunkStates, size() - std::min(size(), c << kChunkBits));
    // Numbers without a state go through as well, whatever their bits are.
    for (std::uint32_t i = 0; i < states; ++i) {
      const Unit* from = old.get() + std::uint64_t{i} * (before + 1);
      Unit* to = fresh.get() + std::uint64_t{i} * (state_units + 1);
      to[0] = from[0];
      convert(from + 1, to + 1);
    }
    chunks_[c].store(fresh.release(), std::memory_order_relaxed);
  }
  units_ = state_units;
}

std::uint64_t Store::chunk_bytes() const { return std::uint64_t{kChunkStates} * (units_ + 1) * sizeof(Unit); }

std::uint64_t Store::memory() const {
  return chunk_count_.load(std::memory_order_relaxed) * (chunk_bytes() + sizeof(void*)) + slots_ * sizeof(Unit);
}

}  // namespace tenet::explore
