#include <algorithm>

#include "inputs.h"
#include "session.h"
#include "tenet/verify/verify.h"

namespace tenet::verify {
namespace {

void conclude(result::FileResult& file, const std::string& what) {
  const bool wrong = std::any_of(file.findings.begin(), file.findings.end(), [](const result::Finding& finding) {
    return finding.level == result::Level::bad_input;
  });
  if (wrong) return;
  result::Finding finding;
  finding.rule = "well-formed";
  finding.level = result::Level::pass;
  finding.verdict = result::Verdict::proved;
  finding.subject = file.protocol;
  finding.subject_kind = what;
  finding.message = what + " " + file.protocol + ": names and types fit";
  file.findings.push_back(std::move(finding));
}

}  // namespace

result::RunResult check(const std::vector<std::string>& paths, const std::string& version) {
  result::RunResult run;
  run.command = "check";
  run.version = version;
  Inputs inputs = find_inputs(paths);
  run.problems = std::move(inputs.problems);
  Protocols protocols;
  for (const Input& input : inputs.files) {
    LoadedFile loaded = load_file(input.path);
    const bool variant = loaded.kind == frontend::FileKind::variant;
    result::FileResult file = variant ? prepare_variant(protocols, std::move(loaded)).file : std::move(loaded.result);
    // An instance is part of the text: its names are looked at too.
    if (!variant && file.ir) (void)resolve_instances(*file.ir, "", file.findings);
    conclude(file, variant ? "variant" : "protocol");
    run.files.push_back(std::move(file));
  }
  return run;
}

}  // namespace tenet::verify
