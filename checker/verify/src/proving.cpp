#include "proving.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <optional>

#include "deadline.h"
#include "evidence.h"
#include "proof_codec.h"
#include "tenet/ir/printer.h"
#include "tenet/provenance/prover.h"
#include "tenet/smt/solver.h"

namespace tenet::verify {
namespace {

/// A solver that cannot say by then that nothing is wrong with nothing is no help.
constexpr std::uint32_t kSolverStartMs = 5000;

/// So many sources of facts are named.
constexpr std::size_t kFrequentFacts = 10;

/// Everything that the answer depends on. The time limit is left out: what it
/// stopped is not kept.
cache::Key key_of(const ProofTask& task, const provenance::ProveOptions& prover, const std::string& build) {
  std::string options = fmt::format("proof {} generations {} solvers {} properties", kProofLayout, prover.generations,
                                    provenance::solvers(prover));
  for (const ir::PropertyId id : task.properties) options += " " + std::to_string(id.value);
  options += " helpers";
  for (const ir::PropertyId id : task.helpers) options += " " + std::to_string(id.value);
  options += " steps";
  for (const ir::StepId id : task.steps) options += " " + std::to_string(id.value);
  options += " reachables";
  for (const ir::PropertyId id : task.reachables) options += " " + std::to_string(id.value);
  return cache::key({ir::print(task.protocol), options, build});
}

/// Answers to single questions: what an edit does not touch is not proved again.
class CachedAnswers : public provenance::AnswerStore {
 public:
  CachedAnswers(cache::Cache& cache, const std::string& build) : cache_(cache), build_(build) {}

  std::optional<std::string> find(const std::string& question) override { return cache_.get(key(question)); }
  void keep(const std::string& question, const std::string& answer) override { cache_.put(key(question), answer); }

 private:
  [[nodiscard]] cache::Key key(const std::string& question) const { return cache::key({"answer", build_, question}); }

  cache::Cache& cache_;
  const std::string& build_;
};

result::Proof in_words(const ir::Protocol& protocol, provenance::Proof&& made) {
  result::Proof proof;
  for (provenance::Claim& claim : made.claims) {
    const bool proved = claim.verdict == provenance::ClaimVerdict::proved;
    if (!proved && claim.reason.empty()) claim.reason = made.reason;
    std::vector<std::string> rests_on;
    for (const ir::PropertyId id : claim.rests_on) rests_on.push_back(protocol[id].name);
    proof.claims.push_back({protocol[claim.property].name, proved, proved ? "" : std::move(claim.reason),
                            std::move(claim.open_execution), std::move(rests_on)});
  }
  for (auto& each : made.invariants) proof.invariants.push_back({std::move(each.kind), std::move(each.statement)});
  std::map<std::string, std::size_t> sources;
  for (auto& o : made.obligations) {
    for (const auto& [source, count] : o.sources) sources[source] += count;
    std::vector<result::ProofUse> uses;
    for (provenance::Use& use : o.uses) uses.push_back({std::move(use.statement), use.earlier});
    proof.obligations.push_back({std::move(o.kind), std::move(o.statement), std::move(o.part), o.discharged,
                                 std::move(o.solver), o.resources, o.seconds, o.facts, o.rounds, std::move(o.rechecked),
                                 std::move(uses), std::move(o.query), o.from_store, std::move(o.unconfirmed)});
  }
  proof.frequent_facts.assign(sources.begin(), sources.end());
  std::ranges::stable_sort(proof.frequent_facts, std::ranges::greater(), &std::pair<std::string, std::size_t>::second);
  if (proof.frequent_facts.size() > kFrequentFacts) proof.frequent_facts.resize(kFrequentFacts);
  for (const ir::StepId id : made.impossible) proof.impossible.push_back(step_place(protocol, id));
  for (const ir::PropertyId id : made.unreachable) proof.unreachable.push_back(protocol[id].name);
  proof.well_defined = made.well_defined;
  proof.reason = std::move(made.reason);
  proof.seconds = made.seconds;
  return proof;
}

/// What was proved by then is proved; the rest is not, and why.
void cut_short(result::Proof& proof, const std::string& reason) {
  for (result::ProofClaim& claim : proof.claims) {
    if (!claim.proved) claim.reason = reason;
  }
  proof.reason = reason;
}

/// Nothing is proved, and all of it for one reason.
void withdraw(result::Proof& proof, const ProofTask& task, const std::string& reason) {
  if (proof.claims.empty()) {
    for (const ir::PropertyId id : task.properties) proof.claims.push_back({task.protocol[id].name, false, ""});
  }
  for (result::ProofClaim& claim : proof.claims) {
    claim.proved = false;
    claim.reason = reason;
  }
  proof.invariants.clear();
  proof.well_defined = false;
  proof.reason = reason;
}

}  // namespace

std::string second_solver_problem(const Options& options) {
  if (!options.recheck) return {};
  smt::SolverConfig config = smt::cvc5_config();
  config.wall_clock_ms = kSolverStartMs;
  const smt::CheckResult answer = smt::make_solver(config)->check();
  return answer.answer == smt::Answer::sat ? std::string() : "--recheck needs cvc5: " + answer.reason;
}

ProofAttempt attempt_proof(const Runner& runner, const Options& options, const ProofTask& task) {
  ProofAttempt attempt;
  provenance::ProveOptions prover;
  prover.properties = task.properties;
  prover.helpers = task.helpers;
  prover.steps = task.steps;
  prover.reachables = task.reachables;
  prover.progress = [&](const std::string& what) { runner.report_progress({task.label + ": " + what, {}}); };
  prover.seed = options.seed;
  prover.recheck = options.recheck;
  prover.keep_queries = options.keep_queries;
  std::vector<std::string> disagreements;
  prover.disagreement = [&](const std::string& what) { disagreements.push_back(what); };
  const bool caching = options.cache != nullptr;
  const cache::Key key = caching ? key_of(task, prover, options.build) : cache::Key{};
  if (caching && !options.keep_queries) {  // queries are not kept
    if (const auto bytes = options.cache->get(key)) {
      if (auto proof = decode_proof(*bytes, task.protocol)) {
        attempt.proof = std::move(*proof);
        attempt.proof.cached = true;
        return attempt;
      }
    }
  }
  std::optional<CachedAnswers> answers;
  if (caching) prover.answers = &answers.emplace(*options.cache, options.build);
  runner.report_progress({task.label, {}});
  const Deadline deadline(options.stop, options.prove_seconds);
  prover.stop = &deadline.flag();
  try {
    attempt.proof = in_words(task.protocol, provenance::prove(task.protocol, prover));
    attempt.proof.disagreements = std::move(disagreements);
  } catch (const std::bad_alloc&) {
    attempt.stopped = true;
    withdraw(attempt.proof, task, "the prover ran out of memory");
    return attempt;
  } catch (const std::exception& error) {
    attempt.failure = error.what();
    withdraw(attempt.proof, task, "the prover failed");
    return attempt;
  }
  attempt.stopped = deadline.expired() || deadline.flag().requested();
  if (attempt.stopped) {
    attempt.timed_out = deadline.expired();
    cut_short(attempt.proof,
              attempt.timed_out ? fmt::format("stopped after {:g} s", options.prove_seconds) : "interrupted");
  } else if (caching) {
    options.cache->put(key, encode(attempt.proof));
  }
  return attempt;
}

}  // namespace tenet::verify
