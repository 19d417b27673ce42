/// `tenet train collect -- JOB…`: runs a PyTorch job under the collector.
#pragma once

#include <string>
#include <vector>

namespace tenet::cli {

struct CollectWords {
  std::string output;            ///< folder of the traces
  std::string selection;         ///< invariants or selection file; empty: everything is recorded
  std::string python;            ///< interpreter that runs the job; empty: the one the collector was built for
  std::vector<std::string> job;  ///< `train.py ARGS…` or any command
};

/// Becomes the job: on success this does not return, and the exit status and the signals are the job's. Returns 3, with
/// a line on standard error, if the collector was not built or the interpreter cannot be run.
[[nodiscard]] int collect(const CollectWords& words);

}  // namespace tenet::cli
