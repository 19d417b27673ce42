#include "tenet/induct/questions.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "tenet/encode/encoder.h"
#include "tenet/encode/models.h"
#include "tenet/encode/transition.h"
#include "tenet/ir/footprint.h"
#include "tenet/ir/printer.h"
#include "tenet/smt/portfolio.h"
#include "tenet/smt/solver.h"

namespace tenet::induct {

using encode::Case;
using encode::cases_of;
using encode::Encoder;
using encode::ModelReader;
using encode::Scope;
using encode::StatePtr;
using encode::Term;
using encode::Transition;
using encode::transition;

class Questions::Impl {
 public:
  Impl(const ir::Protocol& protocol, std::optional<ir::Instance> instance, QuestionOptions options)
      : protocol_(protocol),
        instance_(std::move(instance)),
        options_(options),
        encoder_(protocol_, instance_ ? &*instance_ : nullptr) {
    prepare();
  }

  [[nodiscard]] ir::Protocol& protocol() { return protocol_; }

  struct KnownClaim {
    ir::ExprId formula;
    std::string refused;
    ir::Footprint reads;
    Term label;  ///< assumed where the claim is a hypothesis
    Term before, at_start;
  };
  /// One solver and what it was told.
  struct Session {
    std::unique_ptr<smt::Solver> solver;
    std::size_t background = 0;  ///< how much of the encoder's background it has
    std::vector<bool> told;      ///< by claim: as a hypothesis
  };
  struct KnownCase {
    Case which;
    ir::Footprint changes;
    std::optional<Transition> transition;  ///< made when first asked about
    std::unordered_map<std::size_t, Term> goals;
  };

  std::vector<KnownClaim> claims;
  std::vector<KnownCase> cases;
  const std::string& refused();
  std::size_t claim(ir::ExprId formula);
  Reply initiation(std::span<const std::size_t> goals);
  Reply consecution(std::size_t at, std::span<const std::size_t> hypotheses, std::span<const std::size_t> goals);
  Reply step_defined(std::size_t at, std::span<const std::size_t> hypotheses);
  Reply impossible(std::size_t at, std::span<const std::size_t> hypotheses);
  Reply implication(std::span<const std::size_t> hypotheses, std::span<const std::size_t> goals);
  Reply text_defined();

 private:
  void prepare();
  Scope before_scope() const {
    Scope scope;
    scope.now = before_;
    return scope;
  }
  smt::SolverConfig config() const {
    smt::SolverConfig made = smt::z3_config();
    made.resource_limit = options_.resource_limit;
    made.seed = options_.seed;
    return made;
  }
  Session start(const std::vector<Term>& base) {
    Session made;
    made.solver = smt::make_solver(config());
    made.solver->stop_on(options_.stop);
    for (const Term term : base) made.solver->assert_term(term);
    return made;
  }
  /// The first goal that has no translation, or nothing.
  std::string untranslated(std::span<const std::size_t> goals) const;
  Term goal_after(std::size_t at, std::size_t claim);
  /// Tells the session what it does not know yet; returns the assumptions for the hypotheses.
  std::vector<Term> tell(Session& session, std::span<const std::size_t> hypotheses);
  Reply ask(Session& session, std::span<const std::size_t> hypotheses, Term negated_goal,
            const std::function<void(smt::Solver&, Reply&)>& on_model);
  KnownCase& at_case(std::size_t at);
  Session& session();
  /// About a step: whether what is said can all be true.
  Reply ask_of(const KnownCase& known, std::span<const std::size_t> hypotheses, std::vector<Term> said,
               const std::function<void(smt::Solver&, Reply&)>& on_model);
  const Transition& of(KnownCase& known);

