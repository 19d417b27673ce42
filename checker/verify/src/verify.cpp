#include "tenet/verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "evidence.h"
#include "inputs.h"
#include "parallel.h"
#include "session.h"
#include "verify_claims.h"

namespace tenet::verify {
namespace {

using result::FileResult;
using result::Finding;
using result::RunResult;

bool has_property(const ir::Protocol& protocol, const std::string& name) {
  return std::any_of(protocol.properties.begin(), protocol.properties.end(),
                     [&](const ir::Property& property) { return property.name == name; });
}

bool has_instance(const ir::Protocol& protocol, const std::string& name) {
  if (protocol.instances.empty()) return name == "default";
  return std::any_of(protocol.instances.begin(), protocol.instances.end(),
                     [&](const ir::InstanceDecl& instance) { return instance.name == name; });
}

/// What `--property` and `--instance` leave to do. A name that no file has is
/// an error; a file that lacks the names which others have is skipped, aloud.
class Selection {
 public:
  explicit Selection(const Options& options) : options_(options) {}

  void check(const std::vector<FileResult>& files, RunResult& run) const {
    std::vector<std::string> properties;
    std::vector<std::string> instances;
    for (const FileResult& file : files) {
      if (!file.ir) return;  // its names are not known: say nothing of them
      for (const auto& property : file.ir->properties) properties.push_back(property.name);
      for (const auto& instance : file.ir->instances) instances.push_back(instance.name);
      if (file.ir->instances.empty()) instances.emplace_back("default");
    }
    for (const std::string& name : options_.properties) unknown("property", name, properties, run);
    if (!options_.instance.empty()) unknown("instance", options_.instance, instances, run);
  }

  /// Why there is nothing to do in this protocol; empty if there is.
  [[nodiscard]] std::string skip(const ir::Protocol& protocol) const {
    if (!options_.instance.empty() && !has_instance(protocol, options_.instance)) {
      return "no instance '" + options_.instance + "'";
    }
    const bool any = options_.properties.empty() ||
                     std::any_of(options_.properties.begin(), options_.properties.end(),
                                 [&](const std::string& name) { return has_property(protocol, name); });
    return any ? "" : "none of the properties asked for";
  }

 private:
  static void unknown(const std::string& what, const std::string& name, const std::vector<std::string>& known,
                      RunResult& run) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const std::string closest = did_you_mean(name, known);
    std::string hint;
    if (!closest.empty()) {
      hint = fmt::format("did you mean '{}'?", closest);
    } else if (!known.empty()) {
      const std::set<std::string> distinct(known.begin(), known.end());
      for (const std::string& each : distinct) hint += (hint.empty() ? "there are: " : ", ") + each;
    }
    run.problems.push_back(
        bad_input("unknown-" + what, fmt::format("no {} '{}' in the files given", what, name), hint));
  }

