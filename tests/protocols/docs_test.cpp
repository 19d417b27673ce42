// What the pages show is what the tool does: files of `tenet` blocks are
// written, commands of `console` blocks are run in order, and their output is
// compared (times, rates and memory aside). With TENET_UPDATE=1 in the
// environment the pages are rewritten with the real output instead.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "markdown.h"
#include "tenet/base/diagnostic_ids.h"
#include "tenet/frontend/frontend.h"

namespace tenet::tests {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

struct Output {
  std::vector<std::string> lines;
  int status = 0;
};

/// Runs `command` in `folder`; `./dev` and `tenet` are the tool just built.
Output run(const std::string& command, const fs::path& folder) {
  const std::string script =
      "cd '" + folder.string() +
      "' && export XDG_CACHE_HOME=\"$PWD/.cache\" && tenet() { '" TENET_TOOL "' \"$@\"; } && { " + command + "; } 2>&1";
  Output output;
  FILE* pipe = popen(script.c_str(), "r");
  if (pipe == nullptr) return {{"cannot run the shell"}, 127};
  std::string text;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), got);
  const int status = pclose(pipe);
  output.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  output.lines = split_lines(text);
  while (!output.lines.empty() && output.lines.back().empty()) output.lines.pop_back();
  return output;
}

/// Without what differs from run to run: durations, rates and memory.
std::string settled(const std::string& line) {
  static const std::regex kVarying(R"([0-9][0-9.,]*\s?(ns|µs|us|ms|s|min|kB|KB|KiB|MB|MiB|GB|GiB|k/s|M/s|states/s)\b)");
  return std::regex_replace(line, kVarying, "*");
}

std::string settled(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += settled(line) + "\n";
  return text;
}

class Page : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("tenet-docs-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    fs::create_directory_symlink(fs::path(TENET_SOURCE_DIR) / "protocols", folder_ / "protocols");
    write_file(folder_ / "dev", "#!/bin/sh\nexec '" TENET_TOOL "' \"$@\"\n");
    fs::permissions(folder_ / "dev", fs::perms::owner_all);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_P(Page, ShowsWhatTheToolPrints) {
  const fs::path path = fs::path(TENET_SOURCE_DIR) / GetParam();
  std::vector<std::string> page = split_lines(read_file(path));
  ASSERT_FALSE(page.empty()) << path;
  const bool update = std::getenv("TENET_UPDATE") != nullptr;
  std::vector<std::pair<Fence, std::vector<std::string>>> rewritten;

  for (const Fence& fence : fences(page)) {
    if (fence.language == "tenet" && fence.argument.ends_with(".tenet")) {
      fs::create_directories((folder_ / fence.argument).parent_path());
      write_file(folder_ / fence.argument, join_lines(fence.lines));
    }
    if (fence.language != "console") continue;
    std::vector<std::string> fresh;
    for (const Command& command : commands(fence)) {
      const Output output = run(command.text, folder_);
      fresh.push_back("$ " + command.text);
      fresh.insert(fresh.end(), output.lines.begin(), output.lines.end());
      if (!update) {
        EXPECT_EQ(settled(command.output), settled(output.lines)) << path << ": $ " << command.text;
      }
    }
    rewritten.emplace_back(fence, fresh);
  }
  if (!update) return;
  for (auto it = rewritten.rbegin(); it != rewritten.rend(); ++it) {
    const auto begin = page.begin() + static_cast<std::ptrdiff_t>(it->first.first_line);
    const auto at = page.erase(begin, begin + static_cast<std::ptrdiff_t>(it->first.lines.size()));
    page.insert(at, it->second.begin(), it->second.end());
  }
  write_file(path, join_lines(page));
}

INSTANTIATE_TEST_SUITE_P(Docs, Page,
                         testing::Values("README.md", "docs/tutorial.md", "docs/language.md", "docs/symbolic.md",
                                         "docs/proving.md"),
                         [](const auto& page) {
                           std::string name = fs::path(page.param).stem().string();
                           return name;
                         });

/// Every `tenet` block of the language reference is a whole file: it loads
/// cleanly, or, marked `tenet error ID …`, gets exactly these diagnostics.
TEST(LanguageReference, ExamplesMeanWhatThePageSays) {
  const std::vector<std::string> page = split_lines(read_file(fs::path(TENET_SOURCE_DIR) / "docs/language.md"));
  int tried = 0;
  std::map<std::string, SourceFile> protocols;
  for (const Fence& fence : fences(page)) {
    if (fence.language != "tenet") continue;
    ++tried;
    const SourceFile file("docs/language.md:" + std::to_string(fence.first_line + 1), join_lines(fence.lines));
    std::string ids;
    if (frontend::kind_of(file) == frontend::FileKind::variant) {
      const std::string of = frontend::protocol_of_variant(file);
      ASSERT_TRUE(protocols.contains(of)) << file.path() << ": the page has no protocol " << of;
      const frontend::LoadedVariant loaded = frontend::load_variant(file, protocols.at(of));
      for (const Diagnostic& diagnostic : loaded.diagnostics.sorted()) ids += diagnostic.id + " ";
    } else {
      const frontend::Loaded loaded = frontend::load_protocol(file);
      for (const Diagnostic& diagnostic : loaded.diagnostics.sorted()) ids += diagnostic.id + " ";
      if (loaded.protocol) protocols.insert_or_assign(loaded.protocol->name, file);
    }
    std::string expected = fence.argument.starts_with("error ") ? fence.argument.substr(6) + " " : "";
    EXPECT_EQ(ids, expected) << file.path();
  }
  EXPECT_GT(tried, 5);
}

TEST(LanguageReference, NamesEveryDiagnostic) {
  const std::string page = read_file(fs::path(TENET_SOURCE_DIR) / "docs/language.md");
  for (const DiagnosticId& each : diagnostic_ids()) {
    EXPECT_NE(page.find(fmt::format("| `{}` | {}", each.id, each.meaning)), std::string::npos) << each.id;
  }
}

}  // namespace
}  // namespace tenet::tests
