/// From assertions to observations: which results of which operations an assertion that passed has promised.
#pragma once

#include <string>
#include <vector>

#include "tenet/from_tests/recording.h"
#include "tenet/from_tests/suite.h"

namespace tenet::from_tests {

/// An operation whose result was asserted.
struct Observation {
  std::size_t test = 0;                 ///< in the recording
  std::size_t item = 0;                 ///< of the test: the operation
  std::vector<std::uint8_t> fields;     ///< results that are promised; derived::kOutcome for the outcome
  std::vector<std::size_t> assertions;  ///< in the list of Observed
};

/// What became of an assertion of a test.
enum class Fate { observed, status_of_change, not_generalised, no_operation, not_executed };

struct Observed {
  struct One {
    std::size_t test = 0, assertion = 0;  ///< in the suite
    Fate fate = Fate::not_executed;
    std::string reason;     ///< not generalised: why
    bool on_query = false;  ///< its slice reaches an operation that reads
    std::size_t observations = 0;
  };
  std::vector<One> assertions;  ///< each assertion of each test once, in the suite's order
  std::vector<Observation> observations;
};

Observed observe(const Model& model, const Suite& suite, const Recording& recording);

}  // namespace tenet::from_tests
