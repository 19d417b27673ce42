/// The protocol's expressions as terms: for any number of hosts (quantifiers are
/// left to the solver), in one instance (quantifiers are written out, so that
/// the solver sees none), or for the hosts and values of an instance, but any
/// numbers (only quantifiers over numbers are left to the solver).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tenet/encode/sym.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/value.h"
#include "tenet/smt/query.h"
#include "tenet/smt/term_manager.h"

namespace tenet::encode {

using smt::Term;

/// What names mean at one place.
struct Scope {
  StatePtr now;
  StatePtr before;  ///< what `old` is about; null: there is no such state
  SymPtr self;
  std::map<ir::LocalId, SymPtr> locals;
  /// What the acting host has written in this step so far.
  std::map<ir::VarId, SymPtr> written;
};

/// Of an instance: whether numbers stay in its ranges.
enum class Numbers : std::uint8_t { in_range, any };

/// Not thread-safe; a thread has an encoder of its own.
///
/// Names made here contain a space or another character that no identifier of
/// a protocol has, unless they are those of the text.
class Encoder {
 public:
  /// `protocol` may gain expressions and types, and must outlive the encoder.
  /// With an instance (which must outlive it, too) roles and types are finite.
  explicit Encoder(ir::Protocol& protocol, const ir::Instance* instance = nullptr, Numbers numbers = Numbers::in_range);

  smt::TermManager terms;
  /// True of every protocol state: orders, rings, thresholds. Grows while
  /// something is encoded; a question needs all that are there when it is asked.
  std::vector<Term> background;

  [[nodiscard]] bool ground() const { return instance_ != nullptr; }
  /// Whether numbers stay in the ranges of an instance.
  [[nodiscard]] bool bounded() const { return ground() && numbers_ == Numbers::in_range; }
  /// Whether the values of the type can be written out: in an instance, all but those with numbers that may be any.
  [[nodiscard]] bool enumerable(ir::TypeId type) const;
  [[nodiscard]] const ir::Instance* instance() const { return instance_; }
  [[nodiscard]] ir::Protocol& protocol() { return p_; }
  /// What has no translation; empty: nothing so far. Terms made are then meaningless.
  [[nodiscard]] const std::string& refused() const { return refused_; }
  void refuse(const std::string& what);
  /// What was refused since, forgotten from now on: of a formula that is then not used.
  std::string take_refused() { return std::exchange(refused_, {}); }

  /// Whether a type of numbers is no more than an order here.
  [[nodiscard]] bool only_ordered(ir::TypeKind kind) const {
    return !arithmetic_ && (kind == ir::TypeKind::natural || kind == ir::TypeKind::integer);
  }

  // --- Values -------------------------------------------------------------------
  [[nodiscard]] smt::Sort sort(ir::TypeId type);
  SymPtr scalar(ir::TypeId type, Term term) const;
  SymPtr host(ir::RoleId role, Term term) { return scalar(p_.types.host(role), term); }
  /// The one host of a `single` role.
  SymPtr only(ir::RoleId role);
  SymPtr option(ir::TypeId type, Term some, SymPtr payload) const;
  using Support = decltype(Sym::support);
  SymPtr collection(ir::TypeId type, std::function<SymPtr(const SymPtr&)> apply, Support support = nullptr) const;
  /// Some value, always the same: what is behind a `none`.
  SymPtr default_value(ir::TypeId type);
  /// A value of an instance.
  SymPtr literal(ir::TypeId type, const ir::Value& value);
  /// A value that is a function `name` of `args`.
  SymPtr named(ir::TypeId type, const std::string& name, const std::vector<Term>& args);
  /// A new value of which nothing is known but its type.
  SymPtr arbitrary(ir::TypeId type, const std::string& name);
  Term equal(const SymPtr& a, const SymPtr& b);
  SymPtr pick(Term condition, const SymPtr& then, const SymPtr& otherwise);
  /// Scalars that tell values apart: equal values give equal terms.
  void flatten(const SymPtr& value, std::vector<Term>& out);
  /// What is true of every value of its type: numbers that are natural are not
  /// negative, and in an instance numbers stay in the range of `slot`.
  Term well_typed(const SymPtr& value, const std::string& slot);
  /// All values of the types, one conjunct (or disjunct) where they can be counted.
  Term quantify(bool universal, const std::vector<ir::TypeId>& types,
                const std::function<Term(const std::vector<SymPtr>&)>& body);
  ir::TypeId result_type(const ir::Type& type);
  /// Whether what keys a set or map has is kept: where its keys cannot be written out, but a run has finitely many.
  [[nodiscard]] bool keeps_support(ir::TypeId type) const;
  [[nodiscard]] Support support_of(ir::TypeId type, std::vector<SymPtr> keys) const;
  /// The keys of both; null if one is not known.
  [[nodiscard]] static Support join(const Support& a, const Support& b);

