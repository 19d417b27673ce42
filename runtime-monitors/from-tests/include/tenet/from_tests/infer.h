/// Generalisation: from observations to checkers.
///
/// Hypotheses relate a result to the past of its subject by roles: the last or first change, a tally, the head of a
/// queue, the next key in order. A hypothesis is kept if every observation of its case agrees with it and some does;
/// then all reading operations of all tests, asserted or not, are judged. What they contradict is first constrained by
/// a condition (an option, the environment) that tells them apart, and dropped only if there is none.
#pragma once

#include <string>
#include <vector>

#include "tenet/derived/checker.h"
#include "tenet/from_tests/observe.h"

namespace tenet::from_tests {

struct CheckerResult {
  derived::Checker checker;
  std::size_t passed = 0, violated = 0, unknown = 0;  ///< of all operations of all tests
  std::size_t asserted = 0;                           ///< that passed where a test asserted it
  std::vector<std::string> contradicted_by;           ///< tests
};

struct Inference {
  std::vector<CheckerResult> kept;
  std::vector<CheckerResult> dropped;  ///< contradicted by passing tests, and no condition tells why
  std::size_t hypotheses = 0;
  std::size_t covered = 0;                    ///< assertions whose checker alarms when their result is corrupted
  std::vector<bool> assertion_covered;        ///< by Observed::assertions
  std::vector<std::string> assertion_reason;  ///< observed but not covered: why
};

Inference infer(const Model& model, const Suite& suite, const Recording& recording, const Observed& observed);

/// The same judgement of definitions that are there: `kept` are those that no passing test contradicts and that some
/// asserted result supports, `dropped` the others.
Inference validate(const Model& model, const Suite& suite, const Recording& recording, const Observed& observed,
                   const std::vector<derived::Checker>& checkers);

/// Tables of what became of the suite, for people.
std::string report(const Model& model, const Suite& suite, const Recording& recording, const Observed& observed,
                   const Inference& inference);

}  // namespace tenet::from_tests
