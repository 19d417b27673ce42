#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "extract.h"
#include "hooks.h"
#include "rewrite.h"
#include "sources.h"
#include "tenet/base/utf8.h"
#include "words.h"

namespace tenet::from_tests {
namespace {

namespace fs = std::filesystem;

/// Where this program's own headers are: beside it in a prefix, or in the build tree it comes from.
std::vector<std::string> own_includes() {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  const fs::path installed = self.parent_path() / "../../include";
  if (fs::exists(installed / "tenet/derived/hook.h", problem)) return {"-I" + installed.lexically_normal().string()};
  return {"-I" TENET_DERIVED_INCLUDE, "-I" TENET_MONITOR_INCLUDE};
}

/// The flags of a source in the database that matter to its headers.
std::vector<std::string> flags_from(const clang::tooling::CompilationDatabase& database, const std::string& source) {
  std::vector<std::string> flags;
  std::error_code problem;
  const std::string path = source.empty() ? std::string() : fs::absolute(source, problem).lexically_normal().string();
  std::vector<clang::tooling::CompileCommand> commands =
      path.empty() ? database.getAllCompileCommands() : database.getCompileCommands(path);
  if (commands.empty()) commands = database.getAllCompileCommands();
  if (commands.empty()) return flags;
  const clang::tooling::CompileCommand& command = commands.front();
  const auto absolute = [&](const std::string& folder) {
    return fs::path(folder).is_absolute() ? folder : (fs::path(command.Directory) / folder).lexically_normal().string();
  };
  const std::vector<std::string>& line = command.CommandLine;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const std::string& word = line[i];
    const bool has_next = i + 1 < line.size();
    if ((word == "-I" || word == "-isystem" || word == "-D" || word == "-include") && has_next) {
      flags.push_back(word);
      flags.push_back(word == "-D" ? line[++i] : absolute(line[++i]));
    } else if (word.rfind("-I", 0) == 0) {
      flags.push_back("-I" + absolute(word.substr(2)));
    } else if (word.rfind("-D", 0) == 0 || word.rfind("-std=", 0) == 0 || word.rfind("-fno-exceptions", 0) == 0 ||
               word.rfind("-fno-rtti", 0) == 0) {
      flags.push_back(word);
    }
  }
  return flags;
}

struct Words {
  std::string model, build, output, header;
  std::vector<std::string> files, flags;
  bool check = false, rewrite = false;
};

Result<std::vector<std::string>> header_flags(const Words& words) {
  std::vector<std::string> flags = own_includes();
  if (!words.build.empty()) {
    auto database = load_database(words.build);
    if (!database) return tl::make_unexpected(database.error());
    for (const std::string& flag : flags_from(**database, words.files.empty() ? "" : words.files.front()))
      flags.push_back(flag);
  }
  flags.insert(flags.end(), words.flags.begin(), words.flags.end());
  const bool has_standard =
      std::any_of(flags.begin(), flags.end(), [](const std::string& f) { return f.rfind("-std=", 0) == 0; });
  if (!has_standard) flags.emplace_back("-std=c++17");
  return flags;
}

int model_word(const Words& words) {
  const auto flags = header_flags(words);
  if (!flags) return status_of(flags.error());
  if (words.check) {
    const auto model = read_model(words.header);
    if (!model) return status_of(model.error());
    const auto hooks = make_hooks(*model, *flags);
    if (!hooks) return status_of(hooks.error());
    say(fmt::format("{}: {} operations fit the headers\n", words.header, model->schema.ops.size()));
    return 0;
  }
  const auto draft = draft_model(words.header, *flags);
  if (!draft) return status_of(draft.error());
  if (words.output.empty()) {
    say(*draft);
    return 0;
  }
  return write_file(words.output, *draft) ? 0 : 3;
}

int extract_word(const Words& words) {
  const auto model = read_model(words.model);
  if (!model) return status_of(model.error());
  const auto database = load_database(words.build);
  if (!database) return status_of(database.error());
  const Suite suite = extract(*model, **database, words.files);
  for (const Trouble& trouble : suite.troubles) tell(trouble.file + ": " + trouble.what);
  std::size_t assertions = 0, on_operations = 0, without = 0;
  for (const Test& test : suite.tests) {
    assertions += test.assertions.size();
    without += test.assertions.empty() ? 1u : 0u;
    for (const Assertion& assertion : test.assertions) {
      bool any = false;
      for (const Slice& slice : assertion.operands) any = any || !slice.sites.empty();
      on_operations += any ? 1u : 0u;
    }
  }
  if (!write_file(words.output, to_json(suite))) return 3;
  tell(fmt::format("{} tests ({} without assertions), {} assertions, {} of them on operations of the model; {:.1f} s",
                   suite.tests.size(), without, assertions, on_operations, suite.seconds));
  if (suite.tests.empty()) return suite.troubles.empty() ? 2 : 3;
  return on_operations == 0 ? 2 : 0;
}

int attach_word(const Words& words) {
  const auto model = read_model(words.model);
  if (!model) return status_of(model.error());
  const auto flags = header_flags(words);
  if (!flags) return status_of(flags.error());
  const auto hooks = make_hooks(*model, *flags);
  if (!hooks) return status_of(hooks.error());
  for (const std::string& note : hooks->notes) tell(note);
  std::error_code problem;
  fs::create_directories(words.output, problem);
  const std::string name = "tenet_" + model->system;
  if (!write_file((fs::path(words.output) / (name + ".h")).string(), hooks->header)) return 3;
  std::string options;
  if (!hooks->factories.empty()) {
    if (!write_file((fs::path(words.output) / (name + "_factories.cc")).string(), hooks->factories)) return 3;
    for (const std::string& option : hooks->link_options) options += option + "\n";
    if (!write_file((fs::path(words.output) / (name + "_factories.options")).string(), options)) return 3;
  }
  if (!words.rewrite) return 0;
  const auto database = load_database(words.build);
  if (!database) return status_of(database.error());
  const Rewritten rewritten = rewrite(*model, **database, words.files);
  for (const Trouble& trouble : rewritten.troubles) tell(trouble.file + ": " + trouble.what);
  for (const std::string& each : rewritten.left_out) tell("not rewritten: " + each);
  std::set<std::string> names;
  for (const std::string& file : words.files) {
    const std::string path = fs::absolute(file, problem).lexically_normal().string();
    const auto text = rewritten.files.find(path);
    std::string content;
    if (text != rewritten.files.end()) {
      content = text->second;
    } else {
      // Nothing to tell in it: the same text, so that a build can use one folder.
      std::ifstream in(path, std::ios::binary);
      content.assign(std::istreambuf_iterator<char>(in), {});
    }
    if (!names.insert(fs::path(file).filename().string()).second) {
      tell("two sources are called " + fs::path(file).filename().string() + "; attach them into folders of their own");
      return 2;
    }
    if (!write_file((fs::path(words.output) / fs::path(file).filename()).string(), content)) return 3;
  }
  std::string done;
  for (const std::string& each : rewritten.done) done += "  " + each + "\n";
  say(fmt::format("{} methods tell what they do:\n{}", rewritten.done.size(), done));
  if (!rewritten.troubles.empty()) return 3;
  return rewritten.done.empty() ? 2 : 0;
}

}  // namespace

