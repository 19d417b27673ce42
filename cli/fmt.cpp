#include <unistd.h>

#include <iostream>

#include "commands.h"
#include "output.h"
#include "tenet/base/utf8.h"
#include "tenet/frontend/frontend.h"
#include "tenet/verify/files.h"
#include "terminal.h"

namespace tenet::cli {
namespace {

/// Formats the files it is given and remembers the worst that happened.
class Formatter {
 public:
  explicit Formatter(const FmtArguments& arguments)
      : arguments_(arguments), colour_(use_colour(arguments.colour, STDERR_FILENO)) {}

  void standard_input() {
    const auto source = frontend::read_source(std::cin, "standard input");
    if (!source) return error(source.error().message);
    const auto formatted = format(*source);
    if (!formatted) return;
    if (arguments_.check) {
      if (*formatted != source->text()) differs(source->path());
    } else {
      note(write_standard_output(*formatted));
    }
  }

  void file(const std::string& path) {
    const auto source = frontend::read_source(path);
    if (!source) return error(source.error().message);
    const auto formatted = format(*source);
    if (!formatted || *formatted == source->text()) return;
    if (arguments_.check) {
      differs(path);
    } else {
      note(write_file(path, *formatted));
    }
  }

  void error(const std::string& message) {
    complain_of(message);
    failed_ = true;
  }

  [[nodiscard]] int status() const { return failed_ ? 3 : differs_ ? 1 : 0; }

 private:
  std::optional<std::string> format(const SourceFile& source) {
    frontend::Formatted formatted = frontend::format(source);
    for (const Diagnostic& diagnostic : formatted.diagnostics.sorted()) {
      complain(render(diagnostic, source, colour_));
      complain("\n");
    }
    if (!formatted.text) failed_ = true;
    return std::move(formatted.text);
  }
  void differs(const std::string& path) {
    note(write_standard_output("would change " + printable(path) + "\n"));
    differs_ = true;
  }
  void note(const Result<void>& written) {
    if (!written) error(written.error().message);
  }

  const FmtArguments& arguments_;
  bool colour_;
  bool failed_ = false;
  bool differs_ = false;
};

}  // namespace

int run_fmt(const FmtArguments& arguments) {
  Formatter formatter(arguments);
  for (const std::string& path : arguments.paths) {
    if (path == "-") {
      formatter.standard_input();
      continue;
    }
    const verify::FoundFiles found = verify::find_files({path});
    for (const std::string& problem : found.problems) formatter.error(problem);
    for (const std::string& file : found.paths) formatter.file(file);
  }
  return formatter.status();
}

}  // namespace tenet::cli
