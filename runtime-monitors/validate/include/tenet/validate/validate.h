/// Is there an execution of the protocol that explains these logs?
///
/// ```
/// auto report = tenet::validate::validate(protocol, {"a.jsonl", "b.jsonl"}, options);
/// if (report) fmt::print("{}", to_text(*report));
/// ```
///
/// A log is explained if some execution of the protocol has, for every host, its events as the first ones of that host:
/// logs may end early. Events that name step, host and what the step takes are replayed one by one in any order that
/// respects hosts and messages, which is enough (a message, once sent, stays), and takes time linear in their number.
/// What is not named is searched for, within a bound. After a loss (a gap in a host's sequence) a host is judged again
/// from the next event on that tells its whole state; what it sent is not known, and the answer is unknown at best.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"

namespace tenet::validate {

struct Options {
  std::string stamp;                          ///< of the protocol; a trace with another one is not judged
  std::string mapping;                        ///< file that renames fields, steps and hosts; empty: none
  std::string instance;                       ///< take sizes and ranges from this instance; empty: from the traces
  std::map<std::string, std::int64_t> hosts;  ///< hosts of a role, where the traces do not say
  /// Nodes that the searches of all runs may make together, beside one for each event of the logs, and a twentieth of
  /// the actions that they may try. Of large states each counts as several: one more for every 500 values and messages.
  /// Beyond either the answer is unknown.
  std::uint64_t bound = 100'000;
  /// For how many obstacles, at most, the run before them is wanted.
  std::size_t executions = 0;
};

enum class Answer { explained, not_explained, unknown };

/// What led to an obstacle: of the explained events those that it depends on, in an order in which the specification
/// takes them. Of a long run the end.
struct Execution {
  std::shared_ptr<const ir::Instance> instance;
  ir::Trace trace;
  bool whole = false;              ///< it begins where the run began
  ir::HostRef host;                ///< of the obstacle
  std::optional<ir::Action> next;  ///< what the event says happened there, if it says all of it
};

/// An event at which the longest explained prefix ends, and why.
struct Obstacle {
  Answer answer = Answer::not_explained;
  std::string host;
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t key = 0;
  std::string event;                ///< the line of the log
  std::string reason;               ///< one sentence
  std::vector<std::string> guards;  ///< the conjuncts of the guard that are false
  std::vector<std::string> state;   ///< of the host, as the specification has it here: `voted = none`
  std::optional<Execution> execution;
};

struct Report {
  Answer answer = Answer::unknown;
  std::uint64_t events = 0;         ///< in the logs, message lines included
  std::uint64_t explained = 0;      ///< of them, in the longest explained prefix
  std::uint64_t trusted = 0;        ///< of them, taken as they are, because events before them are lost
  std::uint64_t steps = 0;          ///< explained events that are steps: what was really checked
  std::uint64_t runs = 0;           ///< keys
  std::uint64_t searched = 0;       ///< nodes of searches
  std::vector<Obstacle> obstacles;  ///< causally minimal ones first, at most 20
  std::vector<std::string> notes;   ///< what could not be judged, and why
};

/// Errors: `bad_input` (no trace, not JSON, unknown step or host, a value of the wrong type), `io`, `unsupported`.
[[nodiscard]] Result<Report> validate(const ir::Protocol& protocol, const std::vector<std::string>& files,
                                      const Options& options);

/// 0 explained, 1 not explained, 2 unknown or nothing checked.
[[nodiscard]] int exit_status(const Report& report);
/// The last line of the text: the answer, and how much was checked.
[[nodiscard]] std::string summary(const Report& report);
[[nodiscard]] std::string to_text(const Report& report);
[[nodiscard]] std::string to_json(const Report& report);

}  // namespace tenet::validate
