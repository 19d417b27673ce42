/// The query of a proof, with notes on what the names that were made for it
/// stand for: for a checker that trusts nothing of this room (docs/certificates.md).
#pragma once

#include "execution.h"
#include "slice.h"
#include "tenet/smt/query.h"

namespace tenet::provenance {

/// All facts, and of each name among them that an atom, a witness or a token has,
/// what it means. Evaluates formulas at variables, so nothing may be asked of the
/// execution afterwards.
[[nodiscard]] smt::Query noted_query(Execution& execution, const Slice& slice);

}  // namespace tenet::provenance
