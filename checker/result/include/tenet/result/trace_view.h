/// Traces of the IR made readable.
#pragma once

#include <vector>

#include "tenet/ir/instance.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"
#include "tenet/result/result_model.h"

namespace tenet::result {

/// Makes a trace readable: names for everything, and of each step only what
/// it changed. `trace` must replay (ir::replay).
[[nodiscard]] TraceView view(const ir::Protocol& protocol, const ir::Instance& instance, const ir::Trace& trace);

/// Says why `formula` has its value at the end of the trace: fills `why`,
/// `binding` and `evaluation` of `view`. `binding` comes from
/// Interpreter::witness or from the explorer.
void explain(TraceView& view, const ir::Protocol& protocol, const ir::Instance& instance, ir::ExprId formula,
             const std::vector<ir::Interpreter::Binding>& binding);

/// Adds the step that has no result, after the last state of the trace.
void add_failing_step(TraceView& view, const ir::Protocol& protocol, const ir::Instance& instance,
                      const ir::Action& action, const ir::Fault& fault);

/// "'highest.ballot' reads none": a fault in the words of the protocol.
[[nodiscard]] std::string describe(const ir::Protocol& protocol, const ir::Fault& fault);

/// "small: Leader = 2, Acceptor = 3, ballot in 0..2": name and every entry of
/// the declaration; sizes of all roles and types if there is none.
[[nodiscard]] std::string describe(const ir::Protocol& protocol, const ir::Instance& instance);

}  // namespace tenet::result
