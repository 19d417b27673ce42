/// One result model for every command: what was asked, what was found, where,
/// with which evidence. Report writers know nothing else.
///
/// Everything here is a plain value. Texts are ready to print; spans point
/// into `FileResult::source` (those of traces into `FileResult::trace_source`).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenet/base/diagnostic.h"
#include "tenet/base/source.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"
#include "tenet/result/proof.h"

namespace tenet::result {

/// The answer to something that was asked.
enum class Verdict {
  proved,          ///< for any number of hosts: every obligation was discharged
  reached,         ///< a `reachable` property: a witness was found
  refuted,         ///< a wrong variant: violated as it should be, by a trace that replays
  holds_bounded,   ///< no violation in the finite instances named
  violated,        ///< with a trace that replays; or with a proof, where a trace was claimed to exist
  unknown,         ///< with the reason
  unsupported,     ///< with the construct
  internal_error,  ///< a bug of ours
};
/// "proved", "holds-bounded" …: stable, used in machine-readable reports.
[[nodiscard]] std::string_view name(Verdict verdict);

/// How much a finding matters for the exit status.
enum class Level {
  pass,
  note,
  warning,
  failure,    ///< what was asked does not hold, or is not known to
  bad_input,  ///< the text, file or option cannot be used
};
[[nodiscard]] std::string_view name(Level level);

using NamedText = std::pair<std::string, std::string>;

/// One step of a trace, ready to print: no IR needed to read it.
struct TraceStep {
  std::string step;                  ///< "receive Promise"
  std::string host;                  ///< "Leader#1"
  std::vector<NamedText> arguments;  ///< parameters and choices: name, value
  struct Message {
    std::string name, text, from, to;  ///< text: "Promise(1, none)"
    std::vector<NamedText> fields;
    std::optional<std::size_t> sent_at;  ///< of a received one: index of the step that sent it
  };
  std::optional<Message> received;
  std::vector<Message> sent;
  struct Change {
    std::string host, variable, before, after;  ///< variable: "accepts[Vote(1, Value#1)]" if only that part changed
  };
  std::vector<Change> changes;                             ///< only what changed
  std::vector<std::pair<std::size_t, std::string>> cells;  ///< index into TraceView::initial, whole new value
  Span span;                                               ///< of the step in the source
  std::string fault;  ///< not empty: the step has no result because of this error of the specification
};

/// A trace ready to print, with what it started from.
struct TraceView {
  std::vector<TraceStep::Change> constants;  ///< host (empty for global), name, "", value
  std::vector<TraceStep::Change> initial;    ///< host, variable, "", value
  std::vector<TraceStep::Message> network;   ///< what is in the network before the first step: of a run nothing
  std::vector<TraceStep> steps;
  std::vector<TraceStep::Change> final_state;  ///< full last state
  std::vector<std::string> hosts;              ///< lifelines in display order
  std::vector<std::string> roles;              ///< the role of each host
  std::string claim;                           ///< the property that the rest is about
  std::string why;                             ///< the instance of the property that broke: "p = Participant#1, q = …"
  std::vector<NamedText> binding;
  std::vector<NamedText> evaluation;  ///< sub-formula of the broken instance, its value
  ir::Trace raw;                      ///< for ITF and replay
};

struct Finding {
  std::string rule;  ///< stable id: "property-violated", "never-enabled", "unknown-name" …
  Level level = Level::failure;
  std::optional<Verdict> verdict;  ///< set for what was asked (properties, variants); absent for side findings
  std::string subject;             ///< the property, step, variant … it is about
  std::string subject_kind;        ///< "safety", "reachable", "step", "variant", "mutant", "file" …
  std::string message;             ///< one sentence
  std::string hint;
  Span span;
  std::string doc;  ///< what the author wrote about the subject
  /// Of a mutant: "drop-conjunct" …; "logged-run": its trace is what was recorded, "logged-end": the end of that;
  /// "random-run": its trace is no shortest one; "symbolic-run": its numbers were chosen by symbolic search;
  /// "unreachable-start": its trace begins in a state that no run need reach.
  std::string category;
  std::string instance;  ///< the trace's: "small: Leader = 2, Acceptor = 3"
  std::vector<DiagnosticNote> notes;
  std::optional<TraceView> trace;
  std::shared_ptr<const ir::Instance> trace_instance;  ///< of the trace; for ITF
};

/// Numbers of one exploration.
struct Statistics {
  std::string instance;  ///< "small: Leader = 2, Acceptor = 3, …"
  std::uint64_t initial_states = 0;
  std::uint64_t states = 0, transitions = 0, deadlocks = 0;
  std::uint32_t depth = 0;                ///< of the deepest state that was found
  std::optional<std::uint32_t> diameter;  ///< only if every state was visited: the depth
  double seconds = 0;                     ///< left out when deterministic
  std::uint64_t memory = 0;               ///< bytes; left out when deterministic
  bool symmetry = true;
  bool complete = false;
  bool cached = false;  ///< the numbers are those of an earlier run; left out when deterministic
  std::string end;      ///< "complete", "cut at a bound", "stopped at the memory bound" …
};

/// One symbolic search: with the hosts of an instance, and any numbers.
struct SymbolicSearch {
  std::string instance;                 ///< its name
  std::vector<std::string> properties;  ///< that were looked for
  std::vector<std::string> found;       ///< of these: those that were found violated, or reached
  std::optional<std::uint32_t> depth;   ///< every run of up to so many steps was looked at
  std::string end;              ///< "depth", "decided", "exhausted", "unknown", "stopped", "unsupported": stable
  std::string reason;           ///< of the last three
  std::vector<NamedText> open;  ///< properties that could not be looked at to the end, and why
  std::uint64_t resources = 0;  ///< in the solver's own unit; left out when deterministic
  double seconds = 0;           ///< left out when deterministic
};
/// Of a property that was looked for and not found: "nothing within 8 steps with any numbers", and why not further.
[[nodiscard]] std::string outcome(const SymbolicSearch& search);
/// Of the whole search, in a line.
[[nodiscard]] std::string summary(const SymbolicSearch& search);

/// Everything about one file.
struct FileResult {
  std::shared_ptr<const SourceFile> source;        ///< never null; text empty if the file could not be read
  std::shared_ptr<const SourceFile> trace_source;  ///< of a variant: the protocol it edits; null: `source`
  std::string protocol;                            ///< its name, or the variant's
  std::size_t lines = 0;                           ///< of text: neither blank nor only comment
  std::vector<Statistics> runs;
  std::vector<Finding> findings;           ///< in a fixed order: by property, then by source position
  std::optional<Proof> proof;              ///< if the prover was asked
  std::vector<SymbolicSearch> searches;    ///< by instance, if symbolic search was tried
  std::shared_ptr<const ir::Protocol> ir;  ///< of the traces; null if the file has errors
  double seconds = 0;                      ///< all work on this file; left out when deterministic
};

/// What a run amounts to, of commands whose answer is not the sum of their verdicts.
struct Conclusion {
  std::string text;  ///< one line
  int status = 2;    ///< exit status
};

/// Everything one command found.
struct RunResult {
  std::string command;  ///< "verify"
  std::string version;
  std::vector<FileResult> files;
  std::vector<NamedText> skipped;  ///< paths of files that nothing was asked of, and why: "wrong variant" …
  std::vector<Finding> problems;   ///< of no file in particular: an unknown property …
  bool interrupted = false;
  bool accept_bounded = false;
  double seconds = 0;  ///< left out when deterministic
  std::optional<Conclusion> conclusion;
};

/// Exit status of house rules: 0 all that was asked holds (and something was
/// asked), 1 violated, 2 unknown, unsupported or only bounded (bounded counts
/// as 0 with accept_bounded), 3 bad input, 4 internal error; of several, the
/// first of 4, 3, 1, 2.
[[nodiscard]] int exit_status(const RunResult& run);

/// Lines of `text` that are neither blank nor only comment.
[[nodiscard]] std::size_t lines_of_text(std::string_view text);

}  // namespace tenet::result
