/// The theory of one protocol's executions, unfolded lazily.
///
/// Time is 0..last; exactly one event happens between t and t+1. Kind, actor,
/// arguments and received message of an event are functions of time, and so
/// are the variables of each host, so that two facts that name the same time
/// name the same step. Nothing here is quantified: every call that names a new
/// term appends the ground facts that hold of it.
///
/// Facts come with a reason. All of them are instances of five principles,
/// each true of every execution (docs/proving.md):
///   start        at time 0 the initialisers hold
///   step         an event changes its actor by its guard and effects, and no one else
///   last change  a value at time i is either unchanged since 0 or was produced by a last event before i
///   first send   a message that can be received was first sent by an event before
///   counting     two subsets of a role whose sizes add up to more than the role share a host
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "logic.h"
#include "sym.h"
#include "tenet/ir/footprint.h"
#include "tenet/ir/protocol.h"

namespace tenet::provenance {

enum class Principle { start, step, last_change, first_send, counting, type, extension, derived, hypothesis, goal };

[[nodiscard]] std::string name_of(Principle principle);

/// What a fact is about that only says what a literal assumes.
inline constexpr const char* kQuiet = "quiet";

/// A ground fact and why it holds.
struct Fact {
  smt::Term term;
  Principle principle = Principle::goal;
  std::string about;             ///< "Leader.promised", "Promise", the name of a derived fact …
  smt::Term atom;                ///< of an instance of a quantified formula: the atom of that …
  std::vector<SymPtr> instance;  ///< … and the values
};

/// What an expression is evaluated in.
struct Scope {
  smt::Term time;
  smt::Term old_time;  ///< for `old`; invalid: `old` does not occur
  SymPtr self;         ///< null outside steps
  std::map<ir::LocalId, SymPtr> locals;
  std::map<ir::VarId, SymPtr> written;  ///< variables of self that the running step has assigned
};

/// A part of a variable that changes as one: the variable itself, or, below a
/// set, map or function, the value at one key.
struct Cell {
  ir::VarId var;
  std::size_t layer = 0;
  smt::Term host;
  std::vector<smt::Term> keys;
  smt::Term time;
};

/// A cell that some fact speaks of.
struct Read {
  Cell cell;
  SymPtr value;  ///< scalars only; collections below it are cells of their own
  int generation = 0;
  smt::Term quiet;                  ///< literal: it is what it was at the start
  bool explained = false;           ///< the last-change fact has been added
  smt::Term changed_at;             ///< when explained: time of the last change, -1 if unchanged since the start
  std::size_t after = kNone;        ///< the event that ends at this time
  std::vector<ir::StepId> effects;  ///< steps whose effect on it has been added
  bool framed = false;
  bool at_start = false;  ///< compared with the start
  bool spoken = false;    ///< some fact speaks of it

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

/// A message that some fact speaks of.
struct Letter {
  ir::MessageId message;
  ir::RoleId sender_role, addressee_role;
  smt::Term sender, addressee;
  std::vector<SymPtr> args;
  smt::Term sent_at;  ///< time of the first send; outside 0..last-1 if never
  int generation = 0;
  smt::Term quiet;  ///< literal: it was never sent
  bool explained = false;
  std::vector<ir::StepId> sites;  ///< steps whose send sites have been added
};

/// A named event: something happens between `time` and `time`+1.
struct Event {
  smt::Term time;
  int generation = 0;
  std::vector<ir::StepId> considered;  ///< steps whose guard has been added
  bool asked = false;                  ///< some fact claims that it happened, so what it was matters
  ir::RoleId role;                     ///< valid: if a host of this role acts, it is …
  smt::Term who;                       ///< … this one
};

/// A message that must have been sent for an instance to matter: where its
/// arguments are bound.
struct SentPattern {
  static constexpr std::size_t kFixed = static_cast<std::size_t>(-1);
  ir::MessageId message;
  std::vector<std::size_t> args;  ///< which bound variable each argument is, or kFixed
  std::size_t sender = kFixed, addressee = kFixed;
};

/// A value that must be known for an instance to matter: where its host and its keys are bound.
struct ReadPattern {
  ir::VarId var;
  std::size_t host = SentPattern::kFixed;
  std::vector<std::size_t> keys;
};

/// What an instance follows from.
struct Premises {
  std::vector<SentPattern> sent;
  std::vector<ReadPattern> reads;
  smt::Term time;  ///< of the reads
};

/// `atom` says whether the quantified formula holds.
struct Quantified {
  smt::Term atom;
  bool universal = true;
  std::vector<ir::TypeId> types;
  std::function<smt::Term(const std::vector<SymPtr>&)> body;
  Premises premises;
  std::string about;
  int generation = 0;
  bool witnessed = false;          ///< the (counter-)example has been named
  std::vector<smt::Term> witness;  ///< … by these constants
  std::set<std::vector<std::uint32_t>> instances;
  std::map<std::vector<std::uint32_t>, smt::Term> bodies;  ///< looked at so far: a body may name things when it is made
};

/// Two collections compared at every key.
struct Comparison {
  smt::Term atom;
  smt::Term about;      ///< it matters when some fact speaks of this
  bool sized = false;   ///< the sizes have been compared
  bool late = false;    ///< in what they differ matters only when nothing else does
  bool subset = false;  ///< left within right; otherwise equal
  SymPtr left, right;
  ir::TypeId key;
  int generation = 0;
  bool witnessed = false;
  std::vector<smt::Term> witness;
  std::set<std::vector<std::uint32_t>> instances;
};

/// A set whose size is spoken of.
struct Counted {
  SymPtr set;
  smt::Term size;
  ir::TypeId element;
  ir::RoleId role;           ///< of the elements; invalid if they are not hosts
  std::optional<Cell> cell;  ///< of a set in a variable: which
  std::size_t after = Read::kNone;
  std::vector<ir::StepId> effects;
  bool framed = false;
  bool at_start = false;
  std::set<std::uint32_t> met;      ///< other sets with which a common member has been named
  std::set<std::uint32_t> members;  ///< hosts that are in it if it is full
  int generation = 0;
};

/// The values of a function added up.
struct Sum {
  smt::Term total;
  SymPtr values;
};

/// A constant of each host that is distinct across the hosts.
struct UniqueValue {
  ir::ConstId constant;
  smt::Term host, value;
};

class Execution {
 public:
  /// `protocol` and `logic` must outlive it. Only the type table is added to.
  Execution(ir::Protocol& protocol, Logic& logic);

