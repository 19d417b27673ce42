/// Shared by the tests of this room.
#pragma once

#include <string>
#include <vector>

#include "tenet/smt/solver.h"

namespace tenet::smt {

inline SolverConfig fake_config(const std::string& mode) {
  SolverConfig config;
  config.backend = Backend::process;
  config.program = std::string(TENET_SOURCE_DIR) + "/tests/smt/fake_solver.sh";
  config.arguments = {mode};
  config.wall_clock_ms = 20'000;
  return config;
}

inline std::vector<SolverConfig> real_configs() { return {z3_config(), z3_process_config(), cvc5_config()}; }

/// Runs a program on a file and gives what it printed.
std::string output_of(const std::string& command);
/// The script in a temporary file, run by the program.
std::string run_script(const std::string& program, const std::string& script);

}  // namespace tenet::smt
