/// What proving a protocol for any number of hosts came to, in words.
///
/// Plain values like everything in the result model; made from what the
/// prover says, so that report writers need no engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tenet::result {

/// The "solver" of an obligation that holds by the text alone.
inline constexpr const char* kSyntactic = "syntactic";

/// The kind of an invariant that the clause learner found.
inline constexpr const char* kLearned = "learned";

/// The kind of an invariant that speaks of how often a message was sent and received: no formula of the language.
inline constexpr const char* kDelivery = "delivery";

/// Something taken for granted in a question.
struct ProofUse {
  std::string statement;
  bool earlier = false;  ///< only of times before the one in question: an induction may use what it proves
};

/// One question that was put to a solver, and its answer.
struct ProofObligation {
  std::string kind;             ///< "derived fact", "projection", "property", "lemma", "well-defined" …
  std::string statement;        ///< what is to be shown, in the words of the protocol
  std::string part;             ///< which part of it: "step propose", "at the first time it fails" …
  bool discharged = false;      ///< false: an attempt that led nowhere; nothing rests on it
  std::string solver;           ///< with its options and limits
  std::uint64_t resources = 0;  ///< in the solver's own unit; left out when deterministic
  double seconds = 0;           ///< left out when deterministic
  std::size_t facts = 0;        ///< ground facts that the solver was given
  std::size_t rounds = 0;       ///< questions until the answer
  std::string rechecked;        ///< the second solver that agrees; empty: none was asked, or it gave no answer
  std::vector<ProofUse> uses;   ///< every derived fact, projection, lemma or claim that it was given
  std::string query;            ///< SMT-LIB 2, unsatisfiable; empty unless asked for, or if no solver was needed
  bool cached = false;          ///< answered by an earlier run; left out when deterministic
  std::string unconfirmed;      ///< why the second solver gave no answer; empty: none was asked, or it agrees
};

/// A fact that the prover found and proved by itself.
struct DerivedInvariant {
  std::string kind;       ///< "state", "monotone", "projection", "ownership", "lemma", kDelivery, kLearned
  std::string statement;  ///< a formula of the protocol language, unless of kind kDelivery
};

/// What became of one property.
struct ProofClaim {
  std::string property;
  bool proved = false;
  std::string reason;  ///< of one that is not proved
  /// An execution that nothing known rules out, line by line; it need not exist.
  std::vector<std::string> open_execution;
  std::vector<std::string> rests_on;  ///< other properties that its proof used, directly or not
};

struct Proof {
  std::vector<ProofClaim> claims;  ///< in source order; those that the explorer violated were not tried
  std::vector<DerivedInvariant> invariants;
  std::vector<ProofObligation> obligations;
  std::vector<std::string> impossible;   ///< steps (as variants name them) that no run ever takes
  std::vector<std::string> unreachable;  ///< `reachable` properties that no run ever reaches
  bool well_defined = false;             ///< every step was shown never to read what is not there
  std::string reason;                    ///< why nothing could be proved, if so
  /// What the solvers were given most often: where the facts come from, and how
  /// many there were over all obligations.
  std::vector<std::pair<std::string, std::size_t>> frequent_facts;
  std::vector<std::string> disagreements;  ///< of solvers: each obligation concerned counts as open
  double seconds = 0;                      ///< left out when deterministic
  bool cached = false;                     ///< found by an earlier run; left out when deterministic

  [[nodiscard]] std::size_t proved() const;
  [[nodiscard]] std::size_t discharged() const;
  /// Of the discharged ones: confirmed by the second solver, and such that no solver was needed.
  [[nodiscard]] std::size_t rechecked() const;
  [[nodiscard]] std::size_t syntactic() const;
  /// Of the discharged ones that a solver was needed for: answered by an earlier run.
  [[nodiscard]] std::size_t from_cache() const;
};

/// Derived invariants of one kind.
struct InvariantGroup {
  std::string kind;
  std::string title;                    ///< what facts of this kind say, as a heading
  std::vector<std::string> statements;  ///< in the order in which they were derived
};
/// Grouped by kind, from what a single host keeps to what relates several.
[[nodiscard]] std::vector<InvariantGroup> grouped(const std::vector<DerivedInvariant>& invariants);

/// The solvers that discharged obligations, each once, without their options: "Z3".
[[nodiscard]] std::vector<std::string> solvers(const Proof& proof);

}  // namespace tenet::result
