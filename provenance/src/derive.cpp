#include "derive.h"

#include <algorithm>
#include <functional>

#include "tenet/ir/footprint.h"

namespace tenet::provenance {

using ir::RoleId;
using ir::StepId;
using smt::Term;

std::vector<DerivedFact> Deriver::derive() {
  one_state();
  two_state();
  return std::move(found_);
}

Scope Deriver::scope_for(Question& question, const DerivedFact& fact, Term time, Term old_time) {
  Execution& x = question.execution;
  Scope scope;
  scope.time = time;
  scope.old_time = old_time;
  // One host and key for the whole question: named constants.
  smt::TermManager& tm = question.logic.terms;
  scope.locals[fact.host] = x.host(fact.role, tm.constant("one host", question.logic.role_sort(fact.role)));
  for (std::size_t k = 0; k < fact.keys.size(); ++k) {
    scope.locals[fact.keys[k]] = x.arbitrary(p_[fact.keys[k]].type, "key");
  }
  return scope;
}

bool Deriver::ask(Question& question, const DerivedFact& fact, const std::string& part, Obligation& out) {
  out.kind = "derived fact";
  out.statement = fact.name;
  out.part = part;
  question.fill(out, question.decide());
  return out.discharged;
}

void Deriver::keep_surviving(std::vector<Guess>& guesses, bool between) {
  std::vector<ir::ExprId> formulas;
  for (const Guess& guess : guesses) formulas.push_back(guess.closed);
  const std::vector<bool> alive = samples_.surviving(p_, formulas, between);
  std::vector<Guess> kept;
  for (std::size_t g = 0; g < guesses.size(); ++g) {
    if (alive[g] && about_one_host(guesses[g].fact)) kept.push_back(std::move(guesses[g]));
  }
  guesses = std::move(kept);
}

/// Only what steps of the fact's own host can change: the induction looks at
/// no others.
bool Deriver::about_one_host(const DerivedFact& fact) const {
  const std::function<bool(ir::ExprId)> own = [&](ir::ExprId id) {
    const ir::Expr& node = p_[id];
    if (node.op == ir::Op::sent) return false;
    if (node.op == ir::Op::state_var) {
      const ir::Expr& host = p_[node.args[0]];
      return host.op == ir::Op::local && ir::LocalId(host.ref) == fact.host;
    }
    return std::all_of(node.args.begin(), node.args.end(), [&](ir::ExprId arg) { return !arg.valid() || own(arg); });
  };
  return own(fact.formula);
}

bool Deriver::step_keeps(const DerivedFact& fact, StepId step, const std::vector<DerivedFact>& known, Obligation& out) {
  if (!ir::changed_by(p_, step).meets(ir::read_by(p_, fact.formula))) {
    // Nothing that it reads changes: one state is as good as the other, and
    // `transitive` asks whether it holds between equal states.
    out.kind = "derived fact";
    out.statement = fact.name;
    out.part = "step " + p_[step].name + " (writes nothing it reads)";
    out.discharged = true;
    out.solver = "syntactic";
    return true;
  }
  static const std::vector<Hypothesis> kNone;
  Question question(p_, known, kNone, options_);
  question.only_one_step();
  Execution& x = question.execution;
  smt::TermManager& tm = question.logic.terms;
  Scope scope = scope_for(question, fact, x.last(), x.before_last());
  const Term host = scope.locals[fact.host]->term;
  question.assume(tm.and_({x.is_step(x.before_last(), step), tm.eq(x.actor(fact.role, x.before_last()), host)}),
                  Principle::hypothesis, "this step");
  if (!fact.two_state) {
    Scope before = scope;
    before.time = x.before_last();
    question.assume(x.holds(fact.formula, before), Principle::hypothesis, "holds before");
  }
  question.assume(tm.not_(x.holds(fact.formula, scope)), Principle::goal, "fails after");
  return ask(question, fact, "step " + p_[step].name, out);
}

bool Deriver::starts(const DerivedFact& fact, Obligation& out) {
  static const std::vector<DerivedFact> kNoFacts;
  static const std::vector<Hypothesis> kNone;
  Question question(p_, kNoFacts, kNone, options_);
  question.chase.explain = false;
  Execution& x = question.execution;
  const Scope scope = scope_for(question, fact, x.start(), Term{});
  question.assume(question.logic.terms.not_(x.holds(fact.formula, scope)), Principle::goal, "fails at the start");
  return ask(question, fact, "at the start", out);
}

/// From one step to any number of them: true of no step, and of two spans if
/// of each. Facts in `known` hold at all times.
bool Deriver::transitive(const DerivedFact& fact, const std::vector<DerivedFact>& known, Obligation& out) {
  static const std::vector<Hypothesis> kNone;
  Question question(p_, known, kNone, options_);
  question.chase.explain = false;
  Execution& x = question.execution;
  smt::TermManager& tm = question.logic.terms;
  const Term a = tm.constant("time 1", tm.integer_sort());
  const Term b = tm.constant("time 2", tm.integer_sort());
  const Term c = tm.constant("time 3", tm.integer_sort());
  question.assume(tm.and_({tm.lt(x.start(), a), tm.lt(a, b), tm.lt(b, c), tm.lt(c, x.last())}), Principle::hypothesis,
                  "in this order");
  Scope scope = scope_for(question, fact, b, a);
  const Term first = x.holds(fact.formula, scope);
  scope.time = c;
  scope.old_time = b;
  const Term second = x.holds(fact.formula, scope);
  scope.old_time = a;
  const Term both = x.holds(fact.formula, scope);
  scope.time = a;
  const Term none = x.holds(fact.formula, scope);
  question.assume(tm.or_({tm.and_({first, second, tm.not_(both)}), tm.not_(none)}), Principle::goal,
                  "not transitive, or not reflexive");
  return ask(question, fact, "over any number of steps", out);
}

void Deriver::one_state() {
  std::vector<Guess> guesses = guess_one_state(p_);
  std::vector<DerivedFact> candidates;
  keep_surviving(guesses, false);
  for (const Guess& guess : guesses) {
    if (stopped()) return;
    Obligation obligation;
    if (!starts(guess.fact, obligation)) continue;
    candidates.push_back(guess.fact);
  }
  // Houdini: the largest subset that each step keeps, all assumed together.
  for (bool changed = true; changed && !stopped();) {
    changed = false;
    for (std::size_t c = 0; c < candidates.size();) {
      bool kept = true;
      for (StepId step : p_[candidates[c].role].steps) {
        Obligation obligation;
        if (step_keeps(candidates[c], step, candidates, obligation)) continue;
        kept = false;
        break;
      }
      if (kept) {
        ++c;
      } else {
        candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(c));
        changed = true;
      }
    }
  }
  if (stopped()) return;
  for (const DerivedFact& fact : candidates) {
    Obligation at_start;
    starts(fact, at_start);
    obligations_.push_back(at_start);
    for (StepId step : p_[fact.role].steps) {
      Obligation obligation;
      step_keeps(fact, step, candidates, obligation);
      obligations_.push_back(obligation);
    }
    found_.push_back(fact);
  }
}

