/// Learning invariants: which lemmas make a protocol's claims inductive?
///
/// ```
/// const auto learned = tenet::learn::learn(protocol, {});
/// for (const auto& lemma : learned.lemmas) fmt::print("lemma {}: {}\n", lemma.name, lemma.text);
/// ```
///
/// Candidates are clauses over the protocol's own vocabulary that hold in all
/// sampled states. States that a claim's induction stumbles over choose among
/// them, and take away those that no invariant of this form can contain. What
/// is found is minimised, and asked again from the beginning by
/// `induct::check`: only that decides. How it works: docs/learning.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tenet/base/stop.h"
#include "tenet/explore/explorer.h"
#include "tenet/induct/induct.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"

namespace tenet::learn {

struct Options {
  std::vector<ir::PropertyId> properties;  ///< to prove; empty: every safety and transition claim
  /// Closed formulas of the protocol that are tried as lemmas, too.
  std::vector<ir::ExprId> seeds;
  unsigned threads = 1;
  std::uint32_t seed = 0;
  std::uint64_t resource_limit = 20'000'000;  ///< of one check for any number of hosts, in Z3's unit
  bool keep_queries = false;                  ///< in the final report
  const StopFlag* stop = nullptr;
  std::function<void(const std::string&)> progress;  ///< what is being done; from one thread at a time
};

struct Lemma {
  std::string name;
  ir::ExprId formula;  ///< in `Learned::protocol`
  std::string text;    ///< in the language
};

struct Statistics {
  std::size_t states = 0;      ///< sampled
  std::size_t atoms = 0;       ///< of the last vocabulary
  std::size_t candidates = 0;  ///< clauses that held in all samples, over all rounds
  std::size_t questions = 0;   ///< put to solvers
  std::size_t rounds = 0;      ///< vocabularies tried
  double seconds = 0;
};

/// A run of a small instance that ends where a property is false, or where a
/// step or a formula reads what is not there.
struct Violation {
  ir::Instance instance;
  explore::Found found;
};

struct Learned {
  /// A copy of the protocol with the lemmas' formulas in its tables.
  ir::Protocol protocol;
  std::vector<Lemma> lemmas;
  /// Those of the properties that hold in every reachable state: they are inductive with the lemmas.
  std::vector<ir::PropertyId> proved;
  std::string reason;  ///< why not all of them are, if so
  /// What the sampling came upon: for each property that fails, a shortest run. Lemmas are looked for without those.
  std::vector<Violation> violations;
  /// The final check of lemmas and properties (in this order), from the beginning.
  induct::Report report;
  std::vector<induct::Claim> claims;  ///< what that check is about
  Statistics statistics;
};

/// Deterministic but for `seconds`, and for what `stop` cuts short.
[[nodiscard]] Learned learn(const ir::Protocol& protocol, const Options& options);

}  // namespace tenet::learn
