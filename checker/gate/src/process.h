/// A child process that is given its input and leaves its output.
#pragma once

#include <string>
#include <vector>

#include "tenet/base/result.h"

namespace tenet::gate {

struct Finished {
  int status = 0;  ///< its exit status; 128 and the signal if one ended it
  std::string output, errors;
};

/// Runs `words[0]`, looked up in PATH, to its end. All three streams are files
/// in memory, so neither side ever waits for the other. Errors: `io` if it
/// cannot be started.
[[nodiscard]] Result<Finished> run_process(const std::vector<std::string>& words, const std::string& input);

}  // namespace tenet::gate
