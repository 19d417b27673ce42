/// The makers of the backends, for `make_solver`.
#pragma once

#include <memory>

#include "tenet/smt/solver.h"

namespace tenet::smt {

[[nodiscard]] std::unique_ptr<Solver> make_z3_solver(const SolverConfig& config);
[[nodiscard]] Result<std::string> probe_z3(const SolverConfig& config);

[[nodiscard]] std::unique_ptr<Solver> make_process_solver(const SolverConfig& config);
[[nodiscard]] Result<std::string> probe_process(const SolverConfig& config);

}  // namespace tenet::smt
