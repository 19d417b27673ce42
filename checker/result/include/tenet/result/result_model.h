/// One result model for every command: what was asked, what was found, where,
/// with which evidence. Report writers know nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tenet/base/diagnostic.h"
#include "tenet/base/source.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"

namespace tenet::result {

enum class Verdict {
  proved,          ///< for any number of hosts: every obligation was discharged
  holds_bounded,   ///< no violation in the finite instances named
  violated,        ///< with a trace that replays
  unknown,         ///< with the reason
  unsupported,     ///< with the construct
  internal_error,  ///< a bug of ours
};

/// How much a finding matters for the exit status.
enum class Level { pass, note, warning, failure };

/// One step of a trace, ready to print: no IR needed to read it.
struct TraceStep {
  std::string step;                                            ///< "receive Promise"
  std::string host;                                            ///< "Leader#1"
  std::vector<std::pair<std::string, std::string>> arguments;  ///< parameters and choices: name, value
  struct Message {
    std::string name, text, from, to;  ///< text: "Promise(1, none)"
    std::vector<std::pair<std::string, std::string>> fields;
  };
  std::optional<Message> received;
  std::vector<Message> sent;
  struct Change {
    std::string host, variable, before, after;
  };
  std::vector<Change> changes;  ///< only what changed
  Span span;                    ///< of the step in the source
};

/// A trace ready to print, with what it started from.
struct TraceView {
  std::vector<TraceStep::Change> constants;  ///< host (empty for global), name, "", value
  std::vector<TraceStep::Change> initial;    ///< host, variable, "", value
  std::vector<TraceStep> steps;
  std::vector<TraceStep::Change> final_state;  ///< full last state
  std::vector<std::string> hosts;              ///< lifelines in display order
  std::string why;                             ///< the instance of the property that broke: "p = Participant#1, q = …"
  std::vector<std::pair<std::string, std::string>> binding;
  std::vector<std::pair<std::string, std::string>> evaluation;  ///< sub-formula of the broken instance, its value
  ir::Trace raw;                                                ///< for ITF and replay
};

struct Finding {
  std::string rule;  ///< stable id: "property-violated", "never-enabled", "unknown-name" …
  Level level = Level::failure;
  std::optional<Verdict> verdict;  ///< set for what was asked (properties, variants); absent for side findings
  std::string subject;             ///< the property, step, variant … it is about
  std::string subject_kind;        ///< "safety", "reachable", "step", "variant", …
  std::string message;             ///< one sentence
  std::string hint;
  Span span;
  std::optional<TraceView> trace;
};

/// Numbers of one exploration (or, later, proof).
struct Statistics {
  std::string instance;  ///< "small: Leader = 2, Acceptor = 3, …"
  std::uint64_t states = 0, transitions = 0, deadlocks = 0;
  std::uint32_t diameter = 0;
  double seconds = 0;        ///< left out when deterministic
  std::uint64_t memory = 0;  ///< left out when deterministic
  bool symmetry = true;
  bool complete = false;
  std::string end;  ///< "complete", "cut at bound", "stopped at the memory bound" …
};

/// Everything about one file.
struct FileResult {
  std::shared_ptr<const SourceFile> source;
  std::string protocol;
  std::size_t lines = 0;
  std::vector<Statistics> runs;
  std::vector<Finding> findings;                 ///< in a fixed order: by property, then by source position
  std::shared_ptr<const ir::Protocol> ir;        ///< null if the file has errors
  std::shared_ptr<const ir::Instance> instance;  ///< of the traces
};

/// Everything one command found.
struct RunResult {
  std::string command;  ///< "verify"
  std::string version;
  std::vector<FileResult> files;
  bool interrupted = false;
  bool accept_bounded = false;
};

/// Exit status of house rules: 0 all that was asked holds (and something was
/// asked), 1 violated, 2 unknown, unsupported or only bounded (bounded counts
/// as 0 with accept_bounded), 3 bad input, 4 internal error; of several, the
/// first of 4, 3, 1, 2.
[[nodiscard]] int exit_status(const RunResult& run);

/// Makes a trace readable.
[[nodiscard]] TraceView view(const ir::Protocol& protocol, const ir::Instance& instance, const ir::Trace& trace);

}  // namespace tenet::result
