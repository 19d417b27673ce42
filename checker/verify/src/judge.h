/// From the explorations of a protocol to its findings.
#pragma once

#include <optional>
#include <vector>

#include "exploration.h"
#include "proving.h"
#include "symbolic_search.h"
#include "tenet/ir/protocol.h"
#include "tenet/result/result_model.h"

namespace tenet::verify {

/// What the engines made of one protocol. An exploration counts for the
/// properties it was run with.
struct Explored {
  std::vector<Exploration> explorations;
  /// By exploration: the properties it looked at.
  std::vector<std::vector<ir::PropertyId>> looked_at;
  /// Runs of instances that nobody asked for; each holds one finding. They count against a property, never for it.
  std::vector<Exploration> chance;
  bool interrupted = false;
  bool inferred = false;              ///< lemmas were looked for, too
  std::optional<ProofAttempt> proof;  ///< if the prover was asked
  SymbolicAttempt symbolic;           ///< of what both left open; what it found is in `chance`
  /// What is then still open and meant to be inductive, as two states.
  std::vector<result::Finding> not_inductive;
};
/// Verdicts on `asked`, then what else was found, in source order. A property
/// counts as proved if the prover says so and no exploration says otherwise;
/// if they contradict one another, that is an internal error.
[[nodiscard]] std::vector<result::Finding> judge(const ir::Protocol& protocol, const std::vector<ir::PropertyId>& asked,
                                                 const Explored& explored);

/// The properties of `asked` that the prover is to be asked about: none is a
/// `reachable` or violated. Empty as well if no run of the protocol was seen,
/// or if one met an error of the specification: a proof would mean nothing.
[[nodiscard]] std::vector<ir::PropertyId> worth_proving(const ir::Protocol& protocol,
                                                        const std::vector<ir::PropertyId>& asked,
                                                        const Explored& explored);

/// "small, even and large".
[[nodiscard]] std::string names_of(const std::vector<Exploration>& explorations);

}  // namespace tenet::verify
