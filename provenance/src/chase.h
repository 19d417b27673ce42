/// The chase: names what a violation would need, until it is contradictory.
///
/// All facts are ground. A solver proposes a model of those named so far; the
/// chase looks for principles and derived facts that this model breaks, adds
/// just those, and asks again. What has no cause yet is assumed to be quiet: a
/// value is what it was at the start, a message was never sent. When that is
/// contradictory, the values and messages in the solver's core are given a
/// cause (explain_read, explain_letter), and no others. The search goes one
/// cause further back at a time: what was named by more causes than the depth
/// may be anything until then. A contradiction that needs no quiet assumption:
/// nothing has the property asked for. A model in which nothing is broken: a
/// candidate execution.
///
/// Looking whether a model breaks something names terms that no fact speaks of.
/// These have no consequences, or the search would drown in them; before a model
/// counts as a candidate, `settle` makes facts speak of what instances depend on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "execution.h"
#include "tenet/base/stop.h"
#include "tenet/smt/solver.h"

namespace tenet::provenance {

/// A fact about one host that has been proved by induction over its steps:
/// about one state, or (with `old`) about any two states in order of time.
struct DerivedFact {
  std::string name;
  ir::RoleId role;
  ir::LocalId host;    ///< the host that it speaks of
  ir::ExprId formula;  ///< over `host` and `keys`; `old` for the earlier state
  bool two_state = false;
  ir::VarId focus;  ///< whose values it is about: instances are made where these differ
  /// A set that only grows: its size does too.
  bool set_grows = false;
  /// Bound to the keys of the focus' cell, in order.
  std::vector<ir::LocalId> keys;
};

/// Something assumed at certain times: an induction hypothesis (before the
/// last time), or a claim that has been proved (always).
struct Hypothesis {
  std::string name;
  ir::ExprId formula;  ///< closed
  bool only_before_last = false;
};

/// How one question is pursued. Less at hand and smaller limits prove less,
/// never more.
struct Strategy {
  int generations = 8;
  std::size_t rounds = 200;
  std::size_t facts = 6000;
  bool one_state = false;   ///< only what is known of the last state; nothing has causes
  bool one_step = false;    ///< only the last event is looked at; nothing has causes before it
  bool forward = false;     ///< only what follows at once, the nearest to the goal first
  bool senders = false;     ///< … also of the states in which messages were sent
  bool state_facts = true;  ///< use derived facts about one state
  bool hypotheses = false;  ///< use them at the last two times …
  bool at_events = false;   ///< … and at the times of events
  std::uint32_t seed = 0;   ///< added to that of the solver
};

enum class ChaseEnd {
  contradiction,
  open,       ///< a candidate execution
  saturated,  ///< nothing more follows at once
  limit,
  unknown,
  unsupported
};

class Chase {
 public:
  Chase(Execution& execution, smt::Solver& solver, const std::vector<DerivedFact>& facts,
        const std::vector<Hypothesis>& hypotheses, Strategy strategy);

  /// Runs until one of the ends.
  ChaseEnd run();

  /// Explain values and messages at all? Off for questions about one step.
  bool explain = true;
  /// Polled once a round; none: nothing stops it. Must outlive the chase.
  const StopFlag* stop = nullptr;
  /// Derived facts about one state are used up to this time (the last).
  smt::Term facts_until;

  [[nodiscard]] const std::string& reason() const { return reason_; }
  /// Whether it would end like this again: nothing but counted limits stopped it.
  [[nodiscard]] bool repeats() const { return repeats_; }
  [[nodiscard]] std::size_t rounds() const { return rounds_; }
  /// Which hypotheses some fact comes from, and whether they were only taken
  /// to hold before the last time.
  [[nodiscard]] const std::set<std::pair<std::string, bool>>& hypotheses_used() const { return hypotheses_used_; }
  /// The model's values, after `open` or `limit`.
  [[nodiscard]] std::string text(smt::Term term) { return value(term).text; }
  [[nodiscard]] bool is_true(smt::Term term) { return value(term).boolean; }
  [[nodiscard]] std::int64_t number(smt::Term term);
  [[nodiscard]] bool same(smt::Term a, smt::Term b) { return a == b || value(a).text == value(b).text; }

 private:
  /// First elements of the keys of `done_`, one per use.
  enum class Mark : std::uint32_t {
    held,
    touched,
    unique,
    one_state,
    two_states,
    size_grows,
    hypothesis,
    twins,
    member,
    sends,
    sums
  };
  static std::uint32_t mark(Mark m) { return static_cast<std::uint32_t>(m); }
  static std::uint32_t small(std::size_t index) { return static_cast<std::uint32_t>(index); }

