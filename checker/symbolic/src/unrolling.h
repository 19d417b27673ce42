/// Runs of growing length as terms.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tenet/encode/encoder.h"
#include "tenet/encode/transition.h"

namespace tenet::symbolic {

using encode::Encoder;
using encode::Letter;
using encode::StatePtr;
using encode::SymPtr;
using encode::Term;

/// One way to go on from a state.
struct Branch {
  Term taken;
  encode::Transition transition;
};

/// States 0, 1, … of any run of one instance. Variables of a state are symbols
/// of their own, one for each host and (of collections with few keys) each key;
/// what is in the network is told by what was sent and received before, so that
/// no quantifier and no relation is needed for it. The encoder must outlive it.
class Unrolling {
 public:
  explicit Unrolling(Encoder& encoder);
  Unrolling(const Unrolling&) = delete;  // states refer to it
  Unrolling& operator=(const Unrolling&) = delete;

  /// To be asserted; a caller takes what is new since it looked last.
  std::vector<Term> facts;

  [[nodiscard]] std::size_t steps() const { return branches_.size(); }
  [[nodiscard]] const StatePtr& state(std::size_t at) const { return states_[at]; }
  /// What may happen in the last state. Nothing is asserted of it before `step`.
  [[nodiscard]] const std::vector<Branch>& next();
  /// What `next` returned last; nothing after `step`.
  [[nodiscard]] const std::vector<Branch>& upcoming() const { return next_; }
  /// One more state: exactly one branch of `next` is taken.
  void step();
  /// The branches that lead from state `at` to the one after it.
  [[nodiscard]] const std::vector<Branch>& taken_from(std::size_t at) const { return branches_[at]; }

  /// Numbers that a run chooses: constants, values at the start without an initialiser, parameters, choices.
  [[nodiscard]] const std::vector<Term>& inputs() const { return inputs_; }
  /// Numbers that are computed in it.
  [[nodiscard]] const std::vector<Term>& computed() const { return computed_; }

 private:
  using Cells = std::vector<std::vector<SymPtr>>;  ///< by variable, by host
  using Memo = std::unordered_map<std::string, Term>;
  void begin();
  StatePtr view(Cells cells, std::size_t at);
  SymPtr settle(const SymPtr& value, const std::string& name);
  void note(const SymPtr& value, std::vector<Term>& into);
  Cells after(const std::vector<Branch>& branches);
  void bound_copies(const Branch& branch, std::size_t at);
  Term sent(const Letter& letter, std::size_t at);
  Term copies(const Letter& letter, std::size_t at);
  std::string key_of(const Letter& letter);

  Encoder& e_;
  ir::Protocol& p_;
  std::vector<encode::Case> cases_;
  std::vector<StatePtr> states_;
  std::vector<Cells> cells_;                   ///< by state
  std::vector<std::vector<Branch>> branches_;  ///< by state that they lead from
  std::vector<Branch> next_;
  std::vector<Memo> sent_, copies_;  ///< by state
  std::vector<Term> inputs_, computed_;
};

}  // namespace tenet::symbolic
