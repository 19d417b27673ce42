/// From a model of the solver to a run of the reference interpreter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tenet/smt/solver.h"
#include "tenet/symbolic/search.h"
#include "unrolling.h"

namespace tenet::symbolic {

/// What a model's run comes to on the interpreter.
struct Concrete {
  std::vector<Found> found;  ///< for each property that is decided at its end, and for a step without a result
  std::string objection;     ///< why there is nothing: the run does not replay, or shows nothing
};

/// What the model of the last check says of the first `steps` steps and the
/// properties at their end; if none of them is decided, of one more step that
/// has no result (if `faults`).
[[nodiscard]] Concrete concretise(Encoder& encoder, const Unrolling& unrolling, smt::Solver& solver, std::size_t steps,
                                  const std::vector<ir::PropertyId>& properties, const std::vector<Term>& faults);

}  // namespace tenet::symbolic
