/// What expressions of a protocol mean at a time of an execution, as formulas of
/// first-order logic.
///
/// Written anew for the checker of certificates: it shares the symbols with the
/// prover (docs/certificates.md lists them), and not a line of code. Quantifiers
/// stay quantifiers, so there is nothing here that chooses instances.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tenet/ir/protocol.h"
#include "tenet/smt/query.h"
#include "tenet/smt/term_manager.h"

namespace tenet::recheck {

using smt::Term;

/// A construct that has no meaning here. Never leaves the room.
struct Refused {
  std::string what;
};

/// What may be right, and this checker does not look into: nothing is said of the obligation.
struct NotSupported {
  std::string what;
};

struct Val;
using ValPtr = std::shared_ptr<const Val>;

/// A value of the language: a tree of terms. A collection is what it gives at a key.
struct Val {
  enum class Kind : std::uint8_t { scalar, option, structure, collection };
  Kind kind = Kind::scalar;
  ir::TypeId type;
  Term term;                  ///< scalar: it; option: whether it is some
  std::vector<ValPtr> parts;  ///< option: the payload; structure: the fields
  std::function<ValPtr(const ValPtr&)> at;
  std::function<Term()> token;  ///< a term that stands for the whole collection; null: it has no name
  std::function<Term()> size;   ///< of a set; null: it has no name
};

/// What names mean at one place.
struct Env {
  Term time;
  Term old_time;
  ValPtr self;
  std::map<ir::LocalId, ValPtr> locals;
  std::map<ir::VarId, ValPtr> written;
};

/// A set whose size has a name.
struct Counted {
  Term size;
  ValPtr set;
};

class Meaning {
 public:
  /// `declared`: the symbols of the certificate, which are used where names and signatures agree.
  Meaning(ir::Protocol& protocol, smt::TermManager& terms, const std::vector<smt::Function>& declared);

  // --- Symbols -------------------------------------------------------------------
  [[nodiscard]] smt::Sort sort(ir::TypeId type);
  [[nodiscard]] smt::Sort role_sort(ir::RoleId role) { return tm.uninterpreted(p[role].name); }
  Term apply(const std::string& name, const std::vector<Term>& args, smt::Sort range);
  ValPtr variable(ir::VarId var, Term host, Term time);
  /// A value whose parts are the symbols `name…` of `before`, the keys on the way, and `after`.
  ValPtr named(ir::TypeId type, const std::string& name, const std::vector<Term>& before,
               const std::vector<Term>& after);
  /// A value whose parts `make` names; a collection is a token.
  using Maker = std::function<Term(const std::string& name, smt::Sort sort)>;
  ValPtr made_of(ir::TypeId type, const std::string& name, const Maker& make);
  ValPtr of_token(ir::TypeId type, Term token);
  [[nodiscard]] smt::Sort token_sort(ir::TypeId type);
  /// The value of an event at `time`.
  ValPtr of_event(ir::TypeId type, const std::string& name, Term time);
  /// Constants `some NAME…`, numbered as the certificate does.
  ValPtr some(ir::TypeId type, const std::string& name);
  ValPtr host(ir::RoleId role, Term term);
  Term role_size(ir::RoleId role);
  Term send_time(ir::MessageId message, ir::RoleId from, ir::RoleId to, Term sender, Term addressee,
                 const std::vector<ValPtr>& args);
  [[nodiscard]] const std::vector<ir::RoleId>& senders(ir::MessageId message) const {
    return senders_[message.index()];
  }
  [[nodiscard]] const std::vector<ir::RoleId>& addressees(ir::MessageId message) const {
    return addressees_[message.index()];
  }
  Term between(Term low, Term time, Term high) { return tm.and_({tm.le(low, time), tm.lt(time, high)}); }
  /// Of the host before `host` on the ring: where the host stands.
  Term position(ir::RoleId role, Term host);

  // --- Values ----------------------------------------------------------------------
  Term equal(const ValPtr& a, const ValPtr& b);
  /// Equal in every part, also in those that do not matter.
  Term identical(const ValPtr& a, const ValPtr& b);
  /// Equal, whatever the collections below are.
  Term alike(const ValPtr& a, const ValPtr& b);
  Term less(const ValPtr& a, const ValPtr& b);
  void flatten(const ValPtr& value, std::vector<Term>& out);
  /// What the type says of its values: natural numbers are not negative.
  Term typed(const ValPtr& value);
  /// All values (or some value) of the types.
  Term quantify(bool universal, const std::vector<ir::TypeId>& types,
                const std::function<Term(const std::vector<ValPtr>&)>& body);
  [[nodiscard]] ir::TypeId result_type(ir::TypeId collection);
  /// A quantifier, with one case for each value of a Boolean that it binds (whether an option is some): where the
  /// payload of an option stands for nothing, no term would tell a solver what to instantiate it with.
  Term close(bool universal, std::vector<Term> variables, Term matrix);
  /// A formula with all its quantifiers so.
  Term by_cases(Term formula);
  ValPtr unflatten(ir::TypeId type, const std::vector<Term>& terms, std::size_t& next);

  // --- Expressions -----------------------------------------------------------------
  ValPtr eval(ir::ExprId expr, const Env& env);
  Term truth(ir::ExprId formula, const Env& env) { return eval(formula, env)->term; }
  /// That nothing is read that is not there.
  Term defined(ir::ExprId expr, const Env& env);
  Term holds(ir::ExprId formula, const Env& env) { return tm.and_({truth(formula, env), defined(formula, env)}); }
  ValPtr pick(Term condition, const ValPtr& a, const ValPtr& b);

  ir::Protocol& p;
  smt::TermManager& tm;
  /// True of values that had to be given a name, and the sets among them.
  std::vector<Term> introduced;
  std::vector<Counted> counted;

 private:
  ValPtr scalar(ir::TypeId type, Term term) const;
  ValPtr boolean(Term term) { return scalar(p.types.boolean(), term); }
  ValPtr option(ir::TypeId type, Term some, ValPtr payload) const;
  ValPtr structure(ir::TypeId type, std::vector<ValPtr> fields) const;
  ValPtr collection(ir::TypeId type, std::function<ValPtr(const ValPtr&)> at, std::function<Term()> token = {},
                    std::function<Term()> size = {}) const;
  ValPtr default_value(ir::TypeId type);
  Term token(const ValPtr& value);
  Term size(const ValPtr& set);
  ValPtr eval_logic(const ir::Expr& node, const Env& env);
  ValPtr eval_arithmetic(const ir::Expr& node, const Env& env);
  ValPtr eval_set(const ir::Expr& node, const Env& env);
  ValPtr eval_map(const ir::Expr& node, const Env& env);
  ValPtr eval_constant(const ir::Expr& node, const Env& env);
  ValPtr eval_sum(ir::TypeId type, ir::ExprId body, const std::vector<ir::LocalId>& binders, std::size_t next,
                  const Env& env);
  Term eval_sent(const ir::Expr& node, const Env& env);
  Term over_domain(bool universal, const ir::Expr& node, ir::ExprId domain, const Env& env,
                   const std::function<Term(const Env&)>& body);
  bool mentions(ir::ExprId expr, ir::LocalId local) const;
  /// "the value … of type T" for messages.
  [[noreturn]] static void refuse(const std::string& what) { throw Refused{what}; }

  using Signature = std::pair<std::string, std::vector<std::uint32_t>>;
  std::map<Signature, smt::Function> declared_;
  std::map<std::string, int> numbered_;
  std::vector<std::vector<ir::RoleId>> senders_, addressees_;
};

}  // namespace tenet::recheck
