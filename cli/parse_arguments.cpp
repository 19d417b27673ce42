// The one file that knows CLI11, whose header takes seconds to compile.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "arguments.h"
#include "report_places.h"
#include "tenet/base/diagnostic.h"
#include "tenet/base/utf8.h"
#include "tenet/recheck/recheck.h"

namespace tenet::cli {
namespace {

constexpr std::uint64_t kMinMemory = 1ULL << 20;

constexpr const char* kWhat = "Input";
constexpr const char* kHow = "Search";
constexpr const char* kResult = "Result";
constexpr const char* kReports = "Reports (FILE, or - for standard output)";
constexpr const char* kTerminal = "Terminal";
constexpr const char* kSarif = "SARIF 2.1.0, for code-scanning services";

constexpr const char* kStatus =
    "Exit status: 0 all that was asked holds, 1 something is violated, 2 unknown, unsupported or only\n"
    "bounded, 3 bad input or usage, 4 internal error.";

/// A wrong command line: what, and perhaps what was meant.
Answer usage_error(const std::string& message, const std::string& hint, const std::string& command) {
  std::string text = "tenet: " + printable(message) + "\n";
  if (!hint.empty()) text += "  " + printable(hint) + "\n";
  text += fmt::format("  'tenet{} --help' lists what there is\n", command.empty() ? "" : " " + command);
  return {text, 3};
}

std::string did_you_mean_hint(const std::string& name, const std::vector<std::string>& known) {
  const std::string closest = did_you_mean(name, known);
  return closest.empty() ? "" : fmt::format("did you mean '{}'?", closest);
}

std::string check_size(std::string& text) {
  std::uint64_t bytes = 0;
  if (!parse_size(text, bytes)) return fmt::format("'{}' is no size: 512M and 4G are", text);
  if (bytes < kMinMemory) return fmt::format("'{}' is too little: at least 1M", text);
  text = std::to_string(bytes);
  return "";
}

/// An empty name would read as an option that was not given.
/// What is kept there is never mixed with, or written over, something else.
std::string check_new_folder(const std::string& path) {
  std::error_code error;
  if (path.empty() || path == "-") return "a folder is needed";
  if (!std::filesystem::exists(path, error)) return "";
  if (!std::filesystem::is_directory(path, error)) return "'" + path + "' is no folder";
  return std::filesystem::is_empty(path, error) ? "" : "'" + path + "' is not empty";
}

std::string check_name(const std::string& name) { return name.empty() ? "a name is needed" : ""; }

/// Declares the options of every command and binds them to their values.
class Parser {
 public:
  Parser() {
    app_.name("tenet");
    app_.description("tenet: proofs, monitors and training checks for distributed systems");
    app_.footer(kStatus);
    app_.set_help_flag("-h,--help", "what there is");
    app_.add_flag("--version", version_, "the version");  // handled before: it must be quick
    app_.require_subcommand(1);
    app_.failure_message(CLI::FailureMessage::simple);
    declare_verify();
    declare_invariants();
    declare_check();
    declare_fmt();
    declare_simulate();
    declare_gate();
    declare_recheck();
    // Their words are parsed by the families themselves (main.cpp).
    app_.add_subcommand("monitor", "monitors of services, made from protocols")->group("Services");
    app_.add_subcommand("new", "a system to start from: specification, service, tests, monitor")->group("Services");
    app_.add_subcommand("derive", "checkers of services, derived from their tests")->group("Services");
    app_.add_subcommand("train", "learn and check invariants of training jobs")->group("Training");
    for (CLI::App* sub : app_.get_subcommands({})) declare_help(sub);
  }

  Command parse(int count, const char* const* arguments) {
    const std::vector<std::string> words(arguments + std::min(1, count), arguments + count);
    if (words.empty()) return Answer{app_.help(), 3};
    if (words.front() == "--version") return Answer{fmt::format("tenet {}\n", TENET_VERSION), 0};
    if (const auto wrong = unknown_word(words)) return *wrong;
    try {
      std::vector<std::string> reversed(words.rbegin(), words.rend());
      app_.parse(reversed);
    } catch (const CLI::CallForHelp&) {
      return Answer{chosen() != nullptr ? chosen()->help("tenet") : app_.help(), 0};
    } catch (const CLI::ParseError& error) {
      return usage_error(error.what(), "", chosen() != nullptr ? chosen()->get_name() : "");
    }
    return take();
  }

