#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "evidence.h"
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
    return broken_prover(file.protocol, "prover-failed", "the prover failed: " + attempt.failure);
  }
  if (attempt.stopped) {
    finding.message = "what holds of " + file.protocol + " is unknown: " + proof.reason;
    if (!proof.invariants.empty()) finding.hint = "what is listed was proved by then";
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

/// What is derived holds of a protocol that is wrong, too: nobody shall read it
/// as a verdict on a property.
std::vector<Finding> unproved(const ir::Protocol& protocol, const result::Proof& proof) {
  std::vector<Finding> findings;
  for (const result::ProofClaim& claim : proof.claims) {
    const auto named = [&](const ir::Property& property) { return property.name == claim.property; };
    const auto property = std::find_if(protocol.properties.begin(), protocol.properties.end(), named);
    if (claim.proved || property == protocol.properties.end()) continue;
    Finding finding = about(*property);
    finding.rule = "not-proved";
    finding.level = Level::note;
    finding.message = fmt::format("{} {} is not proved: whether it is violated, 'tenet verify' finds out",
                                  finding.subject_kind, finding.subject);
    findings.push_back(std::move(finding));
  }
  return findings;
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
  const std::string problem = second_solver_problem(options);
  if (!problem.empty()) run.problems.push_back(bad_input("no-second-solver", problem));
  if (file.ir && problem.empty()) {
    std::vector<ir::PropertyId> properties;
    for (const ir::PropertyId id : asked_properties(*file.ir, {})) {
      if ((*file.ir)[id].kind != ir::PropertyKind::reachable) properties.push_back(id);
    }
    const ProofAttempt attempt =
        attempt_proof(runner, options, {*file.ir, std::move(properties), {}, {}, {}, file.protocol});
    file.findings.push_back(conclusion(file, attempt));
    for (const std::string& what : attempt.proof.disagreements) {
      file.findings.push_back(broken_prover(file.protocol, "solvers-disagree", "one of the solvers is wrong: " + what));
    }
    if (attempt.failure.empty()) {
      for (Finding& finding : unproved(*file.ir, attempt.proof)) file.findings.push_back(std::move(finding));
    }
    file.proof = attempt.proof;
  }
  run.interrupted = runner.stopped();
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  file.seconds = run.seconds;
  run.files.push_back(std::move(file));
  return run;
}

}  // namespace tenet::verify
