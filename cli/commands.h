/// One function for each subcommand. They return the exit status.
#pragma once

#include "arguments.h"
#include "tenet/result/result_model.h"

namespace tenet::cli {

int run_verify(const VerifyArguments& arguments);
int run_invariants(const InvariantsArguments& arguments);
int run_check(const CheckArguments& arguments);
int run_fmt(const FmtArguments& arguments);
int run_simulate(const SimulateArguments& arguments);
int run_gate(const GateArguments& arguments);
int run_recheck(const RecheckArguments& arguments);

/// Writes every report that is asked for and prints the text, unless a report
/// has standard output for itself. The exit status: that of the run, or 3 if
/// something could not be written.
int deliver(const result::RunResult& run, const OutputArguments& output);

/// Prints each protocol at a stage: "ast", "ir" or "json".
int show_stage(const std::vector<std::string>& paths, const std::string& stage, Colour colour);

}  // namespace tenet::cli
