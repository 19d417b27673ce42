/// What rests on what in a proof.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tenet/provenance/prover.h"

namespace tenet::provenance {

/// The statement, and all that its proof uses, directly or not.
[[nodiscard]] std::set<std::string> foundations(const std::vector<Obligation>& obligations,
                                                const std::string& statement);

}  // namespace tenet::provenance
