#include "monitor.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "output.h"
#include "report_places.h"
#include "tenet/base/diagnostic.h"
#include "tenet/base/utf8.h"
#include "tenet/charts/charts.h"
#include "tenet/from_spec/derived.h"
#include "tenet/from_spec/generate.h"
#include "tenet/frontend/frontend.h"
#include "tenet/report/report.h"
#include "tenet/validate/validate.h"

namespace tenet::cli {
namespace {

constexpr const char* kStatus =
    "Exit status: 0 all that was asked holds, 1 something is violated, 2 unknown or unsupported, 3 bad input or\n"
    "usage, 4 internal error.";

constexpr std::size_t kCharts = 20;  // in a page

void say(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void tell(std::string_view text) { fmt::print(stderr, "tenet: {}\n", printable_lines(text)); }

int status_of(const Error& error) {
  tell(error.message);
  return exit_status(error.kind);
}

/// The text of a file, or nothing after its error was printed.
std::optional<SourceFile> read(const std::string& path) {
  auto source = frontend::read_source(path);
  if (source) return std::move(*source);
  tell(source.error().message);
  return std::nullopt;
}

/// The protocol in a text, or nothing after its errors were printed.
std::optional<ir::Protocol> load(const SourceFile& source) {
  frontend::Loaded loaded = frontend::load_protocol(source);
  if (loaded.protocol) return std::move(loaded.protocol);
  for (const Diagnostic& diagnostic : loaded.diagnostics.sorted()) {
    fmt::print(stderr, "{}", render(diagnostic, source, false));
  }
  return std::nullopt;
}

std::optional<ir::Protocol> load(const std::string& path) {
  const auto source = read(path);
  if (!source) return std::nullopt;
  if (frontend::kind_of(*source) == frontend::FileKind::variant) {
    tell(path + ": a wrong variant has no monitor; give the protocol");
    return std::nullopt;
  }
  return load(*source);
}

/// The protocol with what was derived of it as further properties, or nothing after the errors were printed.
std::optional<ir::Protocol> load_with(const std::string& path, const std::string& derived, const std::string& stamp) {
  const auto source = read(path);
  const auto more = source ? read(derived) : std::nullopt;
  if (!more) return std::nullopt;
  if (const auto fits = from_spec::check_derived(more->text(), stamp); !fits) {
    tell(derived + ": " + fits.error().message);
    return std::nullopt;
  }
  return load(SourceFile(path + " with " + derived, fmt::format("{}\n{}", source->text(), more->text())));
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
  std::string invariants;
  bool rules = false;
};

int generate(const GenerateWords& words) {
  const auto protocol = load(words.spec);
  if (!protocol) return 3;
  from_spec::GenerateOptions options;
  options.source = std::filesystem::path(words.spec).filename().string();
  options.stamp = from_spec::stamp(*protocol);
  std::optional<ir::Protocol> with;
  if (!words.invariants.empty()) {
    with = load_with(words.spec, words.invariants, options.stamp);
    if (!with) return 3;
    options.derived = with->properties.size() - protocol->properties.size();
  }
  const auto generated = from_spec::generate(with ? *with : *protocol, options);
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
  word->add_option("--invariants", words.invariants,
                   "watch what 'tenet invariants SPEC --properties FILE' has derived, too")
      ->type_name("FILE");
  word->add_flag("--rules", words.rules, "only list the rules");
  word->footer(kStatus);
  word->callback([&words, &status] { status = generate(words); });
}

struct ValidateWords {
  std::string spec;
  std::vector<std::string> traces;
  std::vector<std::string> hosts;
  std::string json;
  std::string html;
  validate::Options options;
};

/// Whether a report may go to each of these paths (empty: to none); otherwise says why not.
bool may_go_to(const std::vector<std::string>& paths, std::vector<std::string> inputs) {
  ReportPlaces places(std::move(inputs));
  for (const std::string& path : paths) {
    const auto wrong = path.empty() ? std::nullopt : places.take(path);
    if (!wrong) continue;
    tell(*wrong);
    return false;
  }
  return true;
}

bool write_html(const std::string& path, result::RunResult run) {
  run.version = TENET_VERSION;
  report::Style style;
  style.deterministic = true;  // nothing was measured
  const auto written = cli::write_file(path, report::html(run, style));
  if (!written) tell(written.error().message);
  return written.has_value();
}

int validate_traces(ValidateWords& words) {
  std::vector<std::string> inputs = words.traces;
  inputs.push_back(words.spec);
  if (!may_go_to({words.html}, inputs)) return 3;
  const auto protocol = load(words.spec);
  if (!protocol) return 3;
  if (!words.html.empty()) words.options.executions = kCharts;
  words.options.stamp = from_spec::stamp(*protocol);
  for (const std::string& entry : words.hosts) {
    const std::size_t mark = entry.find('=');
    const std::string digits = mark == std::string::npos ? "" : entry.substr(mark + 1);
    if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) {
      tell(fmt::format("'{}' does not say how many hosts a role has: Acceptor=3 does", entry));
      return 3;
    }
    words.options.hosts[entry.substr(0, mark)] = std::stol(digits);
  }
  const auto report = validate::validate(*protocol, words.traces, words.options);
  if (!report) return status_of(report.error());
  if (!words.json.empty() && words.json != "-" && !write_file(words.json, validate::to_json(*report))) return 3;
  if (!words.html.empty()) {
    auto source = read(words.spec);
    if (!source) return 3;
    auto shown = std::make_shared<const SourceFile>(std::move(*source));
    if (!write_html(words.html, charts::of_validation(*protocol, std::move(shown), *report))) return 3;
    if (words.html == "-") return validate::exit_status(*report);
  }
  say(words.json == "-" ? validate::to_json(*report) : validate::to_text(*report));
  return validate::exit_status(*report);
}

void add_validate(CLI::App& app, ValidateWords& words, int& status) {
  CLI::App* word = app.add_subcommand("validate", "is there an execution of a protocol that explains recorded logs?");
  word->add_option("SPEC", words.spec, "a protocol")->required()->type_name("");
  word->add_option("TRACE", words.traces, "logs: JSON Lines, one file per process")->required()->type_name("");
  word->add_option("--mapping", words.options.mapping, "file that renames fields, steps and hosts")->type_name("FILE");
  word->add_option("--hosts", words.hosts, "hosts of a role where the logs do not say: Acceptor=3 (repeatable)")
      ->type_name("ROLE=N")
      ->allow_extra_args(false);
  word->add_option("--instance", words.options.instance, "take sizes and ranges from this instance")->type_name("NAME");
  word->add_option("--bound", words.options.bound,
                   "nodes to search where the logs leave a choice, all runs together (default 100000)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  word->add_option("--json", words.json, "the findings for programs (- for standard output)")->type_name("FILE");
  word->add_option("--html", words.html,
                   "the findings as one page with message-sequence charts (- for standard output)")
      ->type_name("FILE");
  word->footer(kStatus);
  word->callback([&words, &status] { status = validate_traces(words); });
}

struct ReportWords {
  std::vector<std::string> findings;
  std::string html;
};

int report_findings(const ReportWords& words) {
  if (!may_go_to({words.html}, words.findings)) return 3;
  auto run = charts::of_findings(words.findings);
  if (!run) return status_of(run.error());
  const int status = result::exit_status(*run);
  if (words.html != "-") say(printable_lines(report::text(*run, {})));
  if (!words.html.empty() && !write_html(words.html, std::move(*run))) return 3;
  return status;
}

void add_report(CLI::App& app, ReportWords& words, int& status) {
  CLI::App* word = app.add_subcommand("report", "show what running monitors found");
  word->add_option("FINDINGS", words.findings, "what monitors wrote: JSON Lines")->required()->type_name("");
  word->add_option("--html", words.html, "as one page with message-sequence charts (- for standard output)")
      ->type_name("FILE");
  word->footer(kStatus);
  word->callback([&words, &status] { status = report_findings(words); });
}

}  // namespace

int run_monitor(int count, char** arguments) {
  CLI::App app("tenet monitor: watch services by their specification", "tenet monitor");
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.set_help_flag("-h,--help", "what there is");
  app.footer(kStatus);
  int status = 0;
  GenerateWords generate_words;
  add_generate(app, generate_words, status);
  ValidateWords validate_words;
  add_validate(app, validate_words, status);
  ReportWords report_words;
  add_report(app, report_words, status);
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
