/// Explicit-state exploration of one finite instance.
///
/// Breadth first, so traces are shortest; symmetry-reduced over
/// interchangeable hosts and values; level-synchronous on several threads with
/// the same result on any number of them (but for what was stored when a
/// memory bound or the stop flag ended a level early).
///
/// States that violate a property are explored further, for the sake of the
/// other properties; a violation that only goes on from an earlier one is not
/// reported again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/base/stop.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"

namespace tenet::explore {

struct Progress {
  std::uint64_t states = 0;       ///< stored
  std::uint64_t transitions = 0;  ///< taken, stutters included
  std::uint64_t queued = 0;       ///< of this level, not expanded yet
  std::uint32_t depth = 0;        ///< level being expanded
  double states_per_second = 0;
  std::uint64_t memory = 0;  ///< bytes
};

struct Options {
  unsigned threads = 1;
  bool symmetry = true;
  std::uint64_t memory_bytes = 4ull << 30;  ///< stop cleanly beyond this; counts all tables of the exploration
  std::uint32_t max_depth = 0xffffffff;
  std::uint64_t max_states = 0xffffffff;   ///< ends soon after so many are stored
  std::size_t max_violations = 1;          ///< per property; traces really differ (last step, host or binding kind)
  std::vector<ir::PropertyId> properties;  ///< to check; empty: all
  bool first_only = false;                 ///< end (satisfied) after the level with the first violation or fault
  bool deadlocks = true;
  const StopFlag* stop = nullptr;
  std::function<void(const Progress&)> progress;  ///< called from one thread, a few times a second
  /// Shown every stored state at the end, once, in the order in which they were
  /// stored (with one thread always the same); of an orbit that is one state.
  std::function<void(const ir::Constants&, const ir::State&)> visit;
};

/// Why the exploration ended.
enum class End {
  complete,   ///< every reachable state of the instance was visited
  cut,        ///< complete, but some step or property was cut at a bound of the instance
  memory,     ///< the memory bound
  depth,      ///< max_depth or max_states
  stopped,    ///< the stop flag
  satisfied,  ///< all that was asked is decided (every property violated max_violations times)
};

enum class FoundKind {
  violation,  ///< of a safety, lemma or transition property
  reached,    ///< a witness of a `reachable` property
  fault,      ///< an error of the specification (reads none …)
  deadlock,   ///< a state that no step changes
};

/// Something found, with a shortest trace to it.
struct Found {
  FoundKind kind = FoundKind::violation;
  ir::PropertyId property;                        ///< violation, reached
  std::optional<ir::Fault> fault;                 ///< fault; also a violation whose formula faults
  ir::Trace trace;                                ///< for a fault in a step: the state before it
  std::optional<ir::Action> failing_action;       ///< fault in a step: the step that faults
  std::vector<ir::Interpreter::Binding> binding;  ///< which hosts and values broke it
};

/// A bound of the instance that was met.
struct Cut {
  ir::StepId step;
  std::string slot;         ///< the variable, field or parameter that would leave its range
  std::uint64_t count = 0;  ///< how often
};

struct Report {
  /// Whether every reachable state of the instance was visited; `depth` is its
  /// diameter then.
  [[nodiscard]] bool whole() const { return end == End::complete || end == End::cut; }

  End end = End::complete;
  std::uint64_t initial_states = 0;
  std::uint64_t states = 0;  ///< stored: orbits when symmetry is on
  std::uint64_t transitions = 0;
  std::uint32_t depth = 0;  ///< the longest shortest path to a stored state
  double seconds = 0;
  std::uint64_t memory = 0;  ///< bytes at the end: states, tables, parents
  double bytes_per_state = 0;
  std::vector<Found> found;               ///< by depth, then property, then state
  std::vector<ir::PropertyId> unreached;  ///< `reachable` not reached (meaningful when complete or cut)
  std::vector<ir::StepId> never_enabled;  ///< never happened, was cut or faulted in what was explored
  std::vector<ir::ExprId> never_true;     ///< left sides of implications of checked properties
  std::vector<Cut> cuts;
  /// What depends on values outside the instance in some state: it counts neither as violated nor as reached there.
  std::vector<ir::PropertyId> cut_properties;
  std::uint64_t deadlocks = 0;  ///< states at rest (orbits when symmetry is on)
};

/// Explores. Errors: `bad_input` (contradictory axioms: "no constants satisfy
/// the axioms"; "no initial state exists"), `too_large` (the instance cannot
/// be packed or enumerated), `unsupported`.
[[nodiscard]] Result<Report> explore(const ir::Protocol& protocol, const ir::Instance& instance,
                                     const Options& options);

struct SimulateOptions {
  std::uint64_t seed = 1;
  std::uint32_t runs = 1;
  std::uint32_t steps = 50;
  const StopFlag* stop = nullptr;
};
/// Seeded random runs on the reference semantics; each checks all safety
/// properties on its way. The same seed gives the same runs.
struct SimulatedRun {
  ir::Trace trace;
  bool at_rest = false;        ///< ended because nothing was enabled
  std::optional<Found> found;  ///< a violation or fault that ended it
};
[[nodiscard]] Result<std::vector<SimulatedRun>> simulate(const ir::Protocol& protocol, const ir::Instance& instance,
                                                         const SimulateOptions& options);

}  // namespace tenet::explore
