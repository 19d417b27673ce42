/// `tenet monitor WORDS…`: monitors of services.
#pragma once

namespace tenet::cli {

/// Parses and runs; `arguments[0]` is "monitor". Returns the exit status.
int run_monitor(int count, char** arguments);

}  // namespace tenet::cli
