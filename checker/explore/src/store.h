/// All states found: an append-only arena of packed states, and a hash table
/// of 32-bit entries over it.
///
/// A record in the arena is one unit for the parent (the smallest 32-bit
/// content hash among the parents of the level before) and the packed state.
/// A table entry is the number of the state plus one in its low bits and
/// hash bits above them, so that most misses never look at the arena.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace tenet::explore {

using Unit = std::uint32_t;

class Store {
 public:
  static constexpr std::uint32_t kNoParent = 0xffffffff;

  explicit Store(std::uint32_t state_units);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  struct Inserted {
    enum class Kind : std::uint8_t { known, added, full };
    Kind kind = Kind::known;
    std::uint32_t index = 0;
  };
  /// Numbers that a thread has taken and not used. Threads take several at a
  /// time: they would fight for the counter and for the memory of states that
  /// are next to each other.
  struct Numbers {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    [[nodiscard]] bool empty() const { return begin == end; }
  };
  /// Finds or adds a state; thread-safe. A state numbered `level_end` or above
  /// that is already known takes the smaller of its and the given parent.
  /// `numbers` are the caller's.
  Inserted insert(const void* state, std::uint64_t hash, std::uint32_t parent, std::uint32_t level_end,
                  Numbers& numbers);
  // A look-up misses the cache twice: in the table, then in the arena.
  void prefetch_entry(std::uint64_t hash) const { __builtin_prefetch(&table_[slot_of(hash)]); }
  void prefetch_state(std::uint64_t hash) const {
    const std::uint32_t entry = table_[slot_of(hash)].load(std::memory_order_acquire);
    if (entry != 0 && (entry & ~index_mask_) == tag_of(hash)) __builtin_prefetch(record((entry & index_mask_) - 1));
  }

  [[nodiscard]] std::uint32_t size() const { return size_.load(std::memory_order_relaxed); }
  [[nodiscard]] const Unit* state(std::uint32_t index) const { return record(index) + 1; }
  [[nodiscard]] std::uint32_t parent(std::uint32_t index) const { return record(index)[0]; }
  [[nodiscard]] bool nearly_full() const { return size() >= limit_; }

  // From here on: only while no other thread is at work.
  /// Takes unused numbers back. False: there are larger ones, so that they stay
  /// unused for good.
  bool give_back(const Numbers& numbers);
  using HashOf = std::function<std::uint64_t(const Unit* state)>;
  /// A table for at least `states` states.
  void grow(std::uint64_t slots, const std::vector<std::uint32_t>& holes, const HashOf& hash_of);
  [[nodiscard]] std::uint64_t slots() const { return slots_; }
  /// Packs every state anew.
  void repack(std::uint32_t state_units, const std::function<void(const Unit* from, Unit* to)>& convert);
  [[nodiscard]] std::uint64_t memory() const;
  /// Bytes that the next chunk of the arena will take.
  [[nodiscard]] std::uint64_t chunk_bytes() const;

 private:
  static constexpr std::uint32_t kNumbersAtOnce = 16;
  static constexpr std::uint32_t kChunkBits = 14;
  static constexpr std::uint32_t kChunkStates = 1U << kChunkBits;
  static constexpr std::uint32_t kMaxChunks = 1U << (32 - kChunkBits);
  struct FreeUnits {
    void operator()(Unit* units) const;
  };
  using Units = std::unique_ptr<Unit[], FreeUnits>;
  static Units allocate(std::uint64_t units);

  __extension__ using Wide = unsigned __int128;
  [[nodiscard]] std::uint64_t slot_of(std::uint64_t hash) const {
    return static_cast<std::uint64_t>((static_cast<Wide>(hash) * slots_) >> 64);
  }
  [[nodiscard]] Unit* record(std::uint32_t index) const {
    return chunks_[index >> kChunkBits].load(std::memory_order_relaxed) +
           static_cast<std::uint64_t>(index & (kChunkStates - 1)) * (units_ + 1);
  }
  [[nodiscard]] std::uint32_t tag_of(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(hash) & ~index_mask_;
  }
  void ensure_chunk(std::uint32_t index);
  void lower_parent(std::uint32_t index, std::uint32_t parent);

  std::uint32_t units_;
  std::unique_ptr<std::atomic<Unit*>[]> chunks_;
  std::mutex chunk_mutex_;
  std::atomic<std::uint32_t> chunk_count_{0};
  std::uint64_t slots_ = 0;
  std::uint64_t limit_ = 0;
  std::uint32_t index_mask_ = 0;
  Units table_memory_;
  std::atomic<std::uint32_t>* table_ = nullptr;
  /// What every thread writes, away from what every thread reads.
  alignas(64) std::atomic<std::uint32_t> size_{0};
};

}  // namespace tenet::explore
