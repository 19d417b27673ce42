#include <unistd.h>

#include "commands.h"
#include "output.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/printer.h"
#include "tenet/verify/files.h"
#include "terminal.h"

namespace tenet::cli {
namespace {

Result<std::string> stage_text(const SourceFile& source, const ir::Protocol& protocol, const std::string& stage) {
  if (stage == "ast") {
    // The syntax tree reads best as what it is a tree of.
    frontend::Formatted formatted = frontend::format(source);
    if (formatted.text) return std::move(*formatted.text);
    return failure(ErrorKind::unsupported, source.path() + ": only files of the protocol language are laid out");
  }
  if (stage == "ir") return ir::print(protocol);
  if (stage == "json") return ir::to_json(protocol);
  return failure(ErrorKind::unsupported, "there is no stage '" + stage + "'");
}

}  // namespace

int show_stage(const std::vector<std::string>& paths, const std::string& stage, Colour colour) {
  const verify::FoundFiles found = verify::find_files(paths);
  int status = found.problems.empty() ? 0 : 3;
  for (const std::string& problem : found.problems) complain_of(problem);
  for (const std::string& path : found.paths) {
    const auto source = frontend::read_source(path);
    if (!source) {
      complain_of(source.error().message);
      status = 3;
      continue;
    }
    if (frontend::kind_of(*source) == frontend::FileKind::variant) continue;
    const frontend::Loaded loaded = frontend::load_protocol(*source);
    for (const Diagnostic& diagnostic : loaded.diagnostics.sorted()) {
      complain(render(diagnostic, *source, use_colour(colour, STDERR_FILENO)) + "\n");
    }
    if (!loaded.protocol) {
      status = 3;
      continue;
    }
    const auto text = stage_text(*source, *loaded.protocol, stage);
    const auto written = text ? write_standard_output(*text) : tl::make_unexpected(text.error());
    if (!written) {
      complain_of(written.error().message);
      status = 3;
    }
  }
  return status;
}

}  // namespace tenet::cli