  // --- evaluating ------------------------------------------------------------
  /// The last time of the run; `before_last` is -1 if nothing has happened.
  [[nodiscard]] smt::Term last() const { return last_; }
  [[nodiscard]] smt::Term before_last() const { return before_last_; }
  [[nodiscard]] smt::Term start() const { return zero_; }
  SymPtr eval(ir::ExprId expr, const Scope& scope);
  /// The value of a formula in which what is not there is some value or other.
  smt::Term holds(ir::ExprId formula, const Scope& scope) { return eval(formula, scope)->term; }
  /// That all an expression reads is there, whatever its quantifiers range over.
  smt::Term defined(ir::ExprId expr, const Scope& scope);
  smt::Term holds_and_defined(ir::ExprId formula, const Scope& scope);
  /// Whether there is a state in which the expression has no value.
  bool may_be_undefined(ir::ExprId expr);
  smt::Term equal(const SymPtr& a, const SymPtr& b);
  /// Of values with an order.
  smt::Term less(const SymPtr& a, const SymPtr& b);
  /// An arbitrary value of a type; the constants that it is made of are added to `made`.
  SymPtr arbitrary(ir::TypeId type, const std::string& name, std::vector<smt::Term>* made = nullptr);
  /// A value made of variables, which are added to `variables`; what its type says of it is a fact like any other.
  SymPtr of_variables(ir::TypeId type, std::vector<smt::Term>& variables);
  SymPtr host(ir::RoleId role, smt::Term term);
  /// An atom that says whether `body` holds of all (of some) values.
  smt::Term quantify(bool universal, std::vector<ir::TypeId> types,
                     std::function<smt::Term(const std::vector<SymPtr>&)> body, std::string about,
                     Premises premises = {});