void say(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void tell(std::string_view text) { fmt::print(stderr, "tenet: {}\n", printable_lines(text)); }

int status_of(const Error& error) {
  tell(error.message);
  return exit_status(error.kind);
}

bool write_file(const std::string& path, std::string_view text) {
  if (path == "-") {
    say(text);
    return true;
  }
  // An unchanged file keeps its time: what is made from it is not made again.
  std::ifstream in(path, std::ios::binary);
  if (in && std::string(std::istreambuf_iterator<char>(in), {}) == text) return true;
  in.close();
  std::ofstream out(path, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) tell(path + ": cannot be written");
  return static_cast<bool>(out);
}

void add_source_words(CLI::App& app, int& status) {
  auto words = std::make_shared<Words>();
  CLI::App* model = app.add_subcommand("model", "draft an API model from a header, or check one against its headers");
  model->add_option("FILE", words->header, "a header; with --check a model")->required()->type_name("");
  model->add_flag("--check", words->check, "FILE is a model: does it fit its headers?");
  model->add_option("-p,--build", words->build, "build folder with compile_commands.json")->type_name("FOLDER");
  model->add_option("-o,--output", words->output, "file to write (default: standard output)")->type_name("FILE");
  model->add_option("--flag", words->flags, "compiler flag for the headers, as --flag=-Iinclude (repeatable)")
      ->type_name("FLAG")
      ->allow_extra_args(false);
  model->callback([words, &status] { status = model_word(*words); });

  CLI::App* extract_app =
      app.add_subcommand("extract", "read the tests: assertions and the operations that they depend on");
  extract_app->add_option("TEST", words->files, "sources of the tests")->required()->type_name("");
  extract_app->add_option("-m,--model", words->model, "the API model")->required()->type_name("FILE");
  extract_app->add_option("-p,--build", words->build, "build folder with compile_commands.json")
      ->required()
      ->type_name("FOLDER");
  extract_app->add_option("-o,--output", words->output, "file to write (- for standard output)")
      ->required()
      ->type_name("FILE");
  extract_app->callback([words, &status] { status = extract_word(*words); });

  CLI::App* attach = app.add_subcommand(
      "attach", "generate what tells a service's operations: hooks, decorators, rewritten copies of sources");
  attach->add_option("SOURCE", words->files, "with --rewrite: sources whose copies are to tell what they do")
      ->type_name("");
  attach->add_option("-m,--model", words->model, "the API model")->required()->type_name("FILE");
  attach->add_option("-p,--build", words->build, "build folder with compile_commands.json")->type_name("FOLDER");
  attach->add_option("-o,--output", words->output, "folder to write into")->required()->type_name("FOLDER");
  attach->add_flag("--rewrite", words->rewrite,
                   "rewrite the definitions of the model's methods in copies of the sources");
  attach->add_option("--flag", words->flags, "compiler flag for the headers, as --flag=-Iinclude (repeatable)")
      ->type_name("FLAG")
      ->allow_extra_args(false);
  attach->callback([words, &status] { status = attach_word(*words); });
}

}  // namespace tenet::from_tests
