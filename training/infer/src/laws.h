// Equations between the quantities of the loop, over the ends of the runs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tenet/training/evidence.h"

namespace tenet::training {

// x = y, x = y * z, x = ceil(y / z), x = ceil(y / z) * w that hold at the end of every process that has the quantities,
// in two runs or more and in `needed` groups of runs, with two different values of x, three if there is more than one
// quantity on the right; if `shared`, only between quantities that mean the same in every program. For each x the
// simplest, and beside it equalities with other variables of the loop. `groups`: by run, the number of its group.
[[nodiscard]] std::vector<Invariant> loop_laws(const EvidenceSet& evidence, std::span<const std::size_t> groups,
                                               bool shared, std::size_t needed);

}  // namespace tenet::training