  /// Sent at or after 0 and before `time`.
  smt::Term in_network(smt::Term sent_at, smt::Term time);
  /// The messages without which `body` cannot be true (or, if `negative`, false), and the values that this depends on.
  Premises premises_of(ir::ExprId body, const std::vector<ir::LocalId>& binders, bool negative, smt::Term time);
  /// That something happens at `time`. Names like "the last change" also
  /// stand for times outside the run, of which nothing may be said.
  smt::Term real(smt::Term time) { return in_network(time, last_); }

  // --- events ----------------------------------------------------------------
  std::size_t event(smt::Term time);
  std::size_t event_of(smt::Term time, ir::RoleId role, smt::Term who);
  /// The host that takes `step` if it happens at `event`.
  smt::Term self_of(std::size_t event, ir::StepId step);
  /// That it does happen.
  smt::Term happens(std::size_t event, ir::StepId step);
  void consider(std::size_t event, ir::StepId step);
  smt::Term kind(smt::Term time);
  smt::Term is_step(smt::Term time, ir::StepId step);
  smt::Term actor(ir::RoleId role, smt::Term time);
  /// What must hold for the reads of a step to be defined, each under the
  /// conditions on the way to it.
  struct Demand {
    ir::ExprId where;
    smt::Term condition;  ///< path implies defined
  };
  struct Sent {
    ir::MessageId message;
    smt::Term path;
    SymPtr target;  ///< a host or a set of hosts
    ir::RoleId target_role;
    ir::StmtId stmt;
    Scope scope;  ///< at the send
  };
  /// One step at one event, run symbolically.
  struct Running {
    std::vector<smt::Term> guard;  ///< received, conjuncts, choices
    std::map<ir::VarId, SymPtr> written;
    std::vector<Sent> sends;
    std::vector<Demand> demands;
    int choices = 0;  ///< numbered in the order of the text
  };
  const Running& run(std::size_t event, ir::StepId step);

  // --- the principles, applied to what has been named ------------------------
  void explain_read(std::size_t index);
  void explain_letter(std::size_t index);
  void add_effect(std::size_t read, ir::StepId step);
  /// What `step`, if it happens at `event`, makes of a cell of its actor.
  SymPtr value_after(std::size_t event, ir::StepId step, const Cell& cell);
  /// The same as a guess that names nothing: where the value before the event
  /// has no name yet, `unless_named` stands for it.
  struct Change {
    SymPtr before, after;
  };
  Change probe(std::size_t event, ir::StepId step, const Cell& cell, const SymPtr& unless_named);
  void add_frame(std::size_t read);
  void add_start(std::size_t read);
  /// If the message was first sent by `step` at `event`, then at one of its send sites.
  void add_sites(std::size_t letter, ir::StepId step, std::size_t event);
  /// What `step`, if it happens at `event`, sends to `host`, has been sent.
  void add_sends(std::size_t event, ir::StepId step, ir::MessageId message, smt::Term host);
  void add_held(std::size_t explained, std::size_t other);
  void add_size_effect(std::size_t counted, ir::StepId step);
  void add_size_frame(std::size_t counted);
  void add_size_start(std::size_t counted);
  void add_common_member(std::size_t a, std::size_t b);
  void add_full(std::size_t a, smt::Term host);
  void add_some_member(std::size_t a);
  void add_not_empty(std::size_t a, const SymPtr& member);
  void add_witness(Quantified& quantified);
  void add_instance(std::size_t quantified, const std::vector<SymPtr>& values);
  void add_witness(Comparison& comparison);
  void add_instance(std::size_t comparison_index, const SymPtr& key);
  smt::Term difference(const Comparison& comparison, const SymPtr& key);
  /// What a comparison of sets says of their sizes; invalid if they have none to speak of.
  smt::Term compare_sizes(const Comparison& comparison);
  void add_sizes(std::size_t comparison_index);
  /// Whether the term stands for a collection.
  [[nodiscard]] bool is_token(smt::Term term) const { return token_sorts_.count(term.sort().id()) != 0; }
  [[nodiscard]] bool carries_collection(const Letter& letter) {
    std::vector<smt::Term> terms;
    for (const SymPtr& arg : letter.args) flatten(arg, terms);
    return std::any_of(terms.begin(), terms.end(), [this](smt::Term term) { return is_token(term); });
  }
  /// Whether these are the same values matters.
  void add_twins(const std::vector<SymPtr>& left, const std::vector<SymPtr>& right);
  void add_unique(const UniqueValue& a, const UniqueValue& b);
  /// Gives a read or a letter its `quiet` literal.
  void quieten_read(std::size_t index);
  void quieten_letter(std::size_t index);
  /// The read of `cell` (named now if it was not).
  std::size_t touch(const Cell& cell);