  const Options& options_;
};

/// Protocols to verify, in order; variants found on the way are skipped.
std::vector<FileResult> load_protocols(const std::vector<std::string>& paths, RunResult& run) {
  Inputs inputs = find_inputs(paths);
  std::move(inputs.problems.begin(), inputs.problems.end(), std::back_inserter(run.problems));
  std::vector<FileResult> files;
  std::size_t skipped = 0;
  for (const Input& input : inputs.files) {
    LoadedFile loaded = load_file(input.path);
    if (loaded.kind == frontend::FileKind::variant && input.from_folder) {
      run.skipped.emplace_back(input.path, "wrong variants (--variants PATH runs them)");
      ++skipped;
      continue;
    }
    if (loaded.kind == frontend::FileKind::variant) {
      loaded.result.findings.push_back(bad_input("not-a-protocol", "this is a wrong variant, not a protocol",
                                                 "--variants " + input.path + " runs it"));
    }
    files.push_back(std::move(loaded.result));
  }
  if (files.empty() && skipped > 0) {
    run.problems.push_back(
        bad_input("no-protocol", "there are only wrong variants here, no protocol", "--variants PATH runs them"));
  }
  return files;
}

std::vector<LoadedFile> load_variants(const std::vector<std::string>& paths, RunResult& run) {
  Inputs inputs = find_inputs(paths);
  std::move(inputs.problems.begin(), inputs.problems.end(), std::back_inserter(run.problems));
  std::vector<LoadedFile> variants;
  for (const Input& input : inputs.files) {
    LoadedFile loaded = load_file(input.path);
    // A folder may hold the protocols too; a file that was named must be a variant.
    if (input.from_folder && loaded.kind == frontend::FileKind::protocol) continue;
    variants.push_back(std::move(loaded));
  }
  if (variants.empty() && inputs.problems.empty()) {
    run.problems.push_back(bad_input("no-variant", "no wrong variant in the paths given to --variants"));
  }
  return variants;
}

bool failed(const FileResult& file) {
  return std::any_of(file.findings.begin(), file.findings.end(), [](const Finding& finding) {
    return finding.level == result::Level::failure || finding.level == result::Level::bad_input;
  });
}

void mutate(const Runner& runner, const Options& options, FileResult& file) {
  if (!failed(file)) return explore_mutants(runner, options, file);
  Finding finding = of_protocol(file.protocol, "not-mutated",
                                "no mutants were made: they mean something only for a protocol that holds itself");
  finding.level = result::Level::note;
  file.findings.push_back(std::move(finding));
}

/// Whether the file brings its own invariants, to be checked by induction.
bool brings_invariants(const FileResult& file) {
  return file.ir && frontend::language_of(*file.source) == frontend::Language::mypyvy;
}

/// Explores one file after the other, each on all threads; a proof uses one
/// thread, so they are made side by side.
void verify_protocols(const Runner& runner, const Options& options, std::vector<FileResult>& files) {
  std::vector<Explored> explored(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (brings_invariants(files[i])) {
      verify_claims(runner, options, files[i]);
    } else if (files[i].ir) {
      explored[i] = explore_protocol(runner, options, files[i]);
    }
  }
  parallel_for(files.size(), options.jobs, [&](std::size_t i) {
    if (!files[i].ir || brings_invariants(files[i])) return;
    if (options.prove) prove_protocol(runner, options, files[i], explored[i]);
    search_protocol(runner, options, files[i], explored[i]);
    if (options.prove) explain_open_claims(runner, options, files[i], explored[i]);
  });
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].ir || brings_invariants(files[i])) continue;
    conclude(options, files[i], explored[i]);
    if (options.mutate) mutate(runner, options, files[i]);
  }
}

}  // namespace

RunResult verify(const std::vector<std::string>& paths, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  RunResult run;
  run.command = "verify";
  run.version = options.version;
  run.accept_bounded = options.accept_bounded;
  const Runner runner(options);
  std::vector<FileResult> files = load_protocols(paths, run);
  std::vector<LoadedFile> variants;
  if (!options.variants.empty()) variants = load_variants(options.variants, run);
  const Selection selection(options);
  if (!files.empty()) selection.check(files, run);
  if (const std::string problem = second_solver_problem(options); !problem.empty()) {
    run.problems.push_back(bad_input("no-second-solver", problem));
  }
  if (run.problems.empty()) {
    for (FileResult& file : files) {
      if (file.ir) {
        const std::string reason = selection.skip(*file.ir);
        if (!reason.empty()) {
          run.skipped.emplace_back(file.source->path(), reason);
          continue;
        }
      }
      run.files.push_back(std::move(file));
    }
    verify_protocols(runner, options, run.files);
    std::vector<FileResult> judged = explore_variants(runner, options, std::move(variants));
    std::move(judged.begin(), judged.end(), std::back_inserter(run.files));
  } else {
    // Nothing was explored, but what is wrong in the files is still said.
    std::copy_if(files.begin(), files.end(), std::back_inserter(run.files), failed);
  }
  run.interrupted = runner.stopped();
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return run;
}

}  // namespace tenet::verify
