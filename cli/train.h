/// `tenet train trace | infer | merge | check`.
#pragma once

namespace CLI {
class App;
}

namespace tenet::cli {

/// Adds the subcommand to `app`; after parsing, `status` holds the exit status if one of its words was run.
void add_train_command(CLI::App& app, int& status);

}  // namespace tenet::cli
