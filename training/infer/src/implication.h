// Invariants that follow from others say nothing new and would be reported twice.
#pragma once

#include <vector>

#include "tenet/training/invariant.h"

namespace tenet::training {

// Keeps the order of what stays.
void remove_implied(std::vector<Invariant>& invariants);

}  // namespace tenet::training
