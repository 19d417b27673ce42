/// Proving a protocol safe for any number of hosts and any history, without
/// hand-written invariants.
///
/// ```
/// tenet::provenance::Proof proof = tenet::provenance::prove(protocol, {});
/// for (const auto& claim : proof.claims) …
/// ```
/// How and why it is sound: docs/proving.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tenet/base/stop.h"
#include "tenet/ir/protocol.h"

namespace tenet::provenance {

/// Answers of earlier runs to questions, by all that they depend on.
class AnswerStore {
 public:
  AnswerStore() = default;
  AnswerStore(const AnswerStore&) = delete;
  AnswerStore& operator=(const AnswerStore&) = delete;
  virtual ~AnswerStore() = default;

  /// What was kept under exactly this question, bit for bit, or nothing.
  [[nodiscard]] virtual std::optional<std::string> find(const std::string& question) = 0;
  virtual void keep(const std::string& question, const std::string& answer) = 0;
};

struct ProveOptions {
  std::vector<ir::PropertyId> properties;  ///< to prove; empty: all safety, transition and lemma claims
  /// Not asked for, but may be proved on the way where that helps: the answer
  /// to a property is then the same whatever else is asked for.
  std::vector<ir::PropertyId> helpers;
  std::vector<ir::StepId> steps;              ///< to show that they can never happen
  std::vector<ir::PropertyId> reachables;     ///< to show that no run ever reaches them
  int generations = 12;                       ///< longest chain of causes that is followed
  std::uint64_t resource_limit = 50'000'000;  ///< of one solver check, in the solver's unit
  std::uint32_t seed = 0;
  std::uint64_t memory_mb = 2048;  ///< of the solver in this process
  bool recheck = false;  ///< every contradiction is also put to cvc5; if that finds a model, nothing is proved by it
  bool keep_queries = false;       ///< fill in `Obligation::query`
  AnswerStore* answers = nullptr;  ///< not owned; null: every question is put to the solver. Not used with keep_queries
  const StopFlag* stop = nullptr;
  std::function<void(const std::string&)> progress;      ///< what is being done
  std::function<void(const std::string&)> disagreement;  ///< of the solvers, on what: one of them is wrong
};

/// Something taken for granted in a question. `earlier`: only of times before
/// the one in question, which is how an induction may use what it proves.
struct Use {
  std::string statement;
  bool earlier = false;
  friend auto operator<=>(const Use&, const Use&) = default;
};

/// One question put to a solver, and its answer.
struct Obligation {
  std::string kind;       ///< "derived fact", "well-defined", "property", "lemma", …
  std::string statement;  ///< in the language's own words
  std::string part;       ///< "at the start", "step propose", "transitive" …
  bool discharged = false;
  std::string solver;
  std::uint64_t resources = 0;
  double seconds = 0;
  std::size_t facts = 0;    ///< ground facts given to the solver
  std::size_t rounds = 0;   ///< questions until the answer
  std::string rechecked;    ///< the second solver that agrees; empty: none was asked, or it gave no answer
  std::string unconfirmed;  ///< why the second solver gave no answer; empty: none was asked, or it agrees
  std::string query;  ///< SMT-LIB 2, unsatisfiable if discharged; empty unless asked for, or if no solver was needed
  /// Where the facts come from (a principle and what it was about), how often.
  std::map<std::string, std::size_t> sources;
  std::vector<Use> uses;    ///< every derived fact, projection, lemma or claim that it was given
  bool from_store = false;  ///< the answer is that of an earlier run
};

/// A fact that was found and proved.
struct DerivedInvariant {
  /// "state", "monotone", "projection", "ownership" or "lemma". "delivery": any of these, but it speaks of how often
  /// what is delivered at most once was sent and received, and is no formula of the language.
  std::string kind;
  std::string statement;
};

enum class ClaimVerdict { proved, unknown, unsupported };

struct Claim {
  ir::PropertyId property;
  ClaimVerdict verdict = ClaimVerdict::unknown;
  std::string reason;  ///< of anything but proved
  /// Of an unknown: the execution that nothing known rules out, line by line,
  /// if the last search ended with one. It need not exist.
  std::vector<std::string> open_execution;
  std::vector<ir::PropertyId> rests_on;  ///< of a proved one: other properties that its proof used, directly or not
};

struct Proof {
  std::vector<Claim> claims;  ///< in source order, those asked for
  std::vector<DerivedInvariant> invariants;
  std::vector<Obligation> obligations;
  std::vector<ir::StepId> impossible;       ///< of `ProveOptions::steps`: those that no run ever takes
  std::vector<ir::PropertyId> unreachable;  ///< of `ProveOptions::reachables`: those that no run ever reaches
  bool well_defined = false;
  std::string reason;  ///< why nothing can be proved, if so (unsupported construct, stopped)
  double seconds = 0;
};

/// The solvers that would be asked: names, versions, and all settings that can change an answer.
[[nodiscard]] std::string solvers(const ProveOptions& options);

/// What is wrong with the order of a proof; empty: nothing. Each discharged
/// obligation may use at all times only what is shown before it in the list, and
/// before the time in question anything in the list: so there is no circle.
[[nodiscard]] std::string out_of_order(const std::vector<Obligation>& obligations);

[[nodiscard]] Proof prove(const ir::Protocol& protocol, const ProveOptions& options);

}  // namespace tenet::provenance
