/// Runs of a given course, by unrolling: a state of its own for every item that
/// changes something.
#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "sizes.h"
#include "tenet/encode/encoder.h"
#include "tenet/encode/models.h"
#include "tenet/encode/transition.h"
#include "tenet/induct/induct.h"
#include "tenet/induct/questions.h"
#include "tenet/ir/footprint.h"
#include "tenet/smt/portfolio.h"

namespace tenet::induct {

using encode::Case;
using encode::cases_of;
using encode::Encoder;
using encode::Letter;
using encode::ModelReader;
using encode::Scope;
using encode::StatePtr;
using encode::StateView;
using encode::SymPtr;
using encode::Term;
using encode::Transition;
using encode::transition;

namespace {

/// Instances with up to so many hosts and values are searched for a trace that replays.
constexpr std::int64_t kLargestInstance = 4;

class Unrolling {
 public:
  Unrolling(Encoder& encoder, const ir::TraceQuery& query) : e_(encoder), p_(encoder.protocol()), query_(query) {}

  void build();
  std::vector<Term> asserted;

  /// The run that the model of the last check describes, if the interpreter agrees with all of it.
  std::optional<ir::Trace> trace(smt::Solver& solver) const;

 private:
  /// One of the things that an item may be.
  struct Branch {
    Term chosen;
    std::optional<Transition> transition;  ///< nothing: no step is taken
  };
  struct Part {
    const ir::TraceItem* item = nullptr;
    std::vector<Branch> branches;
    StatePtr after;
  };

  void begin();
  void take(const ir::TraceItem& item);
  void branch(Part& part, const Case& which, const std::vector<SymPtr>& fixed);
  StatePtr next_state(const ir::Footprint& changed);
  Term same(const StatePtr& a, const StatePtr& b, const ir::Footprint& changed);
  ir::Footprint changes(const ir::TraceItem& item) const;