void Deriver::two_state() {
  std::vector<Guess> guesses = guess_two_state(p_);
  keep_surviving(guesses, true);
  std::stable_sort(guesses.begin(), guesses.end(), [](const Guess& a, const Guess& b) {
    return a.conditional != b.conditional ? b.conditional : a.strength > b.strength;
  });
  const std::vector<DerivedFact> one_state_facts = found_;
  std::vector<std::pair<ir::VarId, int>> unconditional;
  for (const Guess& guess : guesses) {
    if (stopped()) return;
    const bool superfluous = std::any_of(unconditional.begin(), unconditional.end(), [&](const auto& law) {
      return law.first == guess.fact.focus && law.second >= guess.strength;
    });
    if (superfluous) continue;
    std::vector<Obligation> mine;
    bool proved = true;
    for (StepId step : p_[guess.fact.role].steps) {
      mine.emplace_back();
      proved = proved && step_keeps(guess.fact, step, one_state_facts, mine.back());
      if (!proved) break;
    }
    if (proved) {
      mine.emplace_back();
      proved = transitive(guess.fact, found_, mine.back());
    }
    if (!proved) continue;
    obligations_.insert(obligations_.end(), mine.begin(), mine.end());
    found_.push_back(guess.fact);
    if (!guess.conditional) unconditional.emplace_back(guess.fact.focus, guess.strength);
  }
}

}  // namespace tenet::provenance