  const smt::Value& value(smt::Term term);
  void assert_new_facts();
  bool live(const Event& event);
  std::optional<ir::StepId> step_of(const Event& event);
  bool acts(const Event& event, ir::StepId step, smt::Term host);

  // Each adds what the model breaks and says whether there was anything.
  bool repair();
  bool repair_events();
  bool repair_effects();
  bool repair_letters();
  bool repair_differences();
  bool repair_equals(ir::TypeId type, const Execution::Named& key);
  bool repair_twins();
  bool repair_sums();
  bool repair_sends();
  bool repair_starts();
  bool repair_held();
  bool repair_quantified();
  bool repair_comparisons();
  bool repair_counting();
  bool repair_meetings();
  bool repair_members();
  std::string owner(const Counted& counted);
  bool repair_unique();
  bool repair_derived();
  bool repair_growth(const DerivedFact& fact);
  bool repair_aliases();
  bool repair_hypotheses(bool at_events);
  bool explain_conflicts();
  std::vector<smt::Term> quiet_assumptions();
  [[nodiscard]] int cost(const Read& read) const;
  bool deepen();
  bool explain_senders();
  bool known(smt::Term term);
  bool truth_known(smt::Term term);
  bool leads_on(smt::Term term);
  int open_parts(smt::Term term, bool wanted);
  std::string application_key(smt::Term term);
  bool too_far(int generation);
  [[nodiscard]] int of_witness(int generation) const { return strategy_.forward ? generation + 1 : generation; }
  bool settle();
  std::vector<smt::Term> smaller_core(std::vector<smt::Term> core);
  bool explain_core(const std::vector<smt::Term>& core);
  struct Tuple {
    std::vector<SymPtr> values;
    int generation = 0;
  };
  struct Instance {
    std::size_t formula;
    Tuple tuple;
  };
  static void keep_nearest(std::vector<Instance>& instances);
  bool add_instances(const std::vector<Instance>& instances);
  /// What some of the bound variables stand for.
  struct Row {
    std::vector<std::pair<std::size_t, SymPtr>> values;
    int generation = 0;
  };
  std::vector<Tuple> tuples_for(const Quantified& formula, bool follows);
  std::vector<Row> rows_of(const Quantified& formula, const SentPattern& pattern);
  std::vector<Row> rows_of(const Quantified& formula, const ReadPattern& pattern);
  std::string value_of(const SymPtr& sym);
  smt::Term body_at(std::size_t quantified, const Tuple& tuple);
  bool has_witness(std::size_t quantified);
  std::vector<Execution::Named> candidates(ir::TypeId type);
  std::vector<std::uint32_t> ids(const std::vector<SymPtr>& values);
  /// One cell's reads in order of time: (time in the model, read).
  using Timeline = std::vector<std::pair<std::int64_t, std::size_t>>;
  using Timelines = std::vector<Timeline>;
  const Timelines& timelines();

  Execution& x_;
  smt::Solver& solver_;
  const std::vector<DerivedFact>& facts_;
  const std::vector<Hypothesis>& hypotheses_;
  Strategy strategy_;
  std::size_t asserted_ = 0;
  std::size_t rounds_ = 0;
  std::size_t differences_ = 0;  ///< named because nothing else was left
  std::optional<int> nearest_;   ///< of what was too far in this round
  int depth_ = 1;  ///< what is named by fewer causes than this is assumed to be quiet; the rest may be anything
  std::string reason_;
  bool repeats_ = true;
  std::set<std::pair<std::string, bool>> hypotheses_used_;
  std::unordered_map<std::uint32_t, smt::Value> values_;       ///< of the last model
  std::unordered_map<std::string, smt::Term> applications_;    ///< of which function to which values: the one asked for
  std::unordered_map<std::uint32_t, bool> known_;              ///< terms, in the last model
  std::optional<std::set<std::string>> spoken_applications_;   ///< in the last model
  std::optional<Timelines> timelines_;                         ///< in the last model
  std::map<std::pair<std::string, std::string>, int> met_;     ///< owners of sets with a common member: at what depth
  std::map<std::vector<std::uint32_t>, smt::Term> instances_;  ///< of derived facts, looked at so far
  std::set<std::vector<std::uint32_t>> done_;  ///< instances of derived facts, aliases, held facts, hypotheses
};

}  // namespace tenet::provenance
