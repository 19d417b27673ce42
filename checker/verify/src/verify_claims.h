/// Protocols that state what they need: their claims are checked by induction
/// over single states, for any number of hosts, and their trace queries are answered.
#pragma once

#include "session.h"

namespace tenet::verify {

/// Fills the proof and the findings of `file`, which must have a protocol.
/// Nothing is explored. A claim that is not inductive is unknown, with the two
/// states that show it, unless a short run violates it.
void verify_claims(const Runner& runner, const Options& options, result::FileResult& file);

}  // namespace tenet::verify
