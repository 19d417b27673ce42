#include "new.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "tenet/base/utf8.h"
#include "tenet/frontend/frontend.h"

namespace tenet::cli {
namespace {

namespace fs = std::filesystem;

/// What the template is called in its own text, so that it can be built and tested as it is.
constexpr std::string_view kTemplateName = "mysystem";

int complain(const std::string& message) {
  fmt::print(stderr, "tenet: {}\n", printable_lines(message));
  return 3;
}

/// Empty, or why a system cannot be called so.
std::string why_no_name(const std::string& name) {
  // The name is a file, a CMake target, a protocol, and part of C++ namespaces.
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz", kMore = "abcdefghijklmnopqrstuvwxyz0123456789_";
  constexpr std::size_t kLongest = 40;
  const bool good = !name.empty() && name.size() <= kLongest && kLetters.find(name.front()) != std::string_view::npos &&
                    name.find_first_not_of(kMore) == std::string::npos;
  if (!good) {
    return fmt::format(
        "'{}' cannot be the name of a system: lower-case letters, digits and '_', a letter first, at most "
        "{} of them",
        name, kLongest);
  }
  constexpr std::array<std::string_view, 7> kTargets = {"all", "clean", "help", "install", "package", "test", "main"};
  if (std::ranges::find(kTargets, name) != kTargets.end()) {
    return fmt::format("'{}' cannot be the name of a system: CMake has a target, or C++ a function, of this name",
                       name);
  }
  const SourceFile probe("name", fmt::format("protocol {}\nrole Host {{ }}\n", name));
  const frontend::Loaded loaded = frontend::load_protocol(probe);
  if (!loaded.protocol) return fmt::format("'{}' cannot be the name of a system: it is a word of the language", name);
  return {};
}

/// Found from where this program is, so that a build tree and an installed prefix can be moved.
std::optional<fs::path> find_template() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  const fs::path here = self.parent_path();
  for (const fs::path& templates : {here / TENET_TEMPLATES_FROM_BIN, here / "../share/tenet/templates"}) {
    const fs::path system = (templates / "system").lexically_normal();
    if (fs::is_directory(system, error)) return system;
  }
  return std::nullopt;
}

std::string renamed(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find(kTemplateName, at)) != std::string::npos; at += name.size()) {
    text.replace(at, kTemplateName.size(), name);
  }
  return text;
}

/// Copies the template into an empty folder. Empty, or what failed.
std::string fill(const fs::path& from, const fs::path& to, const std::string& name) {
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(from, error); entry != fs::end(entry); entry.increment(error)) {
    if (error) break;
    const fs::path target = to / renamed(fs::relative(entry->path(), from).string(), name);
    if (entry->is_directory()) {
      fs::create_directories(target, error);
      if (error) break;
      continue;
    }
    std::ifstream in(entry->path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::ofstream out(target, std::ios::binary);
    out << renamed(text, name);
    out.close();
    if (!in || !out) return target.string() + " cannot be written";
  }
  return error ? error.message() : std::string();
}

int new_system(const std::string& name, const std::string& output) {
  if (const std::string why = why_no_name(name); !why.empty()) return complain(why);
  const auto from = find_template();
  if (!from) return complain("the template is not there: share/tenet/templates was not installed beside this program");
  const fs::path target = fs::path(output.empty() ? name : output).lexically_normal();
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error))) {
    return complain(fmt::format("'{}' exists; a new system has a folder of its own (-o FOLDER)", target.string()));
  }
  // All or nothing: it gets its name when it is complete.
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::string scratch = (parent / ("." + name + "-XXXXXX")).string();
  if (::mkdtemp(scratch.data()) == nullptr) {
    return complain(fmt::format("'{}' cannot be made: {}", target.string(), std::generic_category().message(errno)));
  }
  std::string trouble = fill(*from, scratch, name);
  if (trouble.empty()) {
    fs::permissions(scratch,
                    fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read |
                        fs::perms::others_exec,
                    error);
    fs::rename(scratch, target, error);
    if (error) trouble = error.message();
  }
  if (!trouble.empty()) {
    fs::remove_all(scratch, error);
    return complain(fmt::format("'{}' cannot be made: {}", target.string(), trouble));
  }
  fmt::print("{}: a store with one primary and its backups, to be made into yours; {} says how\n", target.string(),
             (target / "README.md").string());
  return 0;
}

}  // namespace

int run_new(int count, char** arguments) {
  CLI::App app("tenet new: projects to start from", "tenet new");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.set_help_flag("-h,--help", "what there is");
  constexpr const char* kStatus = "Exit status: 0 it was made, 3 bad input or usage, 4 internal error.";
  app.footer(kStatus);
  std::string name, output;
  CLI::App* system = app.add_subcommand(
      "system", "a running system under its monitor: specification, wrong variants, service, tests, faults, load");
  system->add_option("NAME", name, "of the system: lower-case letters, digits and '_'")->required()->type_name("");
  system->add_option("-o,--output", output, "folder to make (default: NAME)")->type_name("FOLDER");
  system->footer(kStatus);
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return complain(fmt::format("{}\n  'tenet new --help' lists what there is", error.what()));
  }
  return new_system(name, output);
}

}  // namespace tenet::cli
