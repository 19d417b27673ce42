/// What the judge knows of the service: for each subject its last changes with their intervals, the order of keys,
/// sums and queues, handles and cursors. Not thread-safe.
///
/// Operations may come in any order; `advance` takes them in the order in which they ended. Two operations that
/// overlap in time may have taken effect in either order: what depends on that order is unknown.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tenet/derived/checker.h"

namespace tenet::derived {

enum class Answer : std::uint8_t {
  not_concerned,  ///< the given does not hold, or a condition makes it silent
  passed,
  violated,
  ambiguous,  ///< operations overlap
  unknown,    ///< forgotten, lost, or from before the judge began
};

/// One change of a subject.
struct Change {
  std::uint64_t start = 0, end = 0;
  std::uint16_t op = 0;
  std::uint8_t effect = kApplied;
  std::uint32_t thread = 0;
  std::vector<FieldValue> arguments;
};

/// The last changes of one subject, oldest first.
struct Subject {
  std::vector<Change> changes;
  std::unique_ptr<Change> first;
  bool cut = false;              ///< older changes are forgotten: what was before `changes` is unknown
  std::uint64_t known_from = 0;  ///< nothing is known of what was before this stamp
  std::uint64_t cut_to = 0;      ///< forgotten though it might still count: what ended up to this stamp
  std::uint64_t touched = 0;
  // Views tally, queue and stack.
  std::vector<std::int64_t> counts;  ///< by operation
  std::vector<std::int64_t> sums;
  std::uint64_t last_end = 0;  ///< of all changes
  bool tally_known = true;
  std::vector<Change> pending;
  bool pending_known = true;
};

struct Cursor {
  std::uint64_t start = 0, end = 0;  ///< the keys are those of this moment
  bool known = false;                ///< where it is
  bool valid = false;
  std::string key;
};

struct Store {
  std::unordered_map<std::uint64_t, Subject> subjects;         // by hash of the key; 0: the object itself
  std::map<std::string, std::uint64_t> order;                  // bytes to hash
  std::vector<std::pair<std::uint64_t, std::uint64_t>> opens;  // intervals
  std::vector<FieldValue> conditions;                          // of the last opening
  std::unordered_map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> handles;
  std::unordered_map<std::uint64_t, Cursor> cursors;
  bool complete = false;         ///< a subject that is not here was never changed
  std::uint64_t known_from = 0;  ///< changes from before are not known, unless `complete`
  std::uint64_t blurred_to = 0;  ///< queues and tallies: the last moment at which events were lost
};

struct Judgement {
  Answer answer = Answer::not_concerned;
  std::string detail;  ///< violated: what was expected
};

struct Contradiction {
  std::size_t checker = 0;  ///< its index
  std::string detail;
};

class Shadow {
 public:
  /// Told each operation that reads, with the shadow as it is for it: `judge` may be called from there.
  using Reader = std::function<void(const Operation&)>;

  explicit Shadow(const Schema& schema, std::size_t memory_bytes = std::size_t{256} << 20);

  void add(Operation operation) { waiting_.push_back(std::move(operation)); }
  /// Handles all operations that ended before `mark`. Every operation that began before `mark` must have been added.
  void advance(std::uint64_t mark, const Reader& reader);
  /// Operations on an object (0: any) may be missing from before this stamp.
  void lose(std::uint64_t self, std::uint64_t stamp);
  /// Only some subjects are told: one that is not here may exist.
  void only_some(bool some) { only_some_ = some; }

  /// Inside `Reader` only.
  [[nodiscard]] Judgement judge(const Checker& checker, const Operation& operation) const;
  /// Where several pasts are possible, for operations overlap or perhaps took effect: a checker that is contradicted,
  /// if there is one for each of these pasts; it is that of the newest. Inside `Reader` only.
  [[nodiscard]] std::optional<Contradiction> contradicts_every_past(const std::vector<Checker>& checkers,
                                                                    const Operation& operation) const;
  /// The case that a reader is in, if its past is known and not ambiguous. Inside `Reader` only.
  [[nodiscard]] Answer situation(const Operation& operation, View view, Given& given) const;
  /// The conditions of an operation: its own, those of the change it depends on, and those of the store.
  [[nodiscard]] std::vector<FieldValue> conditions(const Operation& operation) const;

  /// The last changes of the subject in words. Inside `Reader` only.
  [[nodiscard]] std::string history(const Operation& operation) const;

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  void limit_memory(std::size_t bytes) { limit_ = bytes; }
  [[nodiscard]] std::size_t memory() const { return bytes_; }
  [[nodiscard]] std::uint64_t forgotten() const { return forgotten_; }
  [[nodiscard]] std::size_t subjects() const;

 private:
  struct Past;
  struct Window;
  Store& store_of(const Operation& operation);
  [[nodiscard]] const Store* find_store(const Operation& operation) const;
  void apply(const Operation& operation);
  void change(Store& store, const Operation& operation);
  void forget_some();
  void prune(Store& store, Subject& subject);
  [[nodiscard]] std::uint64_t oldest_view(const Store& store) const;
  [[nodiscard]] bool upcoming(std::uint64_t self, std::uint64_t key, std::uint64_t until) const;
  [[nodiscard]] Past past(const Store& store, const Operation& reader, std::uint64_t key, std::uint64_t start,
                          std::uint64_t end) const;
  [[nodiscard]] std::optional<std::vector<Change>> possible_pasts(const Store& store, const Operation& reader,
                                                                  bool& nothing) const;
  [[nodiscard]] bool reopened(const Store& store, const Change& change, const Operation& reader) const;
  [[nodiscard]] Judgement judge_order(const Checker& checker, const Operation& operation, const Store& store) const;
  [[nodiscard]] Judgement judge_tally(const Checker& checker, const Operation& operation, const Store& store) const;
  [[nodiscard]] Judgement compare(const Checker& checker, const Operation& operation, const Change* change) const;
  [[nodiscard]] bool silent(const Checker& checker, const Operation& operation, const Change* change) const;
  [[nodiscard]] bool window(const Store& store, const Operation& operation, std::uint64_t& start,
                            std::uint64_t& end) const;

  const Schema& schema_;
  std::size_t limit_;
  std::vector<Operation> waiting_;
  std::unordered_map<std::uint64_t, std::uint64_t> names_;  // object to store
  std::unordered_map<std::uint64_t, Store> stores_;
  std::size_t bytes_ = 0;
  std::uint64_t forgotten_ = 0;
  std::uint64_t clock_ = 0;
  bool only_some_ = false;
  // While advancing.
  const Window* window_ = nullptr;
  std::uint64_t earliest_waiting_ = 0;
  std::uint64_t lost_to_ = 0;
  std::uint64_t now_ = 0;  // the end of the operation that is handled
};

}  // namespace tenet::derived
