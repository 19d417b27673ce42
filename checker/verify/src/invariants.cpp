#include <fmt/format.h>

#include <chrono>

#include "proving.h"
#include "session.h"
#include "tenet/verify/verify.h"

namespace tenet::verify {
namespace {

using result::Finding;
using result::Level;
using result::Verdict;

Finding conclusion(const result::FileResult& file, const ProofAttempt& attempt) {
  const result::Proof& proof = attempt.proof;
  Finding finding;
  finding.subject = file.protocol;
  finding.subject_kind = "protocol";
  finding.rule = "unknown";
  finding.verdict = Verdict::unknown;
  if (!attempt.failure.empty()) {
    finding.rule = "prover-failed";
    finding.verdict = Verdict::internal_error;
    finding.message = "the prover failed: " + attempt.failure;
    finding.hint = "this is a bug in Tenet, not in your protocol; please report it with the file";
  } else if (attempt.stopped) {
    finding.message = "what holds of " + file.protocol + " is unknown: " + proof.reason;
  } else if (!proof.well_defined) {
    finding.message = proof.reason.empty() ? "could not show that every step only reads what is there" : proof.reason;
    finding.hint = "what is listed holds of runs without such an error";
  } else if (proof.invariants.empty()) {
    finding.message = "nothing was derived of " + file.protocol;
  } else {
    finding.rule = "derived";
    finding.level = Level::pass;
    finding.verdict = Verdict::proved;
    finding.message = fmt::format("{} derived {} proved for any number of hosts", proof.invariants.size(),
                                  proof.invariants.size() == 1 ? "invariant is" : "invariants are");
  }
  return finding;
}

}  // namespace

result::RunResult invariants(const std::string& path, const Options& options) {
  const auto begin = std::chrono::steady_clock::now();
  result::RunResult run;
  run.command = "invariants";
  run.version = options.version;
  LoadedFile loaded = load_file(path);
  Protocols protocols;
  result::FileResult file = loaded.kind == frontend::FileKind::variant
                                ? prepare_variant(protocols, std::move(loaded)).file
                                : std::move(loaded.result);
  const Runner runner(options);
  if (file.ir) {
    std::vector<ir::PropertyId> properties;
    for (const ir::PropertyId id : asked_properties(*file.ir, {})) {
      if ((*file.ir)[id].kind != ir::PropertyKind::reachable) properties.push_back(id);
    }
    const ProofAttempt attempt =
        attempt_proof(runner, options, {*file.ir, *file.source, std::move(properties), file.protocol});
    file.findings.push_back(conclusion(file, attempt));
    file.proof = attempt.proof;
  }
  run.interrupted = runner.stopped();
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  file.seconds = run.seconds;
  run.files.push_back(std::move(file));
  return run;
}

}  // namespace tenet::verify
