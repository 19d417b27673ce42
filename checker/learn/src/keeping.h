/// Whether steps keep goals: asked in small instances, where answers are exact and a failure is two states, and for
/// any number of hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tenet/base/stop.h"
#include "tenet/induct/induct.h"
#include "tenet/induct/questions.h"
#include "tenet/ir/protocol.h"

namespace tenet::learn {

struct KeepingOptions {
  unsigned threads = 1;
  std::uint32_t seed = 0;
  std::uint64_t general_limit = 0;  ///< of a question for any number of hosts, in Z3's unit
  const StopFlag* stop = nullptr;
};

/// Goals are closed formulas of a protocol that grows meanwhile, and are numbered. The steps are dealt to a fixed
/// number of groups with solvers of their own, which work at the same time, so the answers do not depend on the
/// number of threads.
class Keeping {
 public:
  Keeping(const ir::Protocol& protocol, const KeepingOptions& options);
  ~Keeping();
  Keeping(const Keeping&) = delete;
  Keeping& operator=(const Keeping&) = delete;

  /// What of the protocol has no translation; empty: nothing.
  [[nodiscard]] const std::string& refused();
  /// Returns the number of a new goal.
  std::size_t add(ir::ExprId formula);
  [[nodiscard]] ir::ExprId formula(std::size_t goal) const { return goals_[goal]; }

  /// Instances come first, smaller ones before larger ones; the last is for any number of hosts.
  static constexpr std::size_t kLevels = 3;

  struct Failure {
    std::size_t goal = induct::Obligation::kNone;  ///< kNone: a step that reads what is not there
    std::optional<induct::Counterexample> shown;   ///< made as small as it can be
    std::string reason;                            ///< where nothing is shown
  };
  /// Whether the steps keep these goals (ascending) and are defined, if all hold before. From each group its first
  /// failure; none: all are kept at this level, or, in an instance, at least not refuted.
  std::vector<Failure> ask(std::size_t level, const std::vector<std::size_t>& goals);
  /// Those that instances keep, without the others.
  std::vector<std::size_t> inductive_part(std::vector<std::size_t> goals);
  /// Whether the steps keep one goal if it and these hold before.
  bool keeps(std::size_t level, std::size_t goal, const std::vector<std::size_t>& goals);
  [[nodiscard]] bool holds_at_start(std::size_t goal);
  /// A start of an instance for which the goal fails.
  [[nodiscard]] std::optional<induct::Counterexample> bad_start(std::size_t goal);
  /// The goals that those of `from`, and the steps' being defined, need by the last answers for any number of hosts.
  [[nodiscard]] std::vector<std::size_t> needed(const std::vector<std::size_t>& from) const;
  [[nodiscard]] std::size_t questions() const;

 private:
  class Group;
  /// By goal, case and level: kept if these goals hold before.
  using Kept = std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::vector<std::size_t>>;

  /// One goal, or all of the hypotheses and that steps are defined; what fails is only shown if it is wanted.
  std::vector<Failure> ask(std::size_t level, const std::vector<std::size_t>& hypotheses,
                           std::optional<std::size_t> goal, bool show);

  const ir::Protocol& protocol_;
  KeepingOptions options_;
  std::vector<ir::ExprId> goals_;
  std::vector<std::unique_ptr<Group>> groups_;
  Kept kept_;
};

}  // namespace tenet::learn
