#include "inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "tenet/verify/files.h"

namespace tenet::verify {
namespace {

namespace fs = std::filesystem;

/// What a folder holds under the name of a protocol. A link to nowhere or a
/// pipe is named too: passing it over would answer for less than was asked.
/// Hidden ones are not: editors keep links to nowhere as locks.
bool is_input(const fs::directory_entry& entry) {
  std::error_code ignored;
  if (!frontend::is_protocol_path(entry.path().string())) return false;
  if (entry.is_regular_file(ignored)) return true;
  return !entry.is_directory(ignored) && !entry.path().filename().string().starts_with('.');
}

/// The protocols under `folder`, ascending; links to folders are not
/// followed, so that no circle is.
std::vector<std::string> files_in(const std::string& folder, std::error_code& error) {
  std::vector<std::string> found;
  fs::recursive_directory_iterator at(folder, fs::directory_options::none, error);
  const fs::recursive_directory_iterator end;
  while (!error && at != end) {
    if (is_input(*at)) found.push_back(at->path().string());
    at.increment(error);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Protocols before the variants in folders beneath them, as people list them.
bool shallower_first(const std::string& a, const std::string& b) {
  const auto folder = [](const std::string& path) { return fs::path(path).parent_path(); };
  return std::pair(folder(a), a) < std::pair(folder(b), b);
}

}  // namespace

result::Finding bad_input(std::string rule, std::string message, std::string hint) {
  result::Finding finding;
  finding.rule = std::move(rule);
  finding.level = result::Level::bad_input;
  finding.subject_kind = "file";
  finding.message = std::move(message);
  finding.hint = std::move(hint);
  return finding;
}

Inputs find_inputs(const std::vector<std::string>& paths) {
  Inputs inputs;
  std::set<std::string> seen;
  const auto add = [&](const std::string& path, bool from_folder) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(path, error);
    if (seen.insert(error ? path : real.string()).second) inputs.files.push_back({path, from_folder});
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      // Whether it exists and can be read is seen when it is read.
      add(path, false);
      continue;
    }
    std::vector<std::string> files = files_in(path, error);
    std::sort(files.begin(), files.end(), shallower_first);
    if (error) {
      inputs.problems.push_back(bad_input("unreadable", path + ": " + error.message()));
    } else if (files.empty()) {
      inputs.problems.push_back(bad_input("no-protocol", path + ": no .tenet or .pyv file in this folder"));
    }
    for (const std::string& file : files) add(file, true);
  }
  return inputs;
}

FoundFiles find_files(const std::vector<std::string>& paths) {
  FoundFiles found;
  const Inputs inputs = find_inputs(paths);
  for (const Input& input : inputs.files) found.paths.push_back(input.path);
  for (const result::Finding& problem : inputs.problems) found.problems.push_back(problem.message);
  return found;
}

void add_diagnostics(const Diagnostics& diagnostics, result::FileResult& file) {
  for (const Diagnostic& diagnostic : diagnostics.sorted()) {
    result::Finding finding = bad_input(diagnostic.id, diagnostic.message, diagnostic.hint);
    if (diagnostic.severity != Severity::error) {
      finding.level = diagnostic.severity == Severity::warning ? result::Level::warning : result::Level::note;
    }
    finding.span = diagnostic.span;
    finding.notes = diagnostic.notes;
    file.findings.push_back(std::move(finding));
  }
}

LoadedFile load_file(const std::string& path) {
  LoadedFile loaded;
  auto source = frontend::read_source(path);
  if (!source) {
    loaded.result.source = std::make_shared<SourceFile>(path, "");
    loaded.result.findings.push_back(bad_input("unreadable", source.error().message));
    return loaded;
  }
  loaded.result.source = std::make_shared<SourceFile>(std::move(*source));
  loaded.result.lines = result::lines_of_text(loaded.result.source->text());
  loaded.kind = frontend::kind_of(*loaded.result.source);
  if (loaded.kind == frontend::FileKind::variant) return loaded;
  frontend::Loaded protocol = frontend::load_protocol(*loaded.result.source);
  add_diagnostics(protocol.diagnostics, loaded.result);
  if (protocol.protocol && !protocol.diagnostics.has_errors()) {
    loaded.result.protocol = protocol.protocol->name;
    loaded.result.ir = std::make_shared<ir::Protocol>(std::move(*protocol.protocol));
  }
  return loaded;
}

}  // namespace tenet::verify
