/// What a model of an open question says, for people.
#pragma once

#include <string>
#include <vector>

#include "chase.h"

namespace tenet::provenance {

/// The execution that `chase` ended with (ChaseEnd::open), line by line: what
/// happens in order of time, what has been sent, and the values that matter.
/// Only what the question speaks of is in it: times are not consecutive, and
/// that such a run exists is not said.
[[nodiscard]] std::vector<std::string> story(Chase& chase, Execution& execution);

}  // namespace tenet::provenance
