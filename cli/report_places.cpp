#include "report_places.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace tenet::cli {

namespace fs = std::filesystem;

namespace {

/// What the beginning of each kind of report has, and little else: JSON, SARIF
/// (also that of the gate), JUnit, ITF, HTML, a shard and a summary of the gate, derived properties.
constexpr std::array kMarks{R"("schema": "tenet-report")",
                            R"("name": "tenet")",
                            R"(<testsuites name="tenet")",
                            R"("generator": "tenet")",
                            "<title>tenet ",
                            R"("tenet-gate-shard")",
                            "## Tenet gate: ",
                            "// Derived by `tenet invariants` of "};
constexpr std::size_t kBeginning = 2048;

/// Whether nothing is lost if a report takes the place of `path`: there is
/// nothing, or what keeps nothing, or an earlier report.
bool replaceable(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) == 0) return true;
  std::string beginning(kBeginning, '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(in.gcount()));
  return std::any_of(kMarks.begin(), kMarks.end(),
                     [&](std::string_view mark) { return beginning.find(mark) != std::string::npos; });
}

}  // namespace

std::optional<std::string> ReportPlaces::take(const std::string& path) {
  std::error_code error;
  // Made absolute first: what does not exist yet would stay relative.
  const fs::path canonical = path == "-" ? fs::path(path) : fs::weakly_canonical(fs::absolute(path, error), error);
  const fs::path place = error ? fs::path(path) : canonical;
  if (place.extension() == ".tenet" || place.extension() == ".pyv")
    return "a report would overwrite the protocol '" + path + "'";
  const bool input = path != "-" && std::any_of(inputs_.begin(), inputs_.end(), [&](const std::string& each) {
                       std::error_code missing;
                       return fs::equivalent(place, each, missing);
                     });
  // What is no file keeps nothing that a report could destroy.
  std::error_code ignored;
  if (input && fs::is_regular_file(place, ignored)) return "a report would overwrite the input '" + path + "'";
  // Said now, and not when the work is done.
  if (path != "-" && fs::is_directory(place, ignored)) return "cannot write '" + path + "': it is a folder";
  if (path != "-" && fs::status(place.parent_path(), ignored).type() == fs::file_type::not_found) {
    return "cannot write '" + path + "': there is no folder '" + fs::path(path).parent_path().string() + "'";
  }
  if (!taken_.insert(place.string()).second) return "two reports cannot both go to '" + path + "'";
  if (path != "-" && !replaceable(place)) {
    return "a report would overwrite '" + path + "', which is no report of tenet: remove it, or name another file";
  }
  return std::nullopt;
}

std::optional<std::string> wrong_place(const ReportFiles& files, const std::vector<std::string>& inputs) {
  ReportPlaces places(inputs);
  for (const std::string* path :
       {&files.json, &files.sarif, &files.junit, &files.itf, &files.html, &files.properties}) {
    if (path->empty()) continue;
    if (auto wrong = places.take(*path)) return wrong;
  }
  return std::nullopt;
}

}  // namespace tenet::cli
