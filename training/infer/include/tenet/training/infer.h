/// Learning invariants from traces of healthy runs.
///
///   InferOptions options;
///   auto evidence = collect_evidence({"run1", "run2"}, options);
///   if (!evidence) return evidence.error();
///   Conclusion conclusion = conclude(*evidence, options);
///   write("inv.json", print_invariants(conclusion.invariants));
///
/// Two passes over each trace: the first forms hypotheses, the second judges them with the checker's own judges and
/// counts examples by their facts. Preconditions, validation and selection then work on these counts alone. The result
/// depends only on the traces and the options, not on their order of arrival, addresses, or the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/base/stop.h"
#include "tenet/training/evidence.h"
#include "tenet/training/invariant.h"

namespace tenet::training {

/// Whether the runs are of one program, whose own invariants are learned, or of several, of which what they share is.
enum class Programs : std::uint8_t {
  recorded,  ///< as the traces say: of several if they name more than one
  one,       ///< all of one
  each,      ///< each run of another one
};

struct InferOptions {
  std::uint64_t min_support = 5;        ///< positive examples an invariant needs
  std::uint64_t min_order_support = 8;  ///< the same for unconditional `before` and `after`
  /// Runs in which it holds, if so many were given: what was seen in one run only could not be validated on another.
  std::uint64_t min_runs = 2;
  Programs programs = Programs::recorded;
  /// Of runs of several programs, but fewer than 18: the programs in which an invariant holds, if so many were given.
  std::uint64_t min_programs = 4;
  /// The same for habits, however many were given: orders and numbers of calls, sizes of numbers, laws of the loop, and
  /// whatever holds only with exceptions.
  std::uint64_t min_habit_programs = 8;
  double slack = 2.0;    ///< learned intervals of numbers are widened by this factor
  bool validate = true;  ///< drop what fails on a run when learned from the others (two runs or more)
  unsigned threads = 2;  ///< runs read at the same time
  /// Hypotheses of other evidence, which are judged on these runs too. Where every shard was given the first evidence
  /// of all others, merging their second evidence is the same as inference over all runs at once.
  std::vector<Invariant> others;
  const StopFlag* stop = nullptr;
  /// Called now and then, from any thread but one at a time: pass (1 or 2), records read so far in this pass.
  std::function<void(int pass, std::uint64_t records)> progress;
};

/// Reads the runs (folders or files, see open_run). Runs that cannot be read are listed in `problems`; an error if none
/// can be.
[[nodiscard]] Result<EvidenceSet> collect_evidence(const std::vector<std::string>& runs, const InferOptions& options);

struct Conclusion {
  InvariantSet invariants;
  std::uint64_t programs = 0;  ///< whose shared invariants these are; 0 if the runs were taken for runs of one
  std::uint64_t hypotheses = 0;
  std::uint64_t unsupported = 0;  ///< too few positive examples
  std::uint64_t superficial = 0;  ///< no precondition separates the exceptions
  std::uint64_t flaky = 0;        ///< failed on a held-out run
  std::uint64_t implied = 0;      ///< follow from others
};
[[nodiscard]] Conclusion conclude(const EvidenceSet& evidence, const InferOptions& options);

}  // namespace tenet::training
