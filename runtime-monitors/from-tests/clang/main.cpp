// `tenet-derive`: what `tenet derive` runs. It reads C++ by Clang; `tenet` does not.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <string>

#include "words.h"

int main(int argc, char** argv) {
  CLI::App app("tenet derive: checkers for a running service, from its GoogleTest suite", "tenet derive");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer(
      "Exit status: 0 all that was asked holds, 1 something is violated, 2 unknown or unsupported, 3 bad input or\n"
      "usage, 4 internal error.");
  int status = 0;
  tenet::from_tests::add_source_words(app, status);
  tenet::from_tests::add_checker_words(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "tenet: {}\n  'tenet derive --help' lists what there is\n", error.what());
    return 3;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "tenet: out of memory\n");
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "tenet: internal error: {}\n", error.what());
    return 4;
  }
  return status;
}