 private:
  CLI::App* command(const std::string& name, const std::string& description) {
    CLI::App* sub = app_.add_subcommand(name, description)->group("Specifications");
    sub->set_help_flag();  // declared last, so that its category comes last
    sub->footer(kStatus);
    return sub;
  }

  static void declare_help(CLI::App* sub) {
    sub->set_help_flag("-h,--help", "what this command takes")->group(kTerminal);
  }

  static void declare_report(CLI::App* sub, const char* option, std::string& path, const char* what) {
    sub->add_option(option, path, what)
        ->group(kReports)
        ->type_name("FILE")
        ->check(CLI::Validator(
            [](const std::string& file) { return file.empty() ? std::string("a file name is needed") : std::string(); },
            ""));
  }
  static void declare_output(CLI::App* sub, OutputArguments& output) {
    declare_report(sub, "--json", output.reports.json, "everything, for programs");
    declare_report(sub, "--sarif", output.reports.sarif, kSarif);
    declare_report(sub, "--junit", output.reports.junit, "JUnit XML, for test reports");
    declare_report(sub, "--itf", output.reports.itf, "the trace in the Informal Trace Format");
    declare_report(sub, "--html", output.reports.html, "one page: traces as charts, and why it holds");
    declare_common_output(sub, output);
  }
  static void declare_common_output(CLI::App* sub, OutputArguments& output) {
    sub->add_flag("--deterministic", output.deterministic, "leave out times, rates and memory")->group(kReports);
    sub->add_flag("-q,--quiet", output.quiet, "print only what fails, one line each")->group(kTerminal);
    declare_colour(sub, output.colour);
  }
  static void declare_colour(CLI::App* sub, Colour& colour) {
    const std::map<std::string, Colour> names{
        {"auto", Colour::automatic}, {"always", Colour::always}, {"never", Colour::never}};
    sub->add_option("--color", colour, "auto, always or never; auto honours NO_COLOR")
        ->group(kTerminal)
        ->type_name("WHEN")
        ->transform(CLI::CheckedTransformer(names).description(""));
  }
  static void declare_show(CLI::App* sub, std::string& show) {
    sub->add_option("--show", show, "print the protocol and stop: ast (its syntax, laid out anew), ir or json")
        ->group(kTerminal)
        ->type_name("STAGE")
        ->check(CLI::IsMember({"ast", "ir", "json"}).description(""));
  }

  void declare_verify() {
    verify_app_ = command(
        "verify", "explore and prove protocols: violated with a shortest trace, or proved for any number of hosts");
    CLI::App* sub = verify_app_;
    sub->add_option("PATH", verify_.paths, "protocols; folders take those in them and skip wrong variants")
        ->group(kWhat)
        ->type_name("");
    sub->add_option("--variants", verify_.variants,
                    "also run the wrong variants in one PATH: each must be violated (repeatable)")
        ->group(kWhat)
        ->type_name("PATH")
        ->allow_extra_args(false);
    declare_instance(sub, verify_.instance, "only this instance");
    sub->add_option("--property", verify_.properties, "only this property (repeatable)")
        ->group(kWhat)
        ->type_name("NAME")
        ->allow_extra_args(false);
    sub->add_flag("--mutate", verify_.mutate, "make wrong variants and list those that no property notices")
        ->group(kWhat);
    declare_resources(sub, verify_.jobs);
    sub->add_option("--explore-seconds", verify_.explore_seconds,
                    "stop exploring after N seconds an instance (default: no limit); proofs have a time of their own")
        ->group(kHow)
        ->type_name("N")
        ->check(CLI::Range(0.001, 1e6).description(""));
    sub->add_option("--max-violations", verify_.max_violations,
                    "find up to N really different violations of a property")
        ->group(kHow)
        ->type_name("N")
        ->check(CLI::Range(1, 1000).description(""));
    sub->add_flag("--explore-only", verify_.explore_only, "do not try to prove what no instance violates")->group(kHow);
    sub->add_flag("--infer", verify_.infer, "look for lemmas that make inductive what is not proved otherwise")
        ->group(kHow);
    sub->add_option("--symbolic-depth", verify_.symbolic_depth,
                    "look in runs of up to K steps for violations with any numbers (0: do not;\n"
                    "default: 8, where a proof stays open and the instances bound numbers)")
        ->group(kHow)
        ->type_name("K")
        ->check(CLI::Range(0U, 1000U).description(""));
    declare_prover(sub, verify_.prover, verify_.output);
    sub->add_flag("--accept-bounded", verify_.accept_bounded, "no violation in the finite instances counts as success")
        ->group(kResult);
    declare_show(sub, verify_.show);
    declare_output(sub, verify_.output);
  }

