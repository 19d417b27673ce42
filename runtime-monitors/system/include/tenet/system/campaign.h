/// Who notices which fault: the table of a system's fault switches.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/monitor/monitor.h"
#include "tenet/system/history.h"

namespace tenet::system {

/// A switch that makes a system wrong in one way.
struct Switch {
  std::string_view name;
  bool of_the_specification;  ///< a wrong variant of the protocol; else a fault that it has no words for
  std::string_view says;
  bool needs_power_loss = false;  ///< matters only when the power fails
};

/// Null: none is called so.
[[nodiscard]] const Switch* switch_named(std::span<const Switch> all, std::string_view name);

/// A violated rule of the monitor.
struct Violated {
  std::string rule;
  std::string kind;  ///< as in tenet::monitor::RuleInfo
};

/// Which rules are violated, in the order in which they were seen to be.
class Watch {
 public:
  /// Looks at the monitor: call it often, so that the order means something.
  void look(const tenet::monitor::Monitor& monitor);

  std::vector<Violated> violated;
  std::optional<std::uint64_t> events_until;  ///< recorded before the first violation was seen
  std::uint64_t events = 0;
  std::uint64_t gaps = 0;
  std::string first_finding;
};

/// What one schedule ended with.
struct Outcome {
  Watch watch;
  Judgement history;
  bool finished = true;  ///< all operations came to an end
  std::size_t done = 0;
  std::size_t died = 0;
  /// Nobody has anything to say.
  [[nodiscard]] bool clean() const { return watch.violated.empty() && history.linearizable && finished; }
};

/// In which layer a rule is: conformance (guards, effects, snapshots of single hosts), messages (a step sends it; what
/// is received was sent), derived (what was derived from the steps, and properties of one host), safety (the rest).
[[nodiscard]] std::string layer(const std::string& kind);

/// Whether the monitor checks guards and effects of single hosts.
void check_local_rules(tenet::monitor::Monitor& monitor, bool on);

/// One schedule of a fault.
struct Trial {
  std::size_t fault = 0;  ///< its place among the switches
  std::uint64_t seed = 1;
  bool local_rules_off = false;  ///< guards and effects are not checked
};

/// Plays every fault under `seeds` schedules, each with and without guards and effects, and prints a Markdown table.
/// The number of faults that neither the monitor nor the clients noticed in any schedule.
std::size_t campaign(const std::vector<Switch>& switches, std::uint64_t seeds,
                     const std::function<Outcome(const Trial&)>& play);

}  // namespace tenet::system