  ir::Protocol protocol_;
  std::optional<ir::Instance> instance_;
  QuestionOptions options_;
  Encoder encoder_;
  StatePtr before_, start_;
  std::vector<Term> axioms_;      ///< constants and axioms
  std::vector<Term> base_;        ///< axioms and what is true of the state before by its types
  std::vector<Term> start_base_;  ///< axioms and what is true of initial states
  /// One for all steps: to begin a session costs more than most questions.
  std::optional<Session> start_session_, session_;
};

void Questions::Impl::prepare() {
  const Encoder::Demands nobody(encoder_, nullptr);
  before_ = encoder_.named_state("");
  axioms_.push_back(encoder_.constant_facts());
  for (const ir::Formula& axiom : protocol_.axioms) axioms_.push_back(encoder_.holds(axiom.formula, Scope{}));
  base_ = axioms_;
  base_.push_back(encoder_.state_facts(before_));

  const StatePtr free = encoder_.named_state(" at the start");
  start_ = encoder_.initial_state(free);
  start_base_ = axioms_;
  start_base_.push_back(encoder_.state_facts(encoder_.ground() ? start_ : free));
  Scope at_start;
  at_start.now = start_;
  for (const ir::Formula& init : protocol_.inits) start_base_.push_back(encoder_.holds(init.formula, at_start));

  for (const Case& each : cases_of(encoder_)) {
    KnownCase made;
    made.which = each;
    made.changes = ir::changed_by(protocol_, each.step);
    cases.push_back(std::move(made));
  }
}

/// Looks at every step, too.
const std::string& Questions::Impl::refused() {
  for (KnownCase& known : cases) (void)of(known);
  return encoder_.refused();
}

const Transition& Questions::Impl::of(KnownCase& known) {
  if (!known.transition) known.transition = transition(encoder_, known.which, before_);
  return *known.transition;
}

std::size_t Questions::Impl::claim(ir::ExprId formula) {
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (claims[i].formula == formula) return i;
  }
  KnownClaim made;
  made.formula = formula;
  made.reads = ir::read_by(protocol_, formula);
  claims.push_back(std::move(made));
  const std::size_t index = claims.size() - 1;
  if (encoder_.refused().empty()) {
    // Evaluated in the state before, also where `old` makes that a formula about a step.
    Scope scope = before_scope();
    scope.before = before_;
    const Term value = encoder_.holds_and_defined(formula, scope);
    claims[index].refused = encoder_.take_refused();
    const bool usable = claims[index].refused.empty() && !claims[index].reads.two_states;
    claims[index].before = usable ? value : encoder_.terms.boolean(true);
    claims[index].label = encoder_.terms.fresh_constant("claim", encoder_.terms.boolean_sort());
  } else {
    claims[index].before = encoder_.terms.boolean(true);
  }
  return index;
}

std::string Questions::Impl::untranslated(std::span<const std::size_t> goals) const {
  for (const std::size_t goal : goals) {
    if (!claims[goal].refused.empty()) return "no translation: " + claims[goal].refused;
  }
  return {};
}

std::vector<Term> Questions::Impl::tell(Session& session, std::span<const std::size_t> hypotheses) {
  if (session.told.size() < claims.size()) session.told.resize(claims.size(), false);
  std::vector<Term> assumptions;
  for (const std::size_t h : hypotheses) {
    const Term holds = claims[h].before;
    if (holds.is_true()) continue;
    if (!session.told[h]) {
      session.told[h] = true;
      session.solver->assert_term(encoder_.terms.implies(claims[h].label, holds));
    }
    assumptions.push_back(claims[h].label);
  }
  for (; session.background < encoder_.background.size(); ++session.background) {
    session.solver->assert_term(encoder_.background[session.background]);
  }
  return assumptions;
}

Reply Questions::Impl::ask(Session& session, std::span<const std::size_t> hypotheses, Term negated_goal,
                           const std::function<void(smt::Solver&, Reply&)>& on_model) {
  Reply reply;
  if (!encoder_.refused().empty()) {
    reply.reason = "no translation: " + encoder_.refused();
    return reply;
  }
  if (negated_goal.is_false()) {
    reply.verdict = Verdict::discharged;
    return reply;
  }
  const std::vector<Term> assumptions = tell(session, hypotheses);
  smt::Solver& solver = *session.solver;
  solver.push();
  solver.assert_term(negated_goal);
  smt::CheckResult result = solver.check(assumptions);
  reply.seconds = result.seconds;
  if (result.answer == smt::Answer::unknown && options_.second_limit > 0) {
    smt::SolverConfig second = smt::cvc5_config();
    second.resource_limit = options_.second_limit;
    second.options.emplace_back("enum-inst", "true");
    smt::CheckResult other = smt::ask(solver.query(assumptions), second, options_.stop);
    reply.seconds += other.seconds;
    // A model of another solver could not be read here; only its "no" is used.
    if (other.answer == smt::Answer::unsat) result = std::move(other);
  }
  reply.solver = result.solver;
  reply.resources = result.resources;
  if (options_.keep_queries) {
    smt::DumpOptions dump;
    if (result.answer != smt::Answer::unknown) dump.expected = result.answer;
    reply.query = smt::to_smtlib(solver.query(assumptions), dump);
  }
  switch (result.answer) {
    case smt::Answer::unsat:
      reply.verdict = Verdict::discharged;
      for (const std::size_t h : hypotheses) {
        const Term label = claims[h].label;
        if (std::find(result.core_assumptions.begin(), result.core_assumptions.end(), label) !=
            result.core_assumptions.end()) {
          reply.core.push_back(h);
        }
      }
      break;
    case smt::Answer::sat:
      reply.verdict = Verdict::refuted;
      if (encoder_.ground() && on_model) on_model(solver, reply);
      break;
    case smt::Answer::unknown:
      reply.reason = result.reason.empty() ? std::string(smt::name_of(result.cause)) : result.reason;
      break;
  }
  solver.pop();
  return reply;
}

