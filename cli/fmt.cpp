#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "commands.h"
#include "output.h"
#include "tenet/base/line_difference.h"
#include "tenet/base/utf8.h"
#include "tenet/frontend/frontend.h"
#include "tenet/verify/files.h"
#include "terminal.h"

namespace tenet::cli {
namespace {

/// Of one file: more is no hint any more, and `tenet fmt` shows the rest.
constexpr std::size_t kMostDifferentLines = 40;

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
      if (*formatted != source->text()) differs(*source, *formatted);
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
      differs(*source, *formatted);
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
  void differs(const SourceFile& source, const std::string& formatted) {
    const std::string_view text = source.text();
    note(write_standard_output(fmt::format("would change {}:{}\n{}", printable(source.path()),
                                           first_different_line(text, formatted), difference(text, formatted))));
    differs_ = true;
  }
  [[nodiscard]] std::string difference(std::string_view before, std::string_view after) const {
    std::string text = printable_lines(unified_difference(before, after, kMostDifferentLines));
    if (!use_colour(arguments_.colour, STDOUT_FILENO)) return text;
    std::string coloured;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const std::string line = text.substr(at, end - at);
      const char* colour = line.starts_with('-')   ? "31"
                           : line.starts_with('+') ? "32"
                           : line.starts_with('@') ? "36"
                                                   : "0";
      coloured += fmt::format("\x1b[{}m{}\x1b[0m\n", colour, line);
      at = end + 1;
    }
    return coloured;
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
    for (const std::string& file : found.paths) {
      // Other languages have no layout of ours: what a folder holds of them is passed over.
      if (file == path || !file.ends_with(".pyv")) formatter.file(file);
    }
  }
  return formatter.status();
}

}  // namespace tenet::cli
