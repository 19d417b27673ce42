#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>

#include "inference.h"
#include "judge.h"
#include "session.h"
#include "tenet/symbolic/search.h"
#include "two_states.h"

namespace tenet::verify {
namespace {

/// If lemmas are looked for as well, the prover has this part of the time before.
constexpr double kProverShare = 6;

/// The properties that are not decided yet: not violated, not reached.
std::vector<ir::PropertyId> open_properties(const std::vector<ir::PropertyId>& asked,
                                            const std::vector<Exploration>& explorations) {
  std::set<ir::PropertyId> decided;
  for (const Exploration& e : explorations) {
    if (!e.report) continue;
    for (const explore::Found& found : e.report->found) {
      const bool decides = found.kind == explore::FoundKind::violation || found.kind == explore::FoundKind::reached;
      if (decides) decided.insert(found.property);
    }
  }
  std::vector<ir::PropertyId> open;
  std::copy_if(asked.begin(), asked.end(), std::back_inserter(open),
               [&](ir::PropertyId id) { return decided.count(id) == 0; });
  return open;
}

/// What was asked and is neither violated nor reached nor proved by any engine so far.
std::vector<ir::PropertyId> still_open(const ir::Protocol& protocol, const Options& options, const Explored& explored) {
  std::vector<ir::PropertyId> open = open_properties(
      open_properties(asked_properties(protocol, options.properties), explored.explorations), explored.chance);
  if (!explored.proof) return open;
  const auto proved = [&](ir::PropertyId id) {
    return std::ranges::any_of(explored.proof->proof.claims, [&](const result::ProofClaim& claim) {
      return claim.proved && claim.property == protocol[id].name;
    });
  };
  std::erase_if(open, proved);
  return open;
}

/// A run says more than an execution that is not ruled out.
void leave_to_the_run(const ir::Protocol& protocol, const Exploration& met, result::Proof& proof) {
  const ir::PropertyId id = met.report->found.front().property;
  if (!id.valid()) return;
  for (result::ProofClaim& claim : proof.claims) {
    if (claim.property == protocol[id].name) claim.open_execution.clear();
  }
}

/// What may be of help for the properties named: all other claims. None if all were asked for.
std::vector<ir::PropertyId> claims_beside(const ir::Protocol& protocol, const std::vector<std::string>& names) {
  std::vector<ir::PropertyId> rest;
  if (names.empty()) return rest;
  for (const ir::PropertyId id : asked_properties(protocol, {})) {
    const bool claim = protocol[id].kind != ir::PropertyKind::reachable;
    if (claim && std::find(names.begin(), names.end(), protocol[id].name) == names.end()) rest.push_back(id);
  }
  return rest;
}

/// What the prover left open is given to the clause learner.
void infer_rest(const Runner& runner, const Options& options, const result::FileResult& file,
                const std::vector<ir::PropertyId>& asked, result::Proof& proof, std::vector<Exploration>& chance) {
  const ir::Protocol& protocol = *file.ir;
  const auto claim_of = [&](ir::PropertyId id) {
    return std::find_if(proof.claims.begin(), proof.claims.end(),
                        [&](const result::ProofClaim& claim) { return claim.property == protocol[id].name; });
  };
  std::vector<ir::PropertyId> rest;
  for (const ir::PropertyId id : asked) {
    const auto claim = claim_of(id);
    if (claim != proof.claims.end() && !claim->proved) rest.push_back(id);
  }
  if (rest.empty()) return;
  // A variant's text is an edit.
  const bool whole = file.trace_source == nullptr;
  Inference found =
      infer(runner, options, whole ? seeded(*file.source, protocol, proof.invariants) : Seeded{protocol, {}}, rest);
  for (const ir::PropertyId id : rest) {
    result::ProofClaim& claim = *claim_of(id);
    if (std::find(found.proved.begin(), found.proved.end(), id) != found.proved.end()) {
      claim = {claim.property, true, "", {}};
    } else {
      claim.reason += "; inference: " + (found.reason.empty() ? "it was not proved" : found.reason);
    }
  }
  for (learn::Violation& violation : found.violations) {
    chance.push_back(Exploration::of(small_instance(protocol, violation.instance), std::move(violation.found)));
    leave_to_the_run(protocol, chance.back(), proof);
  }
  std::move(found.lemmas.begin(), found.lemmas.end(), std::back_inserter(proof.invariants));
  std::move(found.obligations.begin(), found.obligations.end(), std::back_inserter(proof.obligations));
  proof.seconds += found.seconds;
  // What cut the prover short says nothing of a proof that is there.
  if (proof.proved() == proof.claims.size()) proof.reason.clear();
}

}  // namespace

std::vector<ir::PropertyId> asked_properties(const ir::Protocol& protocol, const std::vector<std::string>& names) {
  std::vector<ir::PropertyId> ids;
  for (std::size_t i = 0; i < protocol.properties.size(); ++i) {
    const bool named = std::find(names.begin(), names.end(), protocol.properties[i].name) != names.end();
    if (names.empty() || named) ids.emplace_back(i);
  }
  return ids;
}

Explored explore_protocol(const Runner& runner, const Options& options, result::FileResult& file) {
  const auto begin = std::chrono::steady_clock::now();
  const ir::Protocol& protocol = *file.ir;
  const std::vector<ir::PropertyId> asked = asked_properties(protocol, options.properties);
  const std::vector<NamedInstance> instances = resolve_instances(protocol, options.instance, file.findings);
  Explored explored;
  for (const NamedInstance& instance : instances) {
    const std::vector<ir::PropertyId> open = open_properties(asked, explored.explorations);
    if (!asked.empty() && open.empty()) break;
    explored.interrupted = runner.stopped();
    if (explored.interrupted) break;
    explored.explorations.push_back(runner.run({.protocol = protocol,
                                                .instance = instance,
                                                .source = *file.source,
                                                .label = protocol.name + ", instance " + instance.name,
                                                .salt = "",
                                                .threads = options.jobs,
                                                .memory_bytes = options.memory_bytes,
                                                .properties = open,
                                                .max_violations = options.max_violations,
                                                .deadlocks = !protocol.deadlock_ok}));
    explored.looked_at.push_back(open);
    const Exploration& latest = explored.explorations.back();
    // An instance that cannot start is said as an error of the text.
    if (latest.report || latest.error.kind != ErrorKind::bad_input) file.runs.push_back(statistics(latest));
  }
  explored.interrupted = explored.interrupted || runner.stopped();
  file.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return explored;
}

void prove_protocol(const Runner& runner, const Options& options, result::FileResult& file, Explored& explored) {
  const auto begin = std::chrono::steady_clock::now();
  const ir::Protocol& protocol = *file.ir;
  const std::vector<ir::PropertyId> open =
      worth_proving(protocol, asked_properties(protocol, options.properties), explored);
  if (open.empty()) return;
  const ProofTask task{protocol,
                       open,
                       claims_beside(protocol, options.properties),
                       in_all(explored.explorations, &explore::Report::never_enabled),
                       in_all(explored.explorations, &explore::Report::unreached),
                       protocol.name};
  // What lemmas may settle in seconds does not wait for all of the prover's time.
  Options first = options;
  if (options.infer) first.prove_seconds = options.prove_seconds / kProverShare;
  explored.proof = attempt_proof(runner, first, task);
  explored.inferred = options.infer;
  if (options.infer) infer_rest(runner, options, file, open, explored.proof->proof, explored.chance);
  file.proof = explored.proof->proof;
  file.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void search_protocol(const Runner& runner, const Options& options, result::FileResult& file, Explored& explored) {
  if (symbolic_depth(options) == 0 || explored.interrupted || runner.stopped()) return;
  const auto begin = std::chrono::steady_clock::now();
  const ir::Protocol& protocol = *file.ir;
  std::vector<NamedInstance> instances;
  bool all_seen = true, faulty = false;
  for (const Exploration& e : explored.explorations) {
    if (!e.report && (e.error.kind == ErrorKind::bad_input || e.error.kind == ErrorKind::io)) return;
    all_seen = all_seen && e.finished();
    faulty = faulty ||
             (e.report && std::ranges::count(e.report->found, explore::FoundKind::fault, &explore::Found::kind) > 0);
    instances.push_back(e.instance);
  }
  // Where an instance bounds nothing, all of its runs were looked at.
  const bool promising = symbolic::has_unbounded_values(protocol) || !all_seen;
  if (!options.symbolic_depth && (!promising || !explored.proof)) return;
  std::vector<ir::PropertyId> open = still_open(protocol, options, explored);
  bool well_defined = false;
  if (explored.proof) {
    well_defined = explored.proof->proof.well_defined;
    std::erase_if(open, [&](ir::PropertyId id) {
      return std::ranges::count(explored.proof->proof.unreachable, protocol[id].name) > 0;
    });
  }
  if (open.empty()) return;
  explored.symbolic = search_symbolically(runner, options, protocol, instances, open, !faulty && !well_defined);
  file.searches = explored.symbolic.searches;
  for (Exploration& met : explored.symbolic.found) {
    if (file.proof) leave_to_the_run(protocol, met, *file.proof);
    explored.chance.push_back(std::move(met));
  }
  explored.symbolic.found.clear();
  file.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void explain_open_claims(const Runner& runner, const Options& options, const result::FileResult& file,
                         Explored& explored) {
  const ir::Protocol& protocol = *file.ir;
  const bool inductive =
      options.infer || std::ranges::count(protocol.properties, ir::PropertyKind::lemma, &ir::Property::kind) > 0;
  if (!inductive || !explored.proof || runner.stopped()) return;
  explored.not_inductive = not_inductive(runner, options, protocol, still_open(protocol, options, explored));
}

void conclude(const Options& options, result::FileResult& file, const Explored& explored) {
  std::vector<result::Finding> findings = judge(*file.ir, asked_properties(*file.ir, options.properties), explored);
  std::move(findings.begin(), findings.end(), std::back_inserter(file.findings));
}

}  // namespace tenet::verify
