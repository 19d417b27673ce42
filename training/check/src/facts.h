// Facts: what is known where a relation is judged, as a sorted list of (key, value). Preconditions are conditions on
// facts. Sets of facts are interned, so that examples and decisions are tables indexed by a small number.
#pragma once

#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tenet/training/record.h"

namespace tenet::training {

struct Fact {
  Symbol key = 0;
  Value value;
  friend bool operator==(const Fact&, const Fact&) = default;
  friend auto operator<=>(const Fact&, const Fact&) = default;
};
using Facts = std::vector<Fact>;
using FactsId = std::uint32_t;

class FactsTable {
 public:
  FactsTable() { (void)intern({}); }

  // Sorts `facts` and finds or makes their number; 0 is the empty set.
  [[nodiscard]] FactsId intern(Facts facts);
  [[nodiscard]] const Facts& at(FactsId id) const noexcept { return sets_[id]; }
  [[nodiscard]] std::size_t size() const noexcept { return sets_.size(); }

 private:
  std::deque<Facts> sets_;
  std::unordered_multimap<std::uint64_t, FactsId> ids_;
};

// Names with a meaning to the engine, interned once.
struct Names {
  explicit Names(Vocabulary& vocabulary);

  Vocabulary* vocabulary;
  Symbol step, stage, rank, self_training, caller, first, first_rank, variable_kind;
};

// Whether a field or context variable may become a condition: booleans and short texts that are not identities, places
// in the source, or types of machine; never numbers, addresses, ids, times.
[[nodiscard]] bool may_be_fact(std::string_view key, ValueType type) noexcept;
// Whether a context variable says where a process stands among its peers ("rank", "_DATA_PARALLEL_GROUP").
[[nodiscard]] bool is_placement(std::string_view key) noexcept;

}  // namespace tenet::training
