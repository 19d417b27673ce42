/// A trace in words: what the text and the HTML report have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenet/result/result_model.h"

namespace tenet::report {

/// Equal messages of one step, said once.
struct SendGroup {
  std::string text;                     ///< "Prepare(1)"
  std::string to;                       ///< "all Acceptor", "Acceptor#1 and Acceptor#2"
  std::vector<std::size_t> recipients;  ///< indices into TraceView::hosts
};
[[nodiscard]] std::vector<SendGroup> group_sends(const result::TraceView& trace, const result::TraceStep& step);

/// What hosts start with, said once for a role whose hosts agree.
struct Assignments {
  std::string owner;               ///< "every Acceptor", "Leader#1"; empty for the protocol
  std::vector<std::string> items;  ///< "promised = none"
};
[[nodiscard]] std::vector<Assignments> group_assignments(const result::TraceView& trace,
                                                         const std::vector<result::TraceStep::Change>& values);

/// "safety agreement", "Leader, step propose", "variant small_quorum".
[[nodiscard]] std::string title(const result::Finding& finding);

/// What the claim of its trace came to at the end: "is false", "is true", "has
/// no value".
[[nodiscard]] std::string_view claim_outcome(const result::Finding& finding);

/// "A shortest run to it has 3 steps,", "It happens in an initial state".
[[nodiscard]] std::string length_of(const result::Finding& finding);

/// "receives Promise(1, none) from Acceptor#2", "does propose(fresh = Value#1)".
[[nodiscard]] std::string deed(const result::TraceStep& step);

/// Index of a host in `trace.hosts`; hosts.size() if it is not there.
[[nodiscard]] std::size_t lifeline(const result::TraceView& trace, std::string_view host);

}  // namespace tenet::report
