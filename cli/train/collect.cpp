#include "collect.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

namespace tenet::cli {
namespace {

namespace fs = std::filesystem;

// The package is a Python file and a library beside it. It is found from where this program is, so that a build tree
// and an installed prefix can be moved.
bool holds_package(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "tenet_train" / "__init__.py", ignored);
}

std::optional<fs::path> find_package() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  const fs::path here = self.parent_path();
  fs::path installed = (here / TENET_PYTHON_FROM_BIN).lexically_normal();
  if (holds_package(installed)) return installed;
  // In a build tree: BUILD/cli/tenet or BUILD/cli/train/tenet-train, and BUILD/training/python.
  fs::path above = here;
  for (int level = 0; level < 3; ++level, above = above.parent_path()) {
    if (holds_package(above / "training" / "python")) return above / "training" / "python";
  }
  return std::nullopt;
}

// Isolated, so that neither the current folder nor the user's settings matter to it; the job is not.
constexpr const char* kLauncher =
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from tenet_train._command import main; "
    "sys.exit(main(sys.argv[1:]))";

}  // namespace

int collect(const CollectWords& words) {
  const std::optional<fs::path> package = find_package();
  if (!package) {
    fmt::print(
        stderr,
        "tenet: this build has no collector: it needs the headers of CPython 3.11 (python3-dev) when it is built\n");
    return 3;
  }
  const std::string python = words.python.empty() ? TENET_PYTHON : words.python;
  std::vector<std::string> command{python, "-I", "-c", kLauncher, package->string(), "collect", "-o", words.output};
  if (!words.selection.empty()) command.insert(command.end(), {"-s", words.selection});
  command.emplace_back("--");
  command.insert(command.end(), words.job.begin(), words.job.end());
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  execvp(arguments[0], arguments.data());
  fmt::print(stderr, "tenet: {}: {}\n", python, std::strerror(errno));
  return 3;
}

}  // namespace tenet::cli
