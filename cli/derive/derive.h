/// `tenet derive WORDS…`: checkers from tests, by a program of its own.
#pragma once

namespace tenet::cli {

/// Runs `tenet-derive` with these words; `arguments[0]` is "derive". Returns its exit status; 2 if it is not there.
int run_derive(int count, char** arguments);

}  // namespace tenet::cli
