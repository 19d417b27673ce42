/// `tenet train collect | trace | infer | merge | check`.
#pragma once

namespace tenet::cli {

/// Runs the words after `tenet train`; `arguments[0]` is the name of the program for messages. Returns the exit status
/// of the house: 0 holds, 1 violated, 2 unknown or nothing checked, 3 bad input or usage, 4 internal error.
[[nodiscard]] int run_train(int count, const char* const* arguments);

}  // namespace tenet::cli
