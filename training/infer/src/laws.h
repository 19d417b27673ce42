// Equations between the quantities of the loop, over the ends of the runs.
#pragma once

#include <vector>

#include "tenet/training/evidence.h"

namespace tenet::training {

// x = y, x = y * z, x = ceil(y / z), x = ceil(y / z) * w that hold at the end of every process that has the quantities,
// in two runs or more, with two different values of x, three if there is more than one quantity on the right. For each
// x the simplest, and beside it equalities with other variables of the loop.
[[nodiscard]] std::vector<Invariant> loop_laws(const EvidenceSet& evidence);

}  // namespace tenet::training
