/// Several solvers for one question.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tenet/base/stop.h"
#include "tenet/smt/solver.h"

namespace tenet::smt {

enum class PortfolioMode : std::uint8_t {
  /// One after the other until one answers. Repeats exactly.
  in_order,
  /// All at once; the first answer counts and the others are interrupted.
  /// Which solver answers, its core and its model may differ between runs.
  race,
  /// All at once and all to their end. The answer is that of the first member
  /// in order that has one, however many have. Repeats exactly.
  cross_check,
};

/// A solver made of several; at least one. `CheckResult::attempts` says what
/// each member answered. Whatever the mode: if one member says sat and another
/// unsat, the answer is unknown (disagreement), never one of the two.
[[nodiscard]] std::unique_ptr<Solver> make_portfolio(const std::vector<SolverConfig>& members, PortfolioMode mode);

/// Asks a new solver, from the beginning, until `stop` is requested.
[[nodiscard]] CheckResult ask(const Query& query, const SolverConfig& config, const StopFlag* stop = nullptr);

enum class Confirmation : std::uint8_t {
  confirmed,     ///< the other solver says the same
  open,          ///< the other solver has no answer
  contradicted,  ///< the other solver says the opposite: one of them is wrong
};

struct Recheck {
  Confirmation confirmation = Confirmation::open;
  CheckResult result;  ///< of the other solver
};

/// Has another solver answer a query for which `expected` is claimed.
[[nodiscard]] Recheck recheck(const Query& query, Answer expected, const SolverConfig& other);

}  // namespace tenet::smt