  // --- what has been named so far --------------------------------------------
  // Deques: naming more while looking at one must not move it.
  std::deque<Fact> facts;
  std::deque<Read> reads;
  std::deque<Letter> letters;
  std::deque<Event> events;
  std::deque<Quantified> quantified;
  std::deque<Comparison> comparisons;
  std::deque<Counted> counted;
  std::deque<UniqueValue> uniques;
  std::deque<Sum> sums;
  /// Named values of a type, for instantiation: scalars as named, structs and
  /// options as tuples that occur.
  struct Named {
    SymPtr value;
    int generation = 0;
  };
  [[nodiscard]] const std::vector<Named>& named(ir::TypeId type) const;

  void add(smt::Term term, Principle principle, std::string about);
  /// Whether some fact speaks of the term. What has only been looked at to see
  /// whether a model breaks it has no consequences.
  [[nodiscard]] bool spoken(smt::Term term) const { return spoken_.count(term.id()) != 0; }
  [[nodiscard]] bool spoken(const SymPtr& value);
  /// Whether it is the time of some message's first send.
  [[nodiscard]] bool is_sending(smt::Term term) const { return sendings_.count(term.id()) != 0; }
  [[nodiscard]] const std::vector<smt::Term>& spoken_applications() const { return spoken_applications_; }
  [[nodiscard]] bool spoken(Read& read);
  /// Whether facts speak of everything that the value of a formula depends on.
  [[nodiscard]] bool settled(smt::Term formula) const;
  int generation = 0;  ///< of what is named from now on
  [[nodiscard]] const ir::Protocol& protocol() const { return *protocol_; }
  [[nodiscard]] ir::TypeTable& protocol_types() { return protocol_->types; }
  Logic& logic() { return *logic_; }
  [[nodiscard]] bool writes(ir::StepId step, ir::VarId var) const {
    return changes_[step.index()].variables.contains(var);
  }
  [[nodiscard]] bool sends(ir::StepId step, ir::MessageId message) const {
    return sent_[step.index()].contains(message);
  }
  /// "" or the first construct met that has no meaning here yet.
  [[nodiscard]] const std::string& unsupported() const { return unsupported_; }
  std::string describe(const Cell& cell) const;
  /// All scalars of a value in order, payloads of none replaced by a fixed
  /// value so that equal values have equal terms.
  void flatten(const SymPtr& value, std::vector<smt::Term>& out);
  SymPtr unflatten(ir::TypeId type, const std::vector<smt::Term>& terms, std::size_t& at);
  /// Equality of the scalars only: collections below are cells of their own.
  smt::Term same_scalars(const SymPtr& a, const SymPtr& b);
  /// The types of the keys of a cell.
  [[nodiscard]] const std::vector<ir::TypeId>& key_types(const Cell& cell) const {
    return layouts_.at(cell.var)[cell.layer].keys;
  }
  [[nodiscard]] smt::Term size_of_role(ir::RoleId role) { return role_size(role); }