  Encoder& e_;
  ir::Protocol& p_;
  const ir::TraceQuery& query_;
  StatePtr first_, now_, before_;
  std::vector<Part> parts_;
  int states_ = 0;
};

void Unrolling::begin() {
  asserted.push_back(e_.constant_facts());
  for (const ir::Formula& axiom : p_.axioms) asserted.push_back(e_.holds(axiom.formula, Scope{}));
  const StatePtr free = e_.named_state(" 0");
  asserted.push_back(e_.state_facts(free));
  now_ = free;
  if (query_.initial) {
    now_ = e_.initial_state(free);
    Scope scope;
    scope.now = now_;
    for (const ir::Formula& init : p_.inits) asserted.push_back(e_.holds(init.formula, scope));
    if (e_.ground()) asserted.push_back(e_.state_facts(now_));
  }
  first_ = now_;
}

void Unrolling::build() {
  const Encoder::Demands nobody(e_, nullptr);
  begin();
  for (const ir::TraceItem& item : query_.items) {
    if (item.kind != ir::TraceItemKind::assert_) {
      take(item);
      continue;
    }
    Scope scope;
    scope.now = now_;
    scope.before = before_;
    asserted.push_back(e_.holds_and_defined(item.formula, scope));
    parts_.push_back({&item, {}, now_});
  }
}

ir::Footprint Unrolling::changes(const ir::TraceItem& item) const {
  ir::Footprint changed;
  switch (item.kind) {
    case ir::TraceItemKind::assert_:
      break;
    case ir::TraceItemKind::steps:
      for (const ir::TraceCall& call : item.calls) changed.join(ir::changed_by(p_, call.step));
      break;
    case ir::TraceItemKind::any:
      for (std::size_t s = 0; s < p_.steps.size(); ++s) changed.join(ir::changed_by(p_, ir::StepId(s)));
      break;
    case ir::TraceItemKind::arbitrary:
      for (std::size_t v = 0; v < p_.variables.size(); ++v) changed.variables.insert(ir::VarId(v));
      break;
  }
  return changed;
}

StatePtr Unrolling::next_state(const ir::Footprint& changed) {
  const StatePtr own = e_.named_state(fmt::format(" {}", ++states_));
  auto state = std::make_shared<StateView>();
  state->read = [own, now = now_, changed](ir::VarId var, const SymPtr& host) {
    return changed.variables.contains(var) ? own->read(var, host) : now->read(var, host);
  };
  state->sent = [own, now = now_, changed](const Letter& letter) {
    return changed.messages.contains(letter.message) ? own->sent(letter) : now->sent(letter);
  };
  state->twice = [own, now = now_, changed](const Letter& letter) {
    return changed.messages.contains(letter.message) ? own->twice(letter) : now->twice(letter);
  };
  return state;
}

Term Unrolling::same(const StatePtr& a, const StatePtr& b, const ir::Footprint& changed) {
  std::vector<Term> all;
  for (const ir::VarId var : changed.variables) {
    all.push_back(e_.quantify(true, {p_.types.host(p_[var].role)}, [&](const std::vector<SymPtr>& host) {
      return e_.equal(a->read(var, host[0]), b->read(var, host[0]));
    }));
  }
  e_.for_each_letter_kind([&](ir::MessageId message, ir::RoleId from, ir::RoleId to) {
    if (!changed.messages.contains(message)) return;
    all.push_back(e_.for_all_letters(message, from, to, [&](const Letter& letter) {
      std::vector<Term> both{e_.terms.iff(a->sent(letter), b->sent(letter))};
      if (p_[message].delivery == ir::Delivery::at_most_once) {
        both.push_back(e_.terms.iff(a->twice(letter), b->twice(letter)));
      }
      return e_.terms.and_(both);
    }));
  });
  return e_.terms.and_(all);
}

void Unrolling::branch(Part& part, const Case& which, const std::vector<SymPtr>& fixed) {
  part.branches.push_back(
      {e_.terms.fresh_constant("taken", e_.terms.boolean_sort()), transition(e_, which, now_, fixed)});
}

void Unrolling::take(const ir::TraceItem& item) {
  Part part;
  part.item = &item;
  const std::vector<Case> all = cases_of(e_);
  if (item.kind == ir::TraceItemKind::steps) {
    for (const ir::TraceCall& call : item.calls) {
      Scope scope;
      scope.now = now_;
      std::vector<SymPtr> fixed;
      for (const ir::ExprId argument : call.arguments) {
        fixed.push_back(argument.valid() ? e_.eval(argument, scope) : nullptr);
      }
      for (const Case& which : all) {
        if (which.step == call.step) branch(part, which, fixed);
      }
    }
  } else if (item.kind == ir::TraceItemKind::any) {
    for (const Case& which : all) branch(part, which, {});
    part.branches.push_back({e_.terms.fresh_constant("taken", e_.terms.boolean_sort()), {}});
  }
  const ir::Footprint changed = changes(item);
  part.after = next_state(changed);
  if (item.kind == ir::TraceItemKind::arbitrary) {
    asserted.push_back(e_.state_facts(part.after));
  } else {
    std::vector<Term> taken;
    for (const Branch& each : part.branches) {
      std::vector<Term> facts;
      if (each.transition) {
        facts = each.transition->possible;
        facts.insert(facts.end(), each.transition->happens.begin(), each.transition->happens.end());
      }
      facts.push_back(same(part.after, each.transition ? each.transition->after : now_, changed));
      asserted.push_back(e_.terms.implies(each.chosen, e_.terms.and_(facts)));
      taken.push_back(each.chosen);
    }
    asserted.push_back(e_.terms.or_(taken));
  }
  before_ = now_;
  now_ = part.after;
  parts_.push_back(std::move(part));
}

std::optional<ir::Trace> Unrolling::trace(smt::Solver& solver) const {
  ModelReader reader(e_, solver);
  auto constants = reader.constants();
  auto state = reader.state(first_);
  if (!constants || !state) return std::nullopt;
  ir::Trace made;
  made.constants = std::move(*constants);
  made.states.push_back(std::move(*state));
  const ir::Interpreter interpreter(p_, *e_.instance(), made.constants);
  bool leaps = false;
  std::optional<ir::State> earlier;  // before the last item that is no assertion
  for (const Part& part : parts_) {
    if (part.item->kind == ir::TraceItemKind::assert_) {
      const auto value = interpreter.holds(part.item->formula, made.states.back(), earlier ? &*earlier : nullptr);
      const bool* known = std::get_if<bool>(&value);
      if (known == nullptr || !*known) return std::nullopt;
      continue;
    }
    earlier = made.states.back();
    if (part.item->kind == ir::TraceItemKind::arbitrary) {
      auto any = reader.state(part.after);
      if (!any) return std::nullopt;
      made.states.back() = std::move(*any);
      leaps = true;
      continue;
    }
    const auto taken = std::find_if(part.branches.begin(), part.branches.end(),
                                    [&](const Branch& b) { return reader.truth(b.chosen).value_or(false); });
    if (taken == part.branches.end()) return std::nullopt;
    if (!taken->transition) continue;
    auto action = reader.action(*taken->transition);
    if (!action) return std::nullopt;
    ir::Outcome outcome = interpreter.apply(made.states.back(), *action);
    auto* happened = std::get_if<ir::Happened>(&outcome);
    if (happened == nullptr) return std::nullopt;
    made.actions.push_back(std::move(*action));
    made.states.push_back(std::move(happened->next));
    made.sends.push_back(std::move(happened->sends));
  }
  if (query_.initial && !leaps && !ir::replay(p_, *e_.instance(), made).empty()) return std::nullopt;
  return made;
}

void accept(TraceAnswer& answer, const smt::CheckResult& result) {
  answer.solver = result.solver;
  answer.resources += result.resources;
  answer.seconds += result.seconds;
}

/// Whether it is known for any number of hosts that there is none.
void ask_general(ir::Protocol protocol, const ir::TraceQuery& query, const Options& options, TraceAnswer& answer) {
  Encoder encoder(protocol);
  Unrolling unrolling(encoder, query);
  unrolling.build();
  if (!encoder.refused().empty()) {
    answer.reason = "no translation: " + encoder.refused();
    return;
  }
  smt::SolverConfig config = smt::z3_config();
  config.resource_limit = options.resource_limit;
  config.seed = options.seed;
  const auto solver = smt::make_solver(config);
  solver->stop_on(options.stop);
  for (const Term term : unrolling.asserted) solver->assert_term(term);
  for (const Term term : encoder.background) solver->assert_term(term);
  smt::CheckResult result = solver->check();
  accept(answer, result);
  if (result.answer == smt::Answer::unknown && options.second_limit > 0) {
    smt::SolverConfig second = smt::cvc5_config();
    second.resource_limit = options.second_limit;
    smt::CheckResult other = smt::ask(solver->query(), second, options.stop);
    if (other.answer == smt::Answer::unsat) {
      result = std::move(other);
      accept(answer, result);
    }
  }
  if (result.answer == smt::Answer::unsat) answer.verdict = Verdict::discharged;
  answer.reason = result.answer == smt::Answer::unknown ? result.reason : "";
  answer.model = result.answer == smt::Answer::sat;
  if (answer.model) answer.reason = "the solver has a model, but no small instance shows it";
  if (options.keep_queries) answer.query = smt::to_smtlib(solver->query(), {});
}

/// Looks for one that replays.
void search_instances(ir::Protocol protocol, const ir::TraceQuery& query, const Options& options, TraceAnswer& answer) {
  for (const ir::Instance& instance : instances_up_to(protocol, kLargestInstance)) {
    if (answer.verdict == Verdict::refuted) return;
    if (options.stop != nullptr && options.stop->requested()) return;
    Encoder encoder(protocol, &instance);
    Unrolling unrolling(encoder, query);
    unrolling.build();
    if (!encoder.refused().empty()) return;
    smt::SolverConfig config = smt::z3_config();
    config.resource_limit = options.resource_limit;
    config.seed = options.seed;
    const auto solver = smt::make_solver(config);
    solver->stop_on(options.stop);
    for (const Term term : unrolling.asserted) solver->assert_term(term);
    for (const Term term : encoder.background) solver->assert_term(term);
    const smt::CheckResult result = solver->check();
    accept(answer, result);
    if (result.answer != smt::Answer::sat) continue;
    auto trace = unrolling.trace(*solver);
    if (!trace) continue;
    answer.verdict = Verdict::refuted;
    answer.reason.clear();
    answer.trace = std::move(trace);
    answer.instance = instance;
  }
}

}  // namespace

TraceAnswer find_trace(const ir::Protocol& protocol, const ir::TraceQuery& query, const Options& options) {
  const auto begun = std::chrono::steady_clock::now();
  TraceAnswer answer;
  // What is expected is looked for first.
  const bool expected = query.claim == ir::TraceClaim::possible;
  if (expected) search_instances(protocol, query, options, answer);
  if (answer.verdict == Verdict::open) ask_general(protocol, query, options, answer);
  if (answer.verdict == Verdict::open && !expected) search_instances(protocol, query, options, answer);
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return answer;
}

}  // namespace tenet::induct
