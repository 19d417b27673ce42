/// Bounded model checking: is there a run of so many steps that violates a
/// property, for the hosts of an instance and any numbers?
///
/// ```
/// tenet::symbolic::Options options;
/// options.depth = 10;
/// const auto report = tenet::symbolic::search(protocol, instance, options);
/// for (const auto& found : report.found) …  // each trace replays in found.instance
/// ```
///
/// Runs are unrolled step by step into a solver (Biere, Cimatti, Clarke, Zhu:
/// "Symbolic Model Checking without BDDs", TACAS 1999) and looked at in the
/// order of their length, so that what is found first is shortest. What the
/// solver describes counts only after it was run, action by action, on the
/// reference interpreter. How it is encoded: docs/symbolic.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tenet/base/stop.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"

namespace tenet::symbolic {

struct Options {
  std::vector<ir::PropertyId> properties;  ///< empty: all
  bool faults = true;                      ///< also look for steps that read what is not there
  /// Numbers (and copies of messages) are as many as the run needs. False: they stay in the instance's bounds.
  bool any_numbers = true;
  unsigned depth = 10;                         ///< steps of the longest runs
  std::uint64_t resource_limit = 20'000'000;   ///< of one check, in Z3's unit
  std::uint64_t total_resources = 60'000'000;  ///< of all of them; a check that has begun is finished
  std::uint32_t seed = 0;
  const StopFlag* stop = nullptr;                ///< looked at some twenty times a second
  std::function<void(unsigned depth)> progress;  ///< before runs of that length are looked at
};

/// A run that replays on the reference interpreter in `instance`, and what is
/// at its end: a property that is false or has no value, a `reachable` that is
/// reached, or (without a property) a step that has no result.
struct Found {
  ir::PropertyId property;
  ir::Instance instance;  ///< with ranges that are wide enough
  ir::Trace trace;
  std::optional<ir::Fault> fault;            ///< why the property or the step has no value
  std::optional<ir::Action> failing_action;  ///< the step that has none, taken after the trace
};

/// Why the search ended.
enum class End : std::uint8_t {
  depth,      ///< at the depth asked for
  decided,    ///< nothing was left to look for
  exhausted,  ///< no run is longer: what was not found does not exist for these hosts
  unknown,    ///< the solver had no answer, or ran out of resources
  stopped,    ///< the stop flag
  refused,    ///< something in the start or the steps has no translation
};

struct Report {
  End end = End::depth;
  std::string reason;             ///< of unknown and refused: one sentence
  std::optional<unsigned> depth;  ///< every run of up to so many steps was looked at; nothing: not even the starts
  std::vector<Found> found;       ///< shortest first
  /// Properties that could not be looked at, or not beyond some length, and why. An invalid one: steps without a
  /// result.
  struct Open {
    ir::PropertyId property;
    std::string reason;
    bool refused = false;  ///< it has no translation; else a model did not replay
  };
  std::vector<Open> open;
  std::uint64_t resources = 0;
  double seconds = 0;
};

/// Whether the protocol has values that every instance bounds: numbers.
[[nodiscard]] bool has_unbounded_values(const ir::Protocol& protocol);

/// Of `instance` count the hosts, the sizes of types and, if numbers are
/// bounded, all of it. The same input gives the same report, but for `seconds`
/// and what the stop flag does. Never throws.
[[nodiscard]] Report search(const ir::Protocol& protocol, const ir::Instance& instance, const Options& options);

}  // namespace tenet::symbolic