  static void declare_prover(CLI::App* sub, ProverArguments& prover, OutputArguments& output) {
    sub->add_option("--prove-seconds", prover.seconds,
                    "give up a proof after N seconds a file (default 60), counted from the end of exploration")
        ->group(kHow)
        ->type_name("N")
        ->check(CLI::Range(0.001, 1e6).description(""));
    sub->add_option("--prove-seed", prover.seed, "of the prover's solver (default 0)")->group(kHow)->type_name("N");
    sub->add_flag("--recheck", prover.recheck, "a second solver (cvc5) must not contradict any proof step")
        ->group(kHow);
    declare_no_cache(sub, prover.no_cache);
    sub->add_option("--certificate", output.certificate,
                    "keep what each proof rests on: SMT-LIB files and a manifest, in a new folder")
        ->group(kReports)
        ->type_name("DIR")
        ->check(CLI::Validator(check_new_folder, ""));
    sub->add_flag("--profile", output.profile, "say which proof steps were the hardest")->group(kTerminal);
  }
  static void declare_no_cache(CLI::App* sub, bool& no_cache) {
    sub->add_flag("--no-cache", no_cache, "neither use nor keep results of other runs")->group(kHow);
  }
  static void declare_jobs(CLI::App* sub, unsigned& jobs) {
    sub->add_option("-j,--jobs", jobs, "threads (default: one for each processor)")
        ->group(kHow)
        ->type_name("N")
        ->check(CLI::Range(1U, 256U).description(""));
  }
  void declare_resources(CLI::App* sub, unsigned& jobs) {
    declare_jobs(sub, jobs);
    sub->add_option("--memory", memory_, "stop beyond this much for states (default 4G, at most half of the machine)")
        ->group(kHow)
        ->type_name("SIZE")
        ->check(CLI::Validator(check_size, "").name("size"));
  }
  /// What a command cannot do without, named by its place.
  static void declare_input(CLI::App* sub, const char* name, auto& value, const char* what) {
    sub->add_option(name, value, what)->group(kWhat)->type_name("")->required();
  }
  static void declare_instance(CLI::App* sub, std::string& name, const char* what) {
    sub->add_option("--instance", name, what)->group(kWhat)->type_name("NAME")->check(CLI::Validator(check_name, ""));
  }
  static void declare_count(CLI::App* sub, const char* option, auto& count, const char* what) {
    sub->add_option(option, count, what)->group(kHow)->type_name("N")->check(CLI::Range(1U, 1000000U).description(""));
  }
  static void declare_word(CLI::App* sub, const char* option, auto& value, const char* type, const char* group,
                           const char* what) {
    sub->add_option(option, value, what)->group(group)->type_name(type);
  }

  void declare_invariants() {
    invariants_app_ = command("invariants", "what the prover derives of a protocol, for any number of hosts");
    CLI::App* sub = invariants_app_;
    declare_input(sub, "FILE", invariants_.path, "a protocol or a wrong variant");
    declare_prover(sub, invariants_.prover, invariants_.output);
    OutputArguments& output = invariants_.output;
    declare_report(sub, "--json", output.reports.json, "everything, for programs");
    declare_report(sub, "--html", output.reports.html, "one page");
    declare_report(sub, "--properties", output.reports.properties,
                   "in the language, for 'tenet monitor generate --invariants'");
    declare_common_output(sub, output);
  }

  void declare_check() {
    check_app_ = command("check", "look at names and types only");
    declare_input(check_app_, "PATH", check_.paths, "protocols and wrong variants, or folders of them");
    declare_show(check_app_, check_.show);
    declare_output(check_app_, check_.output);
  }

  void declare_fmt() {
    fmt_app_ = command("fmt", "lay protocols out in the one canonical way");
    declare_input(fmt_app_, "PATH", fmt_.paths, "files to rewrite, folders of them, or - for standard input to output");
    fmt_app_->add_flag("--check", fmt_.check, "change nothing, show what would change in which files (status 1)")
        ->group(kHow);
    declare_colour(fmt_app_, fmt_.colour);
  }