  // --- Expressions --------------------------------------------------------------
  SymPtr eval(ir::ExprId id, const Scope& scope);
  /// The Boolean value; also where something has none, some value.
  Term holds(ir::ExprId formula, const Scope& scope) { return eval(formula, scope)->term; }
  /// That nothing is read that is not there.
  Term defined(ir::ExprId expr, const Scope& scope);
  Term holds_and_defined(ir::ExprId formula, const Scope& scope);
  [[nodiscard]] bool may_be_undefined(ir::ExprId id);

  /// While it lives, what is read is demanded here (or nowhere), and the path starts anew.
  class Demands {
   public:
    Demands(Encoder& encoder, std::vector<Term>* to) : encoder_(encoder), outer_(encoder.demands_) {
      encoder_.demands_ = to;
      std::swap(outer_path_, encoder_.path_);
    }
    ~Demands() {
      encoder_.demands_ = outer_;
      std::swap(outer_path_, encoder_.path_);
    }
    Demands(const Demands&) = delete;
    Demands& operator=(const Demands&) = delete;

   private:
    Encoder& encoder_;
    std::vector<Term>* outer_;
    std::vector<Term> outer_path_;
  };
  /// Keeps a condition on the path for as long as it lives.
  class OnPath {
   public:
    OnPath(Encoder& encoder, Term condition) : encoder_(encoder), depth_(encoder.path_.size()) {
      encoder_.path_.push_back(condition);
    }
    ~OnPath() { encoder_.path_.resize(depth_); }
    OnPath(const OnPath&) = delete;
    OnPath& operator=(const OnPath&) = delete;

   private:
    Encoder& encoder_;
    std::size_t depth_;
  };
  [[nodiscard]] Term path_condition() { return terms.and_(path_); }
  /// Until the innermost `OnPath` or `Demands` ends.
  void assume_on_path(Term condition) { path_.push_back(condition); }

  /// All values of an enumerable type, ascending.
  const std::vector<ir::Value>& domain(ir::TypeId type);

  // --- Messages -----------------------------------------------------------------
  [[nodiscard]] const std::vector<ir::RoleId>& sender_roles(ir::MessageId message) const;
  [[nodiscard]] const std::vector<ir::RoleId>& addressee_roles(ir::MessageId message) const;
  /// A letter's place in the network of a state whose symbols end in `suffix`.
  Term in_network(const char* relation, const Letter& letter, const std::string& suffix);
  Term same_letter(const Letter& a, const Letter& b);
  /// For all letters of all kinds; `only_once`: of messages that arrive at most once.
  void for_each_letter_kind(const std::function<void(ir::MessageId, ir::RoleId, ir::RoleId)>& visit) const;
  Term for_all_letters(ir::MessageId message, ir::RoleId from, ir::RoleId to,
                       const std::function<Term(const Letter&)>& body);

  // --- States -------------------------------------------------------------------
  /// A state of symbols of its own.
  StatePtr named_state(const std::string& suffix);
  /// A constant of the protocol or of a host (its first argument then).
  SymPtr constant(ir::ConstId id, const std::vector<SymPtr>& args);
  /// What is true of such a state by its types alone.
  Term state_facts(const StatePtr& state);
  /// The initial state: initialisers applied; what has none is as in `free`.
  StatePtr initial_state(const StatePtr& free);
  /// The constants are of their types and unique where the text says so.
  Term constant_facts();