 private:
  struct Selector {
    enum class Kind { payload, field, key } kind;
    std::size_t index = 0;
  };
  struct Layer {
    std::string name;
    std::vector<Selector> path;
    std::vector<ir::TypeId> keys;
    ir::TypeId type;
  };

  void lay_out(ir::VarId var, ir::TypeId type, const std::string& name, const std::vector<Selector>& path,
               const std::vector<ir::TypeId>& keys);
  ir::TypeId result_type(const ir::Type& collection);
  std::size_t layer_named(ir::VarId var, const std::string& name) const;
  SymPtr build(const Cell& cell, ir::TypeId type, const std::string& name);
  void speak(smt::Term term);
  bool mentions(const SymPtr& value) const;
  SymPtr value_of(const Cell& cell);
  std::vector<std::uint32_t> key_of(const Cell& cell) const;
  SymPtr read_variable(ir::VarId var, smt::Term host, smt::Term time);
  SymPtr descend(const SymPtr& variable, const Cell& cell);
  void name_scalar(ir::TypeId type, smt::Term term);
  void name_tuple(const SymPtr& value);
  SymPtr scalar(ir::TypeId type, smt::Term term);
  SymPtr boolean(smt::Term term);
  SymPtr option(ir::TypeId type, smt::Term is_some, SymPtr payload);
  SymPtr structure(ir::TypeId type, std::vector<SymPtr> fields);
  SymPtr collection(ir::TypeId type, Collection::Shape shape, std::function<SymPtr(const SymPtr&)> apply,
                    std::function<smt::Term()> cardinality = {}, std::function<smt::Term()> name = {});
  smt::Sort token_sort(ir::TypeId type);
  SymPtr of_token(ir::TypeId type, smt::Term token);
  smt::Term token_of(const SymPtr& value);
  SymPtr pick(smt::Term condition, const SymPtr& a, const SymPtr& b);
  SymPtr default_value(ir::TypeId type);
  smt::Term eval_term(ir::ExprId expr, const Scope& scope) { return eval(expr, scope)->term; }
  SymPtr eval_logic(const ir::Expr& node, const Scope& scope);
  SymPtr eval_sum(ir::ExprId id, const ir::Expr& node, const Scope& scope);
  SymPtr sum_over(ir::TypeId type, ir::ExprId body, const std::vector<ir::LocalId>& binders, std::size_t next,
                  const Scope& scope);
  [[nodiscard]] bool always_finite(ir::TypeId type) const;
  [[nodiscard]] bool mentions_local(ir::ExprId id, ir::LocalId local) const;
  SymPtr eval_arithmetic(ir::ExprId id, const ir::Expr& node, const Scope& scope);
  SymPtr eval_set(ir::ExprId id, const ir::Expr& node, const Scope& scope);
  SymPtr eval_map(ir::ExprId id, const ir::Expr& node, const Scope& scope);
  SymPtr eval_quantified(ir::ExprId id, const ir::Expr& node, const Scope& scope, bool body_defined);
  SymPtr eval_constant(const ir::Expr& node, const Scope& scope);
  smt::Term eval_sent(const ir::Expr& node, const Scope& scope);
  smt::Term ring_position(ir::ConstId ring, ir::RoleId role, smt::Term host);
  smt::Term ring_distance(ir::ConstId ring, ir::RoleId role, smt::Term from, smt::Term to);
  SymPtr ring_next(ir::ConstId ring, ir::RoleId role, smt::Term of);
  SymPtr constant_value(ir::TypeId type, const std::string& name, const std::vector<smt::Term>& args);
  std::optional<std::vector<std::uint32_t>> key_of(ir::ExprId expr, const Scope& scope);
  SymPtr at(ir::ExprId body, const Scope& scope, ir::LocalId binder, const SymPtr& value);
  void demand_all(ir::ExprId where, ir::ExprId body, const std::vector<ir::LocalId>& binders, const SymPtr& domain,
                  const Scope& scope);
  void demand_all(ir::ExprId where, std::vector<ir::TypeId> types,
                  std::function<smt::Term(const std::vector<SymPtr>&)> condition);

