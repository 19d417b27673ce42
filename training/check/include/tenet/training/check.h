/// Checking a run against invariants, record by record.
///
/// Offline: feed a run's records and finish. Online: the same object is fed by a `FollowSource` (follow.h) while the
/// job writes. Each record costs a constant amount per invariant that talks about it; the state is bounded: open calls,
/// the last two states of each variable, and for comparisons between processes a window of 16 steps.
///
///   Checker checker(vocabulary, invariants, {});
///   while (const Record* record = run.next()) checker.feed(*record);
///   CheckResult result = checker.finish();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tenet/training/invariant.h"
#include "tenet/training/trace_source.h"

namespace tenet::training {

/// The first place where an invariant fails, and how it went on.
struct Violation {
  std::size_t invariant = 0;     ///< index into the set
  std::string id;                ///< of the invariant
  std::uint64_t failures = 0;    ///< how often it failed
  std::uint64_t held = 0;        ///< how often it held (where its precondition holds)
  std::int64_t step = 0;         ///< of the first failure; -1 before the first step
  std::int64_t last_step = 0;    ///< of the last failure
  std::uint64_t time = 0;        ///< ns, of the first failure
  std::int64_t rank = 0;         ///< of the process
  std::int64_t other_rank = -1;  ///< the second process of a comparison, -1 if none
  std::uint16_t process = 0;
  std::string where;  ///< function
  std::string variable;
  std::string seen;  ///< the value found; empty if the relation has none
  std::string expected;
  std::string message;                 ///< one sentence
  std::vector<std::string> variables;  ///< all that failed, at most 20
};

/// Violations with one cause, the most telling first.
struct Group {
  std::string title;                    ///< the root's message
  std::vector<std::size_t> violations;  ///< indexes into CheckResult::violations
  double score = 0;                     ///< larger: more likely the root
  std::int64_t step = 0;                ///< first failing step
};

/// A quantity over time, for the timeline.
struct Series {
  std::string name;
  std::vector<std::pair<std::int64_t, double>> points;  ///< step, value
};

struct CheckResult {
  std::vector<Violation> violations;
  std::vector<Group> groups;            ///< ranked, the root first
  std::uint64_t invariants = 0;         ///< usable ones
  std::uint64_t triggered = 0;          ///< invariants that were judged at least once
  std::vector<std::string> not_judged;  ///< ids of the others
  std::uint64_t silenced = 0;           ///< violated, but silenced with a reason
  std::uint64_t records = 0;
  std::int64_t first_step = 0, last_step = -1;
  std::vector<Series> series;  ///< quantities of violated invariants, at most 32 with 2,000 points each
  std::vector<std::string> problems;
};

/// Exit status of house rules: 0 something was checked and holds, 1 violated, 2 nothing was checked.
[[nodiscard]] int exit_status(const CheckResult& result);

struct CheckOptions {
  bool keep_series = true;  ///< record quantities for the timeline and TensorBoard
  bool raw_values = false;  ///< numbers and texts of the job may appear in findings; hashes always may
  /// Called at the first failure of each invariant that is not silenced, as soon as it is known.
  std::function<void(const Violation&)> on_violation;
};

class Checker {
 public:
  /// `vocabulary` must outlive the checker and be the one of the records.
  Checker(Vocabulary& vocabulary, InvariantSet invariants, CheckOptions options);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  void feed(const Record& record);
  /// Judges what can only be judged at the end, groups and ranks. Call once.
  [[nodiscard]] CheckResult finish();
  /// What has been found so far, without ending; groups are ranked as they stand.
  [[nodiscard]] CheckResult so_far() const;

  [[nodiscard]] const InvariantSet& invariants() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads and checks a whole run.
[[nodiscard]] Result<CheckResult> check_run(const std::string& path, const InvariantSet& invariants,
                                            const CheckOptions& options);

}  // namespace tenet::training