Reply Questions::Impl::initiation(std::span<const std::size_t> goals) {
  Reply none;
  none.reason = untranslated(goals);
  if (!none.reason.empty()) return none;
  std::vector<Term> failing;
  Scope scope;
  scope.now = start_;
  for (const std::size_t goal : goals) {
    KnownClaim& known = claims[goal];
    if (known.reads.two_states) continue;
    if (!known.at_start.valid()) known.at_start = encoder_.holds_and_defined(known.formula, scope);
    failing.push_back(encoder_.terms.not_(known.at_start));
  }
  if (!start_session_) start_session_ = start(start_base_);
  return ask(*start_session_, {}, encoder_.terms.or_(failing), [&](smt::Solver& solver, Reply& reply) {
    ModelReader reader(encoder_, solver);
    auto constants = reader.constants();
    auto state = reader.state(start_);
    if (constants && state) {
      reply.counterexample = Counterexample{*instance_, std::move(*constants), std::move(*state), {}, {}};
    }
  });
}

Questions::Impl::KnownCase& Questions::Impl::at_case(std::size_t at) {
  KnownCase& known = cases[at];
  (void)of(known);
  return known;
}

Questions::Impl::Session& Questions::Impl::session() {
  if (!session_) session_ = start(base_);
  return *session_;
}

Reply Questions::Impl::ask_of(const KnownCase& known, std::span<const std::size_t> hypotheses, std::vector<Term> said,
                              const std::function<void(smt::Solver&, Reply&)>& on_model) {
  const std::vector<Term>& possible = known.transition->possible;
  const Term all = encoder_.terms.and_(said);
  if (all.is_false()) return ask(session(), hypotheses, all, on_model);
  said.insert(said.begin(), possible.begin(), possible.end());
  return ask(session(), hypotheses, encoder_.terms.and_(said), on_model);
}

Term Questions::Impl::goal_after(std::size_t at, std::size_t claim) {
  KnownCase& known = cases[at];
  const auto found = known.goals.find(claim);
  if (found != known.goals.end()) return found->second;
  Scope scope;
  scope.now = known.transition->after;
  scope.before = before_;
  const Term term = encoder_.holds_and_defined(claims[claim].formula, scope);
  known.goals.emplace(claim, term);
  return term;
}

Reply Questions::Impl::consecution(std::size_t at, std::span<const std::size_t> hypotheses,
                                   std::span<const std::size_t> goals) {
  Reply none;
  none.reason = untranslated(goals);
  if (!none.reason.empty()) return none;
  KnownCase& known = at_case(at);
  std::vector<Term> failing;
  for (const std::size_t goal : goals) {
    if (known.changes.meets(claims[goal].reads) || claims[goal].reads.two_states) {
      failing.push_back(encoder_.terms.not_(goal_after(at, goal)));
    }
  }
  std::vector<Term> all = known.transition->happens;
  all.push_back(encoder_.terms.or_(failing));
  return ask_of(known, hypotheses, all, [&](smt::Solver& solver, Reply& reply) {
    ModelReader reader(encoder_, solver);
    auto constants = reader.constants();
    auto before = reader.state(before_);
    auto action = reader.action(*known.transition);
    auto after = reader.state(known.transition->after);
    if (constants && before && action && after) {
      reply.counterexample =
          Counterexample{*instance_, std::move(*constants), std::move(*before), std::move(action), std::move(after)};
    }
  });
}

Reply Questions::Impl::step_defined(std::size_t at, std::span<const std::size_t> hypotheses) {
  KnownCase& known = at_case(at);
  const Term all = encoder_.terms.and_(known.transition->demanded);
  return ask_of(known, hypotheses, {encoder_.terms.not_(all)}, [&](smt::Solver& solver, Reply& reply) {
    ModelReader reader(encoder_, solver);
    auto constants = reader.constants();
    auto before = reader.state(before_);
    auto action = reader.action(*known.transition);
    if (constants && before && action) {
      reply.counterexample =
          Counterexample{*instance_, std::move(*constants), std::move(*before), std::move(action), {}};
    }
  });
}

Reply Questions::Impl::impossible(std::size_t at, std::span<const std::size_t> hypotheses) {
  KnownCase& known = at_case(at);
  return ask_of(known, hypotheses, known.transition->happens, {});
}

Reply Questions::Impl::implication(std::span<const std::size_t> hypotheses, std::span<const std::size_t> goals) {
  Reply none;
  none.reason = untranslated(goals);
  if (!none.reason.empty()) return none;
  std::vector<Term> failing;
  for (const std::size_t goal : goals) failing.push_back(encoder_.terms.not_(claims[goal].before));
  return ask(session(), hypotheses, encoder_.terms.or_(failing), {});
}

