// `tenet-train`: the training family on its own, for machines that train and nothing else.
#include <CLI/CLI.hpp>

#include "../train.h"

int main(int argc, char** argv) {
  CLI::App app("Tenet for training jobs");
  app.require_subcommand(1);
  int status = 0;
  tenet::cli::add_train_command(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 3;
  }
  return status;
}
