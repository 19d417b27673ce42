/// From what the explorer found to findings that can be trusted.
#pragma once

#include <string>
#include <string_view>

#include "exploration.h"
#include "tenet/explore/explorer.h"
#include "tenet/result/result_model.h"

namespace tenet::verify {

/// "Leader, step propose", "Acceptor, receive Prepare": as variants name places.
[[nodiscard]] std::string step_place(const ir::Protocol& protocol, ir::StepId step);
/// "after 3 steps" or "initially".
[[nodiscard]] std::string after_steps(const ir::Trace& trace);

/// Whether `part` is `whole` or stands in it.
[[nodiscard]] bool occurs(const ir::Protocol& protocol, ir::ExprId part, ir::ExprId whole);

/// Replays the trace with the reference interpreter and checks that it shows
/// what it is said to show. Empty if so, else what is wrong: a bug of ours.
[[nodiscard]] std::string objection(const ir::Protocol& protocol, const ir::Instance& instance,
                                    const explore::Found& found);

/// The first axiom or `init` formula of which the instance does not tell whether it holds where the trace begins: then
/// the run counts for nothing. Empty if there is none.
[[nodiscard]] std::string undecided_start(const ir::Protocol& protocol, const ir::Instance& instance,
                                          const ir::Trace& trace);

/// Puts the readable trace, and why it matters, into `finding`. A trace that
/// meets an objection turns it into an internal error, a start that is not known to be one into an unknown.
void add_evidence(result::Finding& finding, const ir::Protocol& protocol, const NamedInstance& instance,
                  const explore::Found& found);

/// A finding about a property, with its kind, name, words and place.
[[nodiscard]] result::Finding about(const ir::Property& property);

/// A finding about a protocol as a whole.
[[nodiscard]] result::Finding of_protocol(std::string protocol, std::string rule, std::string message);

/// A finding about the prover itself: an internal error.
[[nodiscard]] result::Finding broken_prover(const std::string& protocol, const std::string& rule,
                                            const std::string& message);

}  // namespace tenet::verify
