#include "inference.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <utility>

#include "deadline.h"
#include "tenet/frontend/frontend.h"
#include "tenet/induct/induct.h"

namespace tenet::verify {

namespace {
/// What `induct` says of an obligation that no solver was needed for.
constexpr const char* kByText = "the text alone";
/// Of derived invariants that are about a step.
constexpr const char* kMonotone = "monotone";
constexpr const char* kSeedName = "derived";
}  // namespace

result::ProofObligation in_words(const ir::Protocol& protocol, const std::vector<std::string>& claims,
                                 induct::Obligation o) {
  result::ProofObligation made;
  made.kind = induct::name_of(o.kind);
  made.statement = o.claim != induct::Obligation::kNone ? claims[o.claim] : protocol.name;
  made.part = o.step.valid() ? "step " + protocol[o.step].name : "initially";
  made.discharged = o.verdict == induct::Verdict::discharged;
  made.solver = o.solver == kByText ? result::kSyntactic : o.solver;
  made.resources = o.resources;
  made.seconds = o.seconds;
  made.query = std::move(o.query);
  // A claim is used of the state before the step only.
  for (const std::size_t use : o.uses) made.uses.push_back({claims[use], true});
  return made;
}

Seeded seeded(const SourceFile& source, const ir::Protocol& protocol,
              const std::vector<result::DerivedInvariant>& derived) {
  const std::size_t stated = protocol.properties.size();
  std::string text(source.text());
  Seeded made{protocol, {}};
  for (const result::DerivedInvariant& invariant : derived) {
    if (invariant.kind == kMonotone) continue;  // about two states
    const std::string longer =
        fmt::format("{}\nlemma {}_{}: {}\n", text, kSeedName, made.seeds.size(), invariant.statement);
    auto loaded = frontend::load_protocol(SourceFile(source.path(), longer));
    // A name that is taken, or what is derived of things that the language has no words for.
    if (!loaded.protocol || loaded.protocol->properties.size() != stated + made.seeds.size() + 1) continue;
    text = longer;
    made.protocol = std::move(*loaded.protocol);
    made.seeds.emplace_back();
  }
  for (std::size_t i = 0; i < made.seeds.size(); ++i) made.seeds[i] = made.protocol.properties[stated + i].formula;
  return made;
}

Inference infer(const Runner& runner, const Options& options, const Seeded& subject,
                const std::vector<ir::PropertyId>& properties) {
  const ir::Protocol& protocol = subject.protocol;
  Inference made;
  const Deadline deadline(options.stop, options.prove_seconds);
  learn::Options how;
  how.properties = properties;
  how.seeds = subject.seeds;
  how.threads = options.jobs;
  how.seed = options.seed;
  how.keep_queries = options.keep_queries;
  how.stop = &deadline.flag();
  how.progress = [&](const std::string& what) { runner.report_progress({protocol.name + ", inference: " + what, {}}); };
  learn::Learned learned;
  try {
    learned = learn::learn(protocol, how);
  } catch (const std::bad_alloc&) {
    made.reason = "inference ran out of memory";
    return made;
  } catch (const std::exception& error) {
    made.reason = std::string("inference failed: ") + error.what();
    return made;
  }
  made.seconds = learned.statistics.seconds;
  made.timed_out = deadline.expired();
  made.reason = made.timed_out ? fmt::format("stopped after {:g} s", options.prove_seconds) : learned.reason;
  made.violations = std::move(learned.violations);
  made.proved = learned.proved;
  if (made.proved.empty()) return made;
  std::vector<std::string> claims;
  for (const learn::Lemma& lemma : learned.lemmas) {
    made.lemmas.push_back({result::kLearned, lemma.text});
    claims.push_back(lemma.text);
  }
  for (std::size_t i = learned.lemmas.size(); i < learned.claims.size(); ++i) {
    claims.push_back(learned.claims[i].name);
  }
  for (induct::Obligation& o : learned.report.obligations) {
    made.obligations.push_back(in_words(learned.protocol, claims, std::move(o)));
  }
  return made;
}

}  // namespace tenet::verify
