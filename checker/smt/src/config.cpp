#include <memory>
#include <string>

#include "backends.h"
#include "tenet/smt/solver.h"

namespace tenet::smt {

SolverConfig z3_config() { return {}; }

SolverConfig z3_process_config() {
  SolverConfig config;
  config.backend = Backend::process;
  config.dialect = Dialect::z3;
  config.program = "z3";
  config.required_name = "Z3";
  config.minimum_version = "4.8";
  return config;
}

SolverConfig cvc5_config() {
  SolverConfig config;
  config.backend = Backend::process;
  config.dialect = Dialect::cvc5;
  config.program = "cvc5";
  config.required_name = "cvc5";
  config.minimum_version = "1.0";
  return config;
}

std::string describe(const SolverConfig& config) {
  const bool process = config.backend == Backend::process;
  std::string text = process ? config.program + " process" : "Z3 in process";
  for (const std::string& argument : config.arguments) text += ' ' + argument;
  text += " seed=" + std::to_string(config.seed);
  text += " limit=" + std::to_string(config.resource_limit);
  const bool is_z3 = !process || config.dialect == Dialect::z3;
  if (is_z3) text += std::string(" mbqi=") + (config.mbqi ? "on" : "off");
  text += std::string(" ematching=") + (config.ematching ? "on" : "off");
  if (is_z3 && !config.auto_config) text += " auto_config=off";
  for (const auto& [name, value] : config.options) text += ' ' + name + '=' + value;
  if (config.memory_mb > 0) text += " memory=" + std::to_string(config.memory_mb) + "MiB";
  return text;
}

std::unique_ptr<Solver> make_solver(const SolverConfig& config) {
  return config.backend == Backend::process ? make_process_solver(config) : make_z3_solver(config);
}

Result<std::string> probe(const SolverConfig& config) {
  return config.backend == Backend::process ? probe_process(config) : probe_z3(config);
}

}  // namespace tenet::smt
