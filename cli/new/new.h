/// `tenet new WORDS…`: projects to start from.
#pragma once

namespace tenet::cli {

/// Parses and runs; `arguments[0]` is "new". Returns the exit status.
int run_new(int count, char** arguments);

}  // namespace tenet::cli
