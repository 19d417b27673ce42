#include <fmt/format.h>

#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "tenet/from_tests/definition.h"
#include "tenet/from_tests/infer.h"
#include "words.h"

namespace tenet::from_tests {
namespace {

namespace fs = std::filesystem;

struct Words {
  std::string model, suite, output, checkers, report, soak;
  int seeds = 5;
  std::vector<std::string> recordings;  // PROGRAM=FILE
};

/// The recordings as one.
Result<Recording> read_all(const std::vector<std::string>& recordings, const Model& model) {
  Recording all;
  for (const std::string& each : recordings) {
    const auto mark = each.find('=');
    if (mark == std::string::npos) {
      return failure(ErrorKind::bad_input,
                     each + ": a recording is told with the program that wrote it: store_test=store_test.recording");
    }
    auto one = read_recording(each.substr(mark + 1), each.substr(0, mark), model);
    if (!one) return one;
    append(all, std::move(*one));
  }
  return all;
}

int infer_word(const Words& words) {
  const auto model = read_model(words.model);
  if (!model) return status_of(model.error());
  const auto suite = read_suite(words.suite);
  if (!suite) return status_of(suite.error());
  if (suite->stamp != model->schema.stamp) {
    tell(words.suite + ": was read with another version of the model; extract it again");
    return 3;
  }
  const auto recording = read_all(words.recordings, *model);
  if (!recording) return status_of(recording.error());
  const Observed observed = observe(*model, *suite, *recording);
  const Inference inference = infer(*model, *suite, *recording, observed);
  std::vector<derived::Checker> checkers;
  for (const CheckerResult& each : inference.kept) checkers.push_back(each.checker);
  if (!write_file(words.output, print_checkers(checkers, *model))) return 3;
  const std::string text = report(*model, *suite, *recording, observed, inference);
  if (!words.report.empty() && !write_file(words.report, text)) return 3;
  if (words.report.empty()) tell(text);
  return checkers.empty() ? 2 : 0;
}

int generate_word(const Words& words) {
  const auto model = read_model(words.model);
  if (!model) return status_of(model.error());
  const auto checkers = read_checkers(words.checkers, *model);
  if (!checkers) return status_of(checkers.error());
  std::error_code problem;
  fs::create_directories(words.output, problem);
  const GeneratedCheckers generated = generate_checkers(*checkers, *model);
  const std::string name = "tenet_" + model->system + "_checkers";
  if (!write_file((fs::path(words.output) / (name + ".h")).string(), generated.header) ||
      !write_file((fs::path(words.output) / (name + ".cc")).string(), generated.source)) {
    return 3;
  }
  say(fmt::format("{}.h and .cc: {} checkers\n", (fs::path(words.output) / name).string(), checkers->size()));
  return checkers->empty() ? 2 : 0;
}

/// Runs a watched program with each seed; how many alarmed, and how many could not say.
struct Soak {
  int alarms = 0, unclear = 0, runs = 0;
};
Soak soak(const std::string& command, int seeds) {
  Soak result;
  for (int seed = 1; seed <= seeds; ++seed) {
    ++result.runs;
    const int status = std::system((command + " " + std::to_string(seed)).c_str());
    const int code = status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : 4;
    if (code == 1) ++result.alarms;
    if (code > 1) ++result.unclear;
    if (code != 0) tell(fmt::format("soak with seed {}: status {}", seed, code));
  }
  return result;
}

int validate_word(const Words& words) {
  const auto model = read_model(words.model);
  if (!model) return status_of(model.error());
  const auto checkers = read_checkers(words.checkers, *model);
  if (!checkers) return status_of(checkers.error());
  const auto suite = read_suite(words.suite);
  if (!suite) return status_of(suite.error());
  const auto recording = read_all(words.recordings, *model);
  if (!recording) return status_of(recording.error());
  const Observed observed = observe(*model, *suite, *recording);
  const Inference inference = validate(*model, *suite, *recording, observed, *checkers);
  say(report(*model, *suite, *recording, observed, inference));
  bool contradicted = false;
  for (const CheckerResult& each : inference.dropped) contradicted = contradicted || !each.contradicted_by.empty();
  int status = contradicted ? 1 : inference.dropped.empty() && !inference.kept.empty() ? 0 : 2;
  if (!words.soak.empty()) {
    const Soak done = soak(words.soak, words.seeds);
    say(fmt::format("soak         {} runs: {} with an alarm, {} that could not say\n", done.runs, done.alarms,
                    done.unclear));
    if (done.alarms > 0) status = 1;
    if (done.unclear > 0 && status == 0) status = 2;
  }
  return status;
}

}  // namespace

void add_checker_words(CLI::App& app, int& status) {
  auto words = std::make_shared<Words>();
  CLI::App* infer_app = app.add_subcommand("infer", "generalise recorded tests to checker definitions");
  infer_app->add_option("SUITE", words->suite, "what extract wrote")->required()->type_name("");
  infer_app
      ->add_option("-r,--recording", words->recordings, "an instrumented test program and what it wrote (repeatable)")
      ->required()
      ->type_name("PROGRAM=FILE")
      ->allow_extra_args(false);
  infer_app->add_option("-m,--model", words->model, "the API model")->required()->type_name("FILE");
  infer_app->add_option("-o,--output", words->output, "definitions to write (- for standard output)")
      ->required()
      ->type_name("FILE");
  infer_app->add_option("--report", words->report, "what became of every assertion (default: standard error)")
      ->type_name("FILE");
  infer_app->callback([words, &status] { status = infer_word(*words); });

  CLI::App* validate_app =
      app.add_subcommand("validate", "judge definitions: over all recorded tests, and with corrupted results");
  validate_app->add_option("CHECKERS", words->checkers, "definitions")->required()->type_name("");
  validate_app->add_option("SUITE", words->suite, "what extract wrote")->required()->type_name("");
  validate_app->add_option("-m,--model", words->model, "the API model")->required()->type_name("FILE");
  validate_app
      ->add_option("-r,--recording", words->recordings, "an instrumented test program and what it wrote (repeatable)")
      ->required()
      ->type_name("PROGRAM=FILE")
      ->allow_extra_args(false);
  validate_app
      ->add_option("--soak", words->soak,
                   "also run this watched program with each seed as its last word; status 1 is an alarm")
      ->type_name("COMMAND");
  validate_app->add_option("--seeds", words->seeds, "of the soak (default 5)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  validate_app->callback([words, &status] { status = validate_word(*words); });

  CLI::App* generate_app = app.add_subcommand("generate", "write the C++ of checker definitions");
  generate_app->add_option("CHECKERS", words->checkers, "definitions")->required()->type_name("");
  generate_app->add_option("-m,--model", words->model, "the API model")->required()->type_name("FILE");
  generate_app->add_option("-o,--output", words->output, "folder to write into")->required()->type_name("FOLDER");
  generate_app->callback([words, &status] { status = generate_word(*words); });
}

}  // namespace tenet::from_tests