Reply Questions::Impl::text_defined() {
  smt::TermManager& tm = encoder_.terms;
  std::vector<Term> failing, so_far{axioms_.front()};
  const auto demand = [&](ir::ExprId formula, const Scope& scope) {
    if (!encoder_.may_be_undefined(formula)) return;
    std::vector<Term> all = so_far;
    all.push_back(tm.not_(encoder_.defined(formula, scope)));
    failing.push_back(tm.and_(all));
  };
  const auto own = [&](ir::RoleId role) {
    Scope scope;
    if (role.valid()) {
      scope.self =
          protocol_[role].single ? encoder_.only(role) : encoder_.arbitrary(protocol_.types.host(role), "host");
    }
    return scope;
  };
  for (const ir::ConstDecl& decl : protocol_.constants) {
    if (decl.kind == ir::ConstKind::defined) demand(decl.value, own(decl.role));
  }
  for (std::size_t i = 0; i < protocol_.axioms.size(); ++i) {
    demand(protocol_.axioms[i].formula, Scope{});
    so_far.push_back(axioms_[i + 1]);
  }
  // A constant's definition may rely on the axioms as well as the other way round; what is demanded of it
  // was demanded without them.
  for (const ir::VarDecl& decl : protocol_.variables) {
    if (decl.init.valid()) demand(decl.init, own(decl.role));
  }
  Scope at_start;
  at_start.now = start_;
  for (const ir::Formula& init : protocol_.inits) {
    demand(init.formula, at_start);
    so_far.push_back(encoder_.holds(init.formula, at_start));
  }
  Session session = start({});
  return ask(session, {}, tm.or_(failing), {});
}

// --- The public face -------------------------------------------------------------

Questions::Questions(const ir::Protocol& protocol, const QuestionOptions& options)
    : impl_(std::make_unique<Impl>(protocol, std::nullopt, options)) {}
Questions::Questions(const ir::Protocol& protocol, ir::Instance instance, const QuestionOptions& options)
    : impl_(std::make_unique<Impl>(protocol, std::move(instance), options)) {}
Questions::~Questions() = default;

const std::string& Questions::refused() { return impl_->refused(); }
ir::Protocol& Questions::protocol() { return impl_->protocol(); }
std::size_t Questions::claim(ir::ExprId formula) { return impl_->claim(formula); }
const std::string& Questions::refused(std::size_t claim) const { return impl_->claims[claim].refused; }
std::size_t Questions::cases() const { return impl_->cases.size(); }
ir::StepId Questions::step(std::size_t at) const { return impl_->cases[at].which.step; }
bool Questions::touches(std::size_t at, std::size_t claim) const {
  const auto& reads = impl_->claims[claim].reads;
  return reads.two_states || impl_->cases[at].changes.meets(reads);
}
Reply Questions::initiation(std::span<const std::size_t> goals) { return impl_->initiation(goals); }
Reply Questions::consecution(std::size_t at, std::span<const std::size_t> hypotheses,
                             std::span<const std::size_t> goals) {
  return impl_->consecution(at, hypotheses, goals);
}
Reply Questions::step_defined(std::size_t at, std::span<const std::size_t> hypotheses) {
  return impl_->step_defined(at, hypotheses);
}
Reply Questions::impossible(std::size_t at, std::span<const std::size_t> hypotheses) {
  return impl_->impossible(at, hypotheses);
}
Reply Questions::implication(std::span<const std::size_t> hypotheses, std::span<const std::size_t> goals) {
  return impl_->implication(hypotheses, goals);
}
Reply Questions::text_defined() { return impl_->text_defined(); }

ir::Instance instance_of_size(const ir::Protocol& protocol, const std::vector<std::int64_t>& hosts,
                              const std::vector<std::int64_t>& values, std::int64_t numbers) {
  ir::InstanceDecl decl;
  decl.name = "small";
  const auto declared = [&](const ir::InstanceDecl& other) { return other.name == decl.name; };
  while (std::any_of(protocol.instances.begin(), protocol.instances.end(), declared))
    decl.name = "another " + decl.name;
  for (std::size_t r = 0; r < protocol.roles.size(); ++r) {
    if (!protocol.roles[r].single) decl.entries.push_back({protocol.roles[r].name, hosts[r], hosts[r], false, {}});
  }
  for (std::size_t s = 0; s < protocol.sorts.size(); ++s) {
    decl.entries.push_back({protocol.sorts[s].name, values[s], values[s], false, {}});
  }
  decl.entries.push_back({"nat", 0, numbers, true, {}});
  decl.entries.push_back({"int", -1, numbers, true, {}});
  Diagnostics ignored;
  auto made = ir::Instance::resolve(protocol, &decl, ignored);
  if (!made) made = ir::Instance::resolve(protocol, nullptr, ignored);
  return *made;
}

}  // namespace tenet::induct
