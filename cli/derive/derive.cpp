#include "derive.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tenet::cli {
namespace {

namespace fs = std::filesystem;

// Found from where this program is, so that a build tree and an installed prefix can be moved.
std::optional<fs::path> find_program() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  const fs::path here = self.parent_path();
  for (const fs::path& candidate :
       {here / TENET_DERIVE_FROM_BIN, here / "../runtime-monitors/from-tests/clang/tenet-derive"}) {
    fs::path path = candidate.lexically_normal();
    if (fs::exists(path, error)) return path;
  }
  return std::nullopt;
}

}  // namespace

int run_derive(int count, char** arguments) {
  const std::optional<fs::path> program = find_program();
  if (!program) {
    fmt::print(
        stderr,
        "tenet: this build has no 'tenet derive': it needs Clang's libraries (libclang-19-dev, llvm-19-dev) when it is "
        "built\n");
    return 2;
  }
  std::string name = program->string();
  std::vector<char*> words{name.data()};
  for (int i = 1; i < count; ++i) words.push_back(arguments[i]);
  words.push_back(nullptr);
  std::fflush(nullptr);
  ::execv(name.c_str(), words.data());
  fmt::print(stderr, "tenet: {} cannot be run: {}\n", name, std::strerror(errno));
  return 4;
}

}  // namespace tenet::cli
