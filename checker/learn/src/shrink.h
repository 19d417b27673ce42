/// Two states that show a failure, made smaller: what is left matters.
#pragma once

#include <functional>
#include <vector>

#include "tenet/induct/induct.h"
#include "tenet/ir/protocol.h"

namespace tenet::learn {

/// Takes away from the state before (members of sets, values of options, messages, what is true) as long as all
/// `hypotheses` hold in it and the same step still leads to a state in which `goal` fails (an invalid goal: still
/// reads what is not there). Anything that is no such counterexample to begin with is left as it is.
void shrink(const ir::Protocol& protocol, const std::vector<ir::ExprId>& hypotheses, ir::ExprId goal,
            induct::Counterexample& found);

}  // namespace tenet::learn