  void declare_simulate() {
    simulate_app_ = command("simulate", "random runs of a protocol, the same for the same seed");
    CLI::App* sub = simulate_app_;
    declare_input(sub, "FILE", simulate_.path, "a protocol or a wrong variant");
    declare_instance(sub, simulate_.instance, "this instance (default: the first)");
    sub->add_option("--seed", simulate_.seed, "of the random choices (default 1)")
        ->group(kHow)
        ->type_name("N")
        ->check(CLI::Validator(
            [](const std::string& text) {
              const bool number =
                  !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string::npos;
              return number ? std::string() : "a number from 0 to 10^18 - 1 is needed, not '" + text + "'";
            },
            ""));
    declare_count(sub, "--runs", simulate_.runs, "how many (default 1)");
    declare_count(sub, "--steps", simulate_.steps, "the longest a run gets (default 50)");
    declare_output(sub, simulate_.output);
  }

  void declare_gate() {
    gate_app_ = command("gate", "for pull requests: verify what a change touches and compare it with the base");
    CLI::App* sub = gate_app_;
    sub->add_option("--base", gate_.base, "revision that the change is to be merged into")
        ->group(kWhat)
        ->type_name("REV")
        ->required();
    declare_word(sub, "--head", gate_.head, "REV", kWhat,
                 "revision with the change (default HEAD); the work tree is not read");
    declare_word(sub, "--repository", gate_.repository, "FOLDER", kWhat,
                 "a folder in the Git repository (default: here)");
    declare_word(sub, "--shard", gate_.shard, "I/N", kHow,
                 "only part I of N: 2/5; auto or auto/N take it from CI_NODE_INDEX, SLURM_ARRAY_TASK_ID or "
                 "JOB_COMPLETION_INDEX");
    declare_word(sub, "--shard-file", gate_.shard_file, "FILE", kHow, "results of the shard, for --merge");
    declare_word(sub, "--merge", gate_.merge, "FILE", kHow, "verify nothing: judge the results of all shards");
    declare_resources(sub, gate_.jobs);
    declare_no_cache(sub, gate_.no_cache);
    declare_report(sub, "--sarif", gate_.sarif, kSarif);
    declare_report(sub, "--summary", gate_.summary, "Markdown, for the page of the pull request");
    sub->add_flag("-q,--quiet", gate_.quiet, "no progress")->group(kTerminal);
  }

  [[nodiscard]] std::optional<Answer> wrong_gate() const {
    if (gate_.base.empty() || gate_.head.empty()) return usage_error("a revision is needed, not nothing", "", "gate");
    if (gate_.shard.empty() != gate_.shard_file.empty()) {
      return usage_error("--shard and --shard-file go together", "without its results a shard says nothing", "gate");
    }
    if (!gate_.shard.empty() && !gate_.merge.empty()) {
      return usage_error("--shard verifies and --merge does not: use one of them", "", "gate");
    }
    ReportPlaces places(gate_.merge);
    for (const std::string* path : {&gate_.shard_file, &gate_.sarif, &gate_.summary}) {
      if (path->empty()) continue;
      if (const auto wrong = places.take(*path)) return usage_error(*wrong, "", "gate");
    }
    return std::nullopt;
  }

  void declare_recheck() {
    recheck_app_ = command("recheck", "check what 'verify --certificate' wrote, trusting nothing of the prover");
    CLI::App* sub = recheck_app_;
    sub->add_option("DIR", recheck_.folder, "a certificate, or a folder of certificates")
        ->group(kWhat)
        ->type_name("")
        ->required();
    declare_word(sub, "--source", recheck_.source, "FILE", kWhat,
                 "the protocol that it must be about (default: the file that it names, if that is there)");
    sub->add_option("--trust", recheck_.trust,
                    "take assertions of this kind as they are (repeatable): " +
                        fmt::format("{}", fmt::join(recheck::kinds(), ", ")))
        ->group(kHow)
        ->type_name("KIND")
        ->allow_extra_args(false)
        ->check(CLI::IsMember(recheck::kinds()).description(""));
    declare_jobs(sub, recheck_.jobs);
    sub->add_flag("-q,--quiet", recheck_.quiet, "no progress")->group(kTerminal);
  }

