#include "contest.h"

#include <chrono>
#include <set>

#include "stop_after.h"
#include "tenet/explore/explorer.h"
#include "tenet/provenance/prover.h"
#include "tenet/symbolic/search.h"

namespace tenet::campaign {

void Score::add(const Score& other) {
  protocols += other.protocols;
  claims += other.claims;
  violated += other.violated;
  proved += other.proved;
  stopped += other.stopped;
  contradictions.insert(contradictions.end(), other.contradictions.begin(), other.contradictions.end());
}

Score contest(const ir::Protocol& protocol, const Limits& limits) {
  Score score;
  score.protocols = 1;
  std::set<ir::PropertyId> violated;
  bool faults = false;
  for (const ir::InstanceDecl& declared : protocol.instances) {
    Diagnostics diagnostics;
    const auto instance = ir::Instance::resolve(protocol, &declared, diagnostics);
    if (!instance) continue;
    explore::Options options;
    options.memory_bytes = limits.explore_bytes;
    options.max_depth = limits.explore_depth;
    const auto report = explore::explore(protocol, *instance, options);
    if (!report) continue;
    for (const explore::Found& found : report->found) {
      if (found.fault && !ir::of_the_protocol(found.fault->kind)) continue;
      if (found.kind == explore::FoundKind::violation) violated.insert(found.property);
      faults = faults || found.kind == explore::FoundKind::fault;
    }
    symbolic::Options how;
    how.depth = limits.symbolic_depth;
    how.total_resources = how.resource_limit = limits.symbolic_resources;
    for (const symbolic::Found& found : symbolic::search(protocol, *instance, how).found) {
      if (!found.property.valid()) {
        faults = true;
      } else if (protocol[found.property].kind != ir::PropertyKind::reachable) {
        violated.insert(found.property);
      }
    }
  }
  const StopAfter stop(std::chrono::milliseconds(limits.prove_milliseconds));
  provenance::ProveOptions options;
  options.generations = limits.generations;
  options.resource_limit = limits.resource_limit;
  options.stop = stop.flag();
  options.answers = limits.answers;
  const provenance::Proof proof = provenance::prove(protocol, options);
  score.stopped = stop.flag()->requested() ? 1 : 0;
  for (const provenance::Claim& claim : proof.claims) {
    ++score.claims;
    const bool refuted = violated.count(claim.property) != 0;
    score.violated += refuted ? 1 : 0;
    if (claim.verdict != provenance::ClaimVerdict::proved) continue;
    ++score.proved;
    const std::string& name = protocol[claim.property].name;
    if (refuted) score.contradictions.push_back(name + " is proved and violated");
    if (faults) score.contradictions.push_back(name + " is proved of steps that read what is not there");
  }
  return score;
}

}  // namespace tenet::campaign
