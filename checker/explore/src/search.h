/// The breadth-first search, level by level.
#pragma once

#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "expander.h"
#include "store.h"
#include "world.h"

namespace tenet::explore {

class Search {
 public:
  Search(World& world, const Options& options);

  /// Everything but traces. Errors as for `explore`.
  Result<void> run(Report& report);

  [[nodiscard]] const std::vector<std::uint32_t>& levels() const { return levels_; }
  [[nodiscard]] const Store& store() const { return *store_; }
  [[nodiscard]] bool is_hole(std::uint32_t index) const;
  [[nodiscard]] LevelContext& level() { return level_; }
  [[nodiscard]] bool reached(std::size_t check) const { return reached_[check] != 0; }

 private:
  struct Range {
    std::uint32_t begin, end;
  };
  Result<void> begin(Report& report);
  bool insert_initial(const StartCode& start);
  /// Expands a level; the reason if it could not be finished.
  std::optional<End> expand_level(std::uint32_t begin, std::uint32_t end);
  void work(Expander& expander, bool reports);
  void work_safely(Expander& expander, bool reports);
  bool take(Range& range);
  std::optional<End> maintain(unsigned pause);
  bool grow();
  bool make_room();
  void collect_holes();
  /// After a level: what is decided, what to look for next. True: all is decided.
  Result<bool> settle();
  bool decide();
  /// Builds traces of this level's violations and keeps those that differ.
  Result<void> distinct_violations();
  Result<void> build_rest(Report& report);
  void tell_progress(bool always);
  Result<void> finish(Report& report);
  void show_states() const;
  [[nodiscard]] std::uint64_t memory() const { return store_->memory() + world_.memory(); }

  World& world_;
  const Options& options_;
  LevelContext level_;
  std::unique_ptr<Store> store_;
  std::vector<std::unique_ptr<Expander>> expanders_;
  Tally tally_;
  std::vector<std::uint32_t> levels_;    ///< where each level begins; the last entry ends the last level
  Store::Numbers numbers_;               ///< for initial states
  std::vector<std::uint32_t> holes_;     ///< numbers that no state has
  std::vector<std::size_t> violations_;  ///< by check
  std::vector<char> reached_;            ///< by check: a witness was found, or an antecedent was true
  struct Kept {
    Candidate candidate;
    Found found;
  };
  std::vector<Kept> kept_;
  std::vector<std::set<std::vector<std::int64_t>>> signatures_;  ///< by check

  // One level at work.
  std::mutex ranges_mutex_;
  std::exception_ptr failure_;
  std::vector<Range> leftovers_;
  std::uint32_t cursor_ = 0, range_end_ = 0;
  std::atomic<std::uint64_t> expanded_{0};
  std::uint64_t expanded_when_forgotten_ = 0;
  std::chrono::steady_clock::time_point started_, told_;
  std::uint64_t told_states_ = 0;
};

}  // namespace tenet::explore