  [[nodiscard]] CLI::App* chosen() const {
    const auto subs = app_.get_subcommands();
    return subs.empty() ? nullptr : subs.front();
  }

  /// The first word that is no command or no option of the command.
  [[nodiscard]] std::optional<Answer> unknown_word(const std::vector<std::string>& words) const {
    std::vector<std::string> commands;
    for (const CLI::App* sub : app_.get_subcommands({})) commands.push_back(sub->get_name());
    if (words.front().empty() || words.front()[0] != '-') {
      if (std::find(commands.begin(), commands.end(), words.front()) == commands.end()) {
        return usage_error(fmt::format("there is no command '{}'", words.front()),
                           did_you_mean_hint(words.front(), commands), "");
      }
    }
    const bool has_command = std::find(commands.begin(), commands.end(), words.front()) != commands.end();
    const CLI::App& app = has_command ? *app_.get_subcommand(words.front()) : app_;
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options({})) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    for (const std::string& word : words) {
      if (word == "--") break;
      if (!word.starts_with("--")) continue;
      const std::string name = word.substr(0, word.find('='));
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      return usage_error(fmt::format("there is no option '{}'", name), did_you_mean_hint(name, known),
                         has_command ? words.front() : "");
    }
    return std::nullopt;
  }

  Command take() {
    if (chosen() == invariants_app_) {
      if (const auto wrong = refused(invariants_.output.reports, {invariants_.path}, "invariants")) return *wrong;
      return invariants_;
    }
    if (chosen() == verify_app_) {
      if (verify_.paths.empty() && verify_.variants.empty()) return usage_error("a PATH is needed", "", "verify");
      if (verify_.paths.empty() && !verify_.properties.empty()) {
        return usage_error("--property needs a protocol: a wrong variant names its own property", "", "verify");
      }
      if (!memory_.empty()) (void)parse_size(memory_, verify_.memory);
      std::vector<std::string> inputs = verify_.paths;
      inputs.insert(inputs.end(), verify_.variants.begin(), verify_.variants.end());
      if (const auto wrong = refused(verify_.output.reports, inputs, "verify")) return *wrong;
      return verify_;
    }
    if (chosen() == check_app_) {
      if (const auto wrong = refused(check_.output.reports, check_.paths, "check")) return *wrong;
      return check_;
    }
    if (chosen() == fmt_app_) return fmt_;
    if (chosen() == recheck_app_) return recheck_;
    if (chosen() == gate_app_) {
      if (!memory_.empty()) (void)parse_size(memory_, gate_.memory);
      if (const auto wrong = wrong_gate()) return *wrong;
      return gate_;
    }
    if (const auto wrong = refused(simulate_.output.reports, {simulate_.path}, "simulate")) return *wrong;
    return simulate_;
  }

  /// Files named like protocols are input whether or not they are read; what
  /// else is read is known once folders have been searched (deliver.cpp).
  static std::optional<Answer> refused(const ReportFiles& files, const std::vector<std::string>& inputs,
                                       const std::string& command) {
    const auto wrong = wrong_place(files, inputs);
    return wrong ? std::optional(usage_error(*wrong, "", command)) : std::nullopt;
  }

  CLI::App app_;
  CLI::App* verify_app_ = nullptr;
  CLI::App* invariants_app_ = nullptr;
  CLI::App* check_app_ = nullptr;
  CLI::App* fmt_app_ = nullptr;
  CLI::App* simulate_app_ = nullptr;
  CLI::App* gate_app_ = nullptr;
  CLI::App* recheck_app_ = nullptr;
  VerifyArguments verify_;
  InvariantsArguments invariants_;
  CheckArguments check_;
  FmtArguments fmt_;
  SimulateArguments simulate_;
  GateArguments gate_;
  RecheckArguments recheck_;
  std::string memory_;
  bool version_ = false;
};

}  // namespace

Command parse_arguments(int count, const char* const* arguments) {
  // Asked for by scripts at every turn: no option needs to be declared for it.
  if (count == 2 && std::string_view(arguments[1]) == "--version")
    return Answer{fmt::format("tenet {}\n", TENET_VERSION), 0};
  try {
    return Parser().parse(count, arguments);
  } catch (const CLI::Error& error) {
    return Answer{fmt::format("tenet: internal error in the command line: {}\n", error.what()), 4};
  }
}

}  // namespace tenet::cli
