// What the frontend's tests share: finding files, and cases that hold both
// input and expectation.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tenet/base/diagnostic.h"
#include "tenet/base/source.h"
#include "tenet/frontend/frontend.h"

namespace tenet::frontend::test {

inline const std::filesystem::path kRoot = TENET_SOURCE_DIR;

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// All protocols and variants below a folder of the repository, sorted.
inline std::vector<std::filesystem::path> tenet_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
    if (entry.is_regular_file() && is_protocol_path(entry.path().string())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// A case: the text before the line `// expect:` (`# expect:` in `.pyv` files), and the lines behind it.
struct Case {
  std::string input;
  std::string expected;  ///< without the `// ` before each line
};

/// How comments begin in a file of that name.
inline std::string comment_sign(const std::filesystem::path& path) { return path.extension() == ".pyv" ? "#" : "//"; }

inline Case read_case(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  const std::string sign = comment_sign(path);
  const std::string expect = sign + " expect:\n";
  const std::size_t at = text.rfind(expect);
  Case result;
  result.input = text.substr(0, at);
  if (at == std::string::npos) return result;
  std::istringstream lines(text.substr(at + expect.size()));
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, std::min(line.size(), sign.size() + 1));
    result.expected += line + "\n";
  }
  return result;
}

inline void write_case(const std::filesystem::path& path, const std::string& input, const std::string& actual) {
  std::ofstream out(path, std::ios::binary);
  const std::string sign = comment_sign(path);
  out << input << sign << " expect:\n";
  std::istringstream lines(actual);
  for (std::string line; std::getline(lines, line);) out << sign << (line.empty() ? "" : " ") << line << "\n";
}

inline std::string render_all(const Diagnostics& diagnostics, const SourceFile& file) {
  std::string text;
  for (const Diagnostic& d : diagnostics.sorted()) text += render(d, file, false);
  return text;
}

}  // namespace tenet::frontend::test
