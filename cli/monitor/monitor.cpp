#include "monitor.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "tenet/base/diagnostic.h"
#include "tenet/from_spec/generate.h"
#include "tenet/frontend/frontend.h"

namespace tenet::cli {
namespace {

constexpr const char* kStatus =
    "Exit status: 0 all that was asked holds, 1 something is violated, 2 unknown or unsupported, 3 bad input or\n"
    "usage, 4 internal error.";

void say(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void tell(std::string_view text) { fmt::print(stderr, "tenet: {}\n", text); }

int status_of(const Error& error) {
  tell(error.message);
  switch (error.kind) {
    case ErrorKind::bad_input:
    case ErrorKind::io:
      return 3;
    case ErrorKind::internal:
      return 4;
    default:
      return 2;
  }
}

/// The protocol in a file, or nothing after its errors were printed.
std::optional<ir::Protocol> load(const std::string& path) {
  const auto source = frontend::read_source(path);
  if (!source) {
    tell(source.error().message);
    return std::nullopt;
  }
  if (frontend::kind_of(*source) == frontend::FileKind::variant) {
    tell(path + ": a wrong variant has no monitor; give the protocol");
    return std::nullopt;
  }
  frontend::Loaded loaded = frontend::load_protocol(*source);
  if (loaded.protocol) return std::move(loaded.protocol);
  for (const Diagnostic& diagnostic : loaded.diagnostics.sorted()) {
    fmt::print(stderr, "{}", render(diagnostic, *source, false));
  }
  return std::nullopt;
}

bool write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) tell(path.string() + ": cannot be written");
  return static_cast<bool>(out);
}

struct GenerateWords {
  std::string spec;
  std::string folder = ".";
  bool rules = false;
};

int generate(const GenerateWords& words) {
  const auto protocol = load(words.spec);
  if (!protocol) return 3;
  const auto generated = from_spec::generate(*protocol, {std::filesystem::path(words.spec).filename().string()});
  if (!generated) return status_of(generated.error());
  for (const std::string& note : generated->notes) tell(note);
  if (words.rules) {
    for (const std::string& rule : generated->rules) say(rule + "\n");
    return 0;
  }
  std::error_code problem;
  std::filesystem::create_directories(words.folder, problem);
  const std::filesystem::path folder = words.folder;
  if (!write_file(folder / generated->header_name, generated->header) ||
      !write_file(folder / generated->source_name, generated->source)) {
    return 3;
  }
  say(fmt::format("{} and {}: {} rules, stamp {}\n", (folder / generated->header_name).string(), generated->source_name,
                  generated->rules.size(), generated->stamp));
  return 0;
}

void add_generate(CLI::App& app, GenerateWords& words, int& status) {
  CLI::App* word = app.add_subcommand("generate", "make a monitor from a protocol: one C++ header and one source");
  word->add_option("SPEC", words.spec, "a protocol")->required()->type_name("");
  word->add_option("-o,--output", words.folder, "folder to write into (default: here)")->type_name("FOLDER");
  word->add_flag("--rules", words.rules, "only list the rules");
  word->footer(kStatus);
  word->callback([&words, &status] { status = generate(words); });
}

}  // namespace

int run_monitor(int count, char** arguments) {
  CLI::App app("tenet monitor: watch services by their specification", "tenet monitor");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer(kStatus);
  int status = 0;
  GenerateWords generate_words;
  add_generate(app, generate_words, status);
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    tell(fmt::format("{}\n  'tenet monitor --help' lists what there is", error.what()));
    return 3;
  }
  return status;
}

}  // namespace tenet::cli
