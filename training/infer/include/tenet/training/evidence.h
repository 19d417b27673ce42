/// What inference has seen: hypotheses with their examples, run by run. Evidence of different runs, made on different
/// machines, is merged before conclusions are drawn.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/training/invariant.h"

namespace tenet::training {

/// A set of facts, sorted by key.
using FactList = std::vector<std::pair<std::string, Constant>>;

/// Places with the same facts where a hypothesis was judged in one run.
struct Examples {
  std::uint32_t facts = 0;  ///< index into EvidenceSet::facts
  std::uint64_t positives = 0, negatives = 0;
  std::int64_t first_positive = 0, last_positive = 0;  ///< steps
  std::int64_t first_negative = 0, last_negative = 0;
};

/// Numbers seen by a hypothesis about numbers in one run.
struct Seen {
  double low = 0, high = 0;
  bool any = false;
};

struct Hypothesis {
  Invariant claim;                              ///< without precondition
  std::vector<std::vector<Examples>> examples;  ///< by run, sorted by facts
  std::vector<Seen> seen;                       ///< by run, for range, ratio, increment and each_step
  bool proposed = true;  ///< by one of these runs; otherwise taken over from other evidence to be judged here too
};

/// The quantities of one process at its end, for laws of the loop.
using Quantities = std::map<std::string, double>;

struct EvidenceSet {
  std::vector<std::string> runs;      ///< names, for messages only
  std::vector<std::string> programs;  ///< by run: what its largest process calls its program; empty if it does not
  std::vector<FactList> facts;
  std::vector<Hypothesis> hypotheses;  ///< sorted by key of the claim
  /// Where calls of a function were seen at all: a shard that did not form a hypothesis about a function it did call
  /// has only counter-examples of it. By run, by function.
  std::vector<std::map<std::string, std::vector<Examples>>> exposure;
  std::vector<std::vector<Quantities>> quantities;  ///< by run, by process
  std::vector<std::string> problems;                ///< what could not be read
};

/// One set with the runs of both.
[[nodiscard]] EvidenceSet merge(EvidenceSet a, const EvidenceSet& b);

/// The file that `infer --shard` writes. Deterministic.
[[nodiscard]] std::string print_evidence(const EvidenceSet& evidence);
[[nodiscard]] Result<EvidenceSet> parse_evidence(std::string_view json);
[[nodiscard]] Result<EvidenceSet> load_evidence(const std::string& path);

}  // namespace tenet::training