 private:
  struct Alternative {
    std::vector<Term> variables;
    std::vector<Term> guards;
    SymPtr value;
  };
  std::vector<Alternative> alternatives(ir::TypeId type);
  void demand(Term condition);
  void demand_all(ir::ExprId body, ir::LocalId binder, const SymPtr& domain, const Scope& scope);
  SymPtr at(ir::ExprId body, const Scope& scope, ir::LocalId binder, const SymPtr& value);
  Term apply(const std::string& name, smt::Sort range, const std::vector<Term>& args);
  Term less(ir::TypeId type, Term a, Term b);
  /// Also of ordered structs: the first field that differs decides.
  Term less(const SymPtr& a, const SymPtr& b);

  Term truth(ir::ExprId id, const Scope& scope) { return eval(id, scope)->term; }
  SymPtr boolean(Term term) { return scalar(p_.types.boolean(), term); }
  SymPtr eval_logic(const ir::Expr& node, const Scope& scope);
  SymPtr eval_comparison(const ir::Expr& node, const Scope& scope);
  SymPtr eval_arithmetic(const ir::Expr& node, const Scope& scope);
  SymPtr eval_set(const ir::Expr& node, const Scope& scope);
  SymPtr eval_map(const ir::Expr& node, const Scope& scope);
  SymPtr eval_quantified(const ir::Expr& node, const Scope& scope);
  SymPtr eval_sum(const ir::Expr& node, const Scope& scope);
  /// For all keys of the support, or for all values of the type if there is none.
  Term for_all_keys(const Support& support, ir::TypeId key, const std::function<Term(const SymPtr&)>& body);
  /// That key `at` of the support is in the set and is not one of those before it.
  Term counted(const SymPtr& set, std::size_t at);
  SymPtr eval_constant(const ir::Expr& node, const Scope& scope);
  Term eval_sent(const ir::Expr& node, const Scope& scope);
  Term ring(const ir::ConstDecl& decl, const std::vector<SymPtr>& args, SymPtr* next);
  void add_ring(const ir::ConstDecl& decl);
  void add_order(smt::Sort sort);

  // --- Sizes (thresholds.cpp) ---------------------------------------------------
  struct Linear {
    std::vector<std::pair<std::int64_t, SymPtr>> sizes;  ///< so many times the size of the set
    std::vector<Term> rest;
  };
  /// Sets of at least so many elements, of which a set that is large enough contains one.
  struct Threshold {
    ir::TypeId element;
    std::int64_t factor = 1;  ///< factor * size >= bound
    Term bound;
    smt::Function member, valid;
    bool always_valid = false;
    bool impossible = false;  ///< no set is so large
  };
  bool has_size(ir::ExprId id);
  bool linear(ir::ExprId id, const Scope& scope, std::int64_t factor, Linear& out);
  Term compare_sizes(const ir::Expr& node, const Scope& scope);
  Term at_least(const SymPtr& set, std::int64_t factor, Term bound);
  Term majority(const SymPtr& set);
  Term size_of(const SymPtr& set);  ///< in an instance
  Term role_size(ir::RoleId role);
  Threshold& threshold(ir::TypeId element, std::int64_t factor, Term bound);
  void relate(const Threshold& a, const Threshold& b);
  bool follows(Term claim);
  bool rigid(ir::ExprId id) const;

  ir::Protocol& p_;
  bool arithmetic_ = false;  ///< numbers are computed, or written in the text
  const ir::Instance* instance_;
  Numbers numbers_;
  std::string refused_;
  std::vector<Term>* demands_ = nullptr;
  std::vector<Term> path_;
  std::unordered_map<ir::ExprId, bool> may_be_undefined_, has_size_;
  std::vector<std::vector<ir::RoleId>> senders_, addressees_;
  std::map<std::string, int> rings_;
  std::vector<smt::Sort> orders_;
  std::vector<Threshold> thresholds_;
  std::unordered_map<ir::TypeId, std::vector<ir::Value>> domains_;
};

}  // namespace tenet::encode
