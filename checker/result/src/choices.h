/// Names for the values of `choose` statements.
#pragma once

#include <vector>

#include "value_text.h"

namespace tenet::result {

/// Adds name and value of each choice of `step`. A trace records choices in
/// the order in which they were made; which statement made one depends on the
/// branches taken, so a choice that several statements may have made under
/// different names is called "choice 1", "choice 2" ….
void add_choices(const Words& words, const ir::Step& step, const std::vector<ir::Value>& choices,
                 std::vector<NamedText>& out);

}  // namespace tenet::result
