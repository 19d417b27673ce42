/// The clause learner for what is not proved otherwise, in words.
#pragma once

#include <string>
#include <vector>

#include "exploration.h"
#include "tenet/base/source.h"
#include "tenet/induct/induct.h"
#include "tenet/ir/protocol.h"
#include "tenet/learn/learn.h"
#include "tenet/result/proof.h"
#include "tenet/verify/verify.h"

namespace tenet::verify {

/// What came of it.
struct Inference {
  std::vector<ir::PropertyId> proved;
  std::vector<learn::Violation> violations;  ///< runs of small instances that were met on the way
  std::vector<result::DerivedInvariant> lemmas;
  std::vector<result::ProofObligation> obligations;  ///< of the final check
  std::string reason;                                ///< why not all are proved, if so
  bool timed_out = false;
  double seconds = 0;
};

/// A protocol with formulas that may be lemmas.
struct Seeded {
  ir::Protocol protocol;
  std::vector<ir::ExprId> seeds;
};

/// What was derived about single states, as formulas of the protocol that `source` holds: those that the language can
/// say. The declarations keep their numbers.
[[nodiscard]] Seeded seeded(const SourceFile& source, const ir::Protocol& protocol,
                            const std::vector<result::DerivedInvariant>& derived);

/// Tries to prove `properties` with lemmas of its own, for as long as a proof may take. Never throws.
[[nodiscard]] Inference infer(const Runner& runner, const Options& options, const Seeded& subject,
                              const std::vector<ir::PropertyId>& properties);

/// One obligation of induction in words; `claims` are what it is about.
[[nodiscard]] result::ProofObligation in_words(const ir::Protocol& protocol, const std::vector<std::string>& claims,
                                               induct::Obligation obligation);

}  // namespace tenet::verify