  smt::Term compare_collections(const SymPtr& a, const SymPtr& b, bool subset);
  smt::Term size_of(const SymPtr& set);
  SymPtr set_at(const SymPtr& variable, const Cell& cell);
  smt::Term untouched(const Cell& cell, smt::Term time);
  smt::Term count(const SymPtr& set, smt::Term size, std::optional<Cell> cell);
  smt::Term role_size(ir::RoleId role);
  smt::Term letter(ir::MessageId message, ir::RoleId from, ir::RoleId to, smt::Term sender, smt::Term addressee,
                   const std::vector<SymPtr>& args);
  std::vector<ir::RoleId> sender_roles(ir::MessageId message) const;
  std::vector<ir::RoleId> addressee_roles(ir::MessageId message) const;
  void run_block(const std::vector<ir::StmtId>& block, Scope& scope, std::size_t event, ir::StepId step, Running& out);
  using Maker = std::function<smt::Term(const std::string& name, smt::Sort sort)>;
  SymPtr made_of(ir::TypeId type, const std::string& name, const Maker& make);
  SymPtr argument(ir::TypeId type, const std::string& name, smt::Term time);
  void demand(ir::ExprId where, smt::Term condition);
  void demand_arguments(const Sent& sent);
  smt::Term path_condition();
  void refuse(const std::string& construct);
  smt::Term fresh(const std::string& name, smt::Sort sort);

  ir::Protocol* protocol_;
  Logic* logic_;
  smt::Term zero_, last_, before_last_;
  std::string unsupported_;
  std::map<std::vector<std::uint32_t>, std::size_t> read_index_, letter_index_, quantified_index_, counted_index_;
  std::map<std::uint32_t, std::size_t> event_index_, after_index_;
  std::map<std::pair<std::size_t, ir::StepId>, Running> running_;
  std::map<ir::TypeId, std::vector<Named>> named_;
  std::map<ir::TypeId, std::set<std::vector<std::uint32_t>>> named_seen_;
  std::vector<ir::Footprint> changes_;         ///< by step
  std::vector<std::set<ir::MessageId>> sent_;  ///< by step
  std::map<ir::VarId, std::vector<Layer>> layouts_;
  std::map<ir::RoleId, smt::Term> singles_, role_sizes_;
  std::set<std::uint32_t> typed_;
  std::set<std::uint32_t> token_sorts_;
  std::set<std::uint32_t> summed_;
  std::set<std::uint32_t> tokens_;                              ///< whose elements have been defined
  std::set<std::pair<std::uint32_t, std::uint32_t>> compared_;  ///< tokens
  std::unordered_set<std::uint32_t> sendings_;                  ///< times of first sends
  std::vector<smt::Term> spoken_applications_;                  ///< with arguments
  std::unordered_set<std::uint32_t> spoken_;                    ///< terms that facts speak of
  std::vector<Demand>* demands_ =
      nullptr;  ///< where to put what must hold for a value to be defined; null: nobody asks
  std::map<ir::ExprId, bool> may_be_undefined_;
  std::map<std::vector<std::uint32_t>, smt::Term> all_defined_;  ///< the bodies of a binder, in a scope
  std::optional<std::pair<Cell, SymPtr>> probing_;  ///< nothing is named; this is what the cell is taken to be
  std::vector<smt::Term> path_;
};

}  // namespace tenet::provenance
