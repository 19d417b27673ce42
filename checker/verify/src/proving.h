/// One attempt at a proof for any number of hosts, from the cache where it was
/// made before.
#pragma once

#include <string>
#include <vector>

#include "exploration.h"
#include "tenet/ir/protocol.h"
#include "tenet/result/proof.h"

namespace tenet::verify {

struct ProofTask {
  const ir::Protocol& protocol;
  std::vector<ir::PropertyId> properties;  ///< to prove; none of them a `reachable`
  std::vector<ir::PropertyId> helpers;     ///< not asked for; may be proved on the way
  std::vector<ir::StepId> steps;           ///< that no instance takes: can they happen at all?
  std::vector<ir::PropertyId> reachables;  ///< that no instance reaches
  std::string label;                       ///< for progress
};

/// What came of it.
struct ProofAttempt {
  result::Proof proof;
  bool stopped = false;    ///< by the time limit or by the command: what was proved by then is proved
  bool timed_out = false;  ///< it was the time limit
  std::string failure;     ///< not empty: an error of the prover itself, which proved nothing
};

/// What is wrong with the solver that is to confirm proofs; empty: nothing, or
/// it is not asked for.
[[nodiscard]] std::string second_solver_problem(const Options& options);

/// Never throws. Whatever is not proved has a reason.
[[nodiscard]] ProofAttempt attempt_proof(const Runner& runner, const Options& options, const ProofTask& task);

}  // namespace tenet::verify
