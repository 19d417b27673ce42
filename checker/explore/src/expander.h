/// One thread's work: from a stored state to its successors, with all checks.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "store.h"
#include "world.h"

namespace tenet::explore {

/// What all threads of one level share.
struct LevelContext {
  enum Pause : unsigned { kWiden = 1, kGrow = 2, kMemory = 4, kStop = 8, kRefresh = 16 };
  Store* store = nullptr;
  std::uint32_t level_end = 0;  ///< states from here on belong to the next level
  std::uint32_t depth = 0;      ///< of the states being expanded
  std::uint64_t most_memory = 0;
  std::atomic<unsigned> pause{0};
  std::uint64_t live = 0;   ///< checks still wanted, as a mask
  std::uint64_t force = 0;  ///< checks to evaluate even where nothing they read changed
  /// Those of them that are about steps; and those of these that fail (or, for
  /// a left side, are true) for a step that changes nothing they read.
  std::uint64_t transition_live = 0, irreflexive = 0;
  std::vector<char> wanted;  ///< by check
  std::size_t keep = 1;      ///< candidates of one kind
  bool deadlocks = true;
};

/// What threads count and find; merged between levels.
struct Tally {
  std::uint64_t transitions = 0;
  std::uint64_t deadlocks = 0;
  std::uint64_t irreflexive = 0;
  std::vector<std::uint64_t> cuts;  ///< by problem
  std::vector<char> seen;           ///< by check: an antecedent was true
  std::vector<char> cut;            ///< by check: in some state it depends on values outside the instance
  std::vector<char> happened;       ///< by step: it did, and takes or sends messages whose copies count
  std::map<std::pair<FoundKind, std::uint32_t>, std::vector<Candidate>> candidates;

  void note(const Candidate& candidate, std::size_t keep);
  void merge(const Tally& other, std::size_t keep);
};

class Expander {
 public:
  Expander(World& world, LevelContext& level);

  /// Expands a stored state. False: it could not be finished (see
  /// LevelContext::pause) and has to be expanded again later.
  bool expand(std::uint32_t index);
  /// Runs the checks on a stored initial state.
  void check_initial(std::uint32_t index, const Packed& state);
  /// Whether `target` is a successor of the state.
  bool leads_to(const Packed& from, const Word* target, std::uint64_t target_hash);

  /// Before a round of work: takes in what was discovered.
  void prepare();
  Tally& tally() { return tally_; }
  /// Nothing is counted and found.
  void reset_tally();
  /// The numbers for new states that it has taken and not used.
  Store::Numbers release_numbers() { return std::exchange(numbers_, {}); }
  /// The parent link of successors of a state.
  [[nodiscard]] static std::uint32_t parent_link(std::uint64_t hash) {
    const auto link = static_cast<std::uint32_t>(hash >> 32);
    return link == Store::kNoParent ? link - 1 : link;
  }

 private:
  struct Item {
    std::uint64_t hash;
    std::uint64_t todo;  ///< checks that may have changed
    const Outcome* outcome;
  };
  void read_locals();
  bool successors();
  bool apply_all(const Outcomes& outcomes);
  bool apply(const Outcome& outcome);
  void apply_plain(const Outcome& outcome, Word* words, std::uint64_t& hash, bool& changed, bool& sent) const;
  bool apply_counted(const Outcome& outcome, Word* words, std::uint64_t& hash, bool& changed, bool& sent);
  /// The hash of the canonical form of a state.
  std::uint64_t orbit_hash(const Word* words, std::uint64_t hash);
  void trouble(const Outcome& outcome);
  void add_item(const Word* words, std::uint64_t hash, std::uint64_t todo);
  bool canonical_items();
  bool insert_items();
  void check_state(std::uint32_t index, const Word* words, std::uint64_t hash, std::uint32_t depth, std::uint64_t todo,
                   const Outcome* outcome);
  void check_transition(const Word* after, std::uint64_t hash, std::uint64_t affected, const Outcome* outcome);
  [[nodiscard]] bool nothing_new(const Outcome& outcome) const;
  Word* room_for_item(std::uint32_t words);
  void look_at(const Word* words, std::vector<const Cell*>& hosts) const;
  [[nodiscard]] std::optional<bool> evaluate(const Check& check, const Word* words, const Word* before);

  /// Values of one check by what it reads, if that fits a number exactly.
  struct Cache {
    std::uint32_t width = 0;             ///< bits of one host's projection; 0: no caching
    std::vector<std::uint64_t> entries;  ///< key, then the value's bit, plus one; 0 if empty
  };
  template <class LocalOf>
  [[nodiscard]] std::optional<std::uint64_t> cache_key(std::size_t check, const LocalOf& local_of) const;
  [[nodiscard]] std::optional<std::uint64_t> base_key(std::size_t check);
  [[nodiscard]] std::optional<std::uint32_t> seen_after(std::size_t check, const Outcome& outcome) const;
  template <class Evaluate>
  std::optional<bool> cached(std::size_t check, std::uint64_t key, const Evaluate& evaluate);
  [[nodiscard]] std::optional<bool> value_in_state(std::size_t check, const Word* words, const Outcome* outcome);
  [[nodiscard]] std::optional<bool> value_of_step(std::size_t check, const Word* after, const Outcome* outcome);

  World& world_;
  LevelContext& level_;
  std::vector<Cache> caches_;
  Stepper stepper_;
  Frame frame_;
  PackedNetwork network_, network_before_;
  Symmetry::Labelling labelling_;
  std::uint64_t images_ = 0;  ///< memory of the symmetry reduction when it was last looked at
  std::vector<const Cell*> hosts_, hosts_before_;
  Tally tally_;
  Store::Numbers numbers_;

  // The state being expanded.
  std::uint32_t index_ = 0;
  Packed state_;
  std::vector<Local*> locals_;  ///< by host
  bool plain_ = true;           ///< no symmetry
  bool record_ = true;          ///< false while only successors are wanted
  std::uint64_t transitions_ = 0;
  bool changes_ = false;
  bool stutters_ = false;
  bool troubled_ = false;
  std::vector<std::uint32_t> cuts_;
  std::vector<Item> items_;
  std::vector<Word> item_words_;
  enum class Base : std::uint8_t { unknown, known, none };
  std::vector<Base> base_known_;  ///< by check: the key of the state being expanded
  std::vector<std::uint64_t> base_keys_;
};

}  // namespace tenet::explore
