#include "report_places.h"

#include <algorithm>
#include <filesystem>

namespace tenet::cli {

namespace fs = std::filesystem;

std::optional<std::string> ReportPlaces::take(const std::string& path) {
  std::error_code error;
  // Made absolute first: what does not exist yet would stay relative.
  const fs::path canonical = path == "-" ? fs::path(path) : fs::weakly_canonical(fs::absolute(path, error), error);
  const fs::path place = error ? fs::path(path) : canonical;
  if (place.extension() == ".tenet") return "a report would overwrite the protocol '" + path + "'";
  const bool input = path != "-" && std::any_of(inputs_.begin(), inputs_.end(), [&](const std::string& each) {
                       std::error_code missing;
                       return fs::equivalent(place, each, missing);
                     });
  // What is no file keeps nothing that a report could destroy.
  std::error_code ignored;
  if (input && fs::is_regular_file(place, ignored)) return "a report would overwrite the input '" + path + "'";
  if (!taken_.insert(place.string()).second) return "two reports cannot both go to '" + path + "'";
  return std::nullopt;
}

std::optional<std::string> wrong_place(const ReportFiles& files, const std::vector<std::string>& inputs) {
  ReportPlaces places(inputs);
  for (const std::string* path : {&files.json, &files.sarif, &files.junit, &files.itf, &files.html}) {
    if (path->empty()) continue;
    if (auto wrong = places.take(*path)) return wrong;
  }
  return std::nullopt;
}

}  // namespace tenet::cli
