#include "derive.h"

#include <algorithm>
#include <functional>

#include "tenet/ir/footprint.h"

namespace tenet::provenance {

using ir::ExprId;
using ir::RoleId;
using ir::StepId;
using smt::Term;

std::vector<DerivedFact> Deriver::derive() {
  one_state();
  two_state();
  return std::move(found_);
}

namespace {

/// One host and key for the whole question: named constants. The formula and the
/// free variables of the subject are those of the fact.
Scope scope_for(Question& question, const Subject& subject, Term time, Term old_time) {
  Execution& x = question.execution;
  const auto type_of = [&x](ir::LocalId local) { return x.protocol()[local].type; };
  Scope scope;
  scope.time = time;
  scope.old_time = old_time;
  const ir::LocalId host = subject.locals.front();
  const RoleId role(x.protocol()[type_of(host)].declaration);
  scope.locals[host] = x.host(role, question.logic.terms.constant("one host", question.logic.role_sort(role)));
  for (std::size_t k = 1; k < subject.locals.size(); ++k) {
    scope.locals[subject.locals[k]] = x.arbitrary(type_of(subject.locals[k]), "key");
  }
  return scope;
}

}  // namespace

bool Deriver::ask(std::string_view kind, Subject subject, const DerivedFact& fact,
                  const std::vector<DerivedFact>& known, const Answers::Setup& setup, const std::string& part,
                  Obligation& out) {
  subject.name = fact.name;
  subject.formulas = {fact.formula};
  subject.locals = {fact.host};
  subject.locals.insert(subject.locals.end(), fact.keys.begin(), fact.keys.end());
  out.kind = "derived fact";
  out.statement = fact.name;
  out.part = part;
  answers_.ask(kind, subject, {}, known, {}, setup).fill(out);
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
  Subject subject;
  subject.reach = Reach::step;
  subject.step = step;
  subject.only_step = true;
  const bool two_state = fact.two_state;
  const auto setup = [two_state](Question& question, const Subject& asked) {
    question.only_one_step();
    Execution& x = question.execution;
    smt::TermManager& tm = question.logic.terms;
    const ExprId formula = asked.formulas.front();
    const Scope scope = scope_for(question, asked, x.last(), x.before_last());
    const SymPtr host = scope.locals.at(asked.locals.front());
    const RoleId role = x.protocol()[asked.step].role;
    question.assume(
        tm.and_({x.is_step(x.before_last(), asked.step), tm.eq(x.actor(role, x.before_last()), host->term)}),
        Principle::hypothesis, "this step");
    if (!two_state) {
      Scope before = scope;
      before.time = x.before_last();
      question.assume(x.holds(formula, before), Principle::hypothesis, "holds before");
    }
    question.assume(tm.not_(x.holds(formula, scope)), Principle::goal, "fails after");
    return true;
  };
  return ask(two_state ? "a step keeps a fact about two states" : "a step keeps a fact", subject, fact, known, setup,
             "step " + p_[step].name, out);
}

bool Deriver::starts(const DerivedFact& fact, Obligation& out) {
  Subject subject;
  subject.reach = Reach::now;
  const auto setup = [](Question& question, const Subject& asked) {
    question.chase.explain = false;
    Execution& x = question.execution;
    const Scope scope = scope_for(question, asked, x.start(), Term{});
    question.assume(question.logic.terms.not_(x.holds(asked.formulas.front(), scope)), Principle::goal,
                    "fails at the start");
    return true;
  };
  return ask("a fact holds at the start", subject, fact, {}, setup, "at the start", out);
}

/// From one step to any number of them: true of no step, and of two spans if
/// of each. Facts in `known` hold at all times.
bool Deriver::transitive(const DerivedFact& fact, const std::vector<DerivedFact>& known, Obligation& out) {
  Subject subject;
  subject.reach = Reach::now;
  const auto setup = [](Question& question, const Subject& asked) {
    question.chase.explain = false;
    Execution& x = question.execution;
    smt::TermManager& tm = question.logic.terms;
    const ExprId formula = asked.formulas.front();
    const Term a = tm.constant("time 1", tm.integer_sort());
    const Term b = tm.constant("time 2", tm.integer_sort());
    const Term c = tm.constant("time 3", tm.integer_sort());
    question.assume(tm.and_({tm.le(x.start(), a), tm.lt(a, b), tm.lt(b, c), tm.lt(c, x.last())}), Principle::hypothesis,
                    "in this order");
    Scope scope = scope_for(question, asked, b, a);
    const Term first = x.holds(formula, scope);
    scope.time = c;
    scope.old_time = b;
    const Term second = x.holds(formula, scope);
    scope.old_time = a;
    const Term both = x.holds(formula, scope);
    scope.time = a;
    const Term none = x.holds(formula, scope);
    question.assume(tm.or_({tm.and_({first, second, tm.not_(both)}), tm.not_(none)}), Principle::goal,
                    "not transitive, or not reflexive");
    return true;
  };
  return ask("a fact is transitive", subject, fact, known, setup, "over any number of steps", out);
}

void Deriver::one_state() {
  struct Candidate {
    DerivedFact fact;
    Obligation start;
    std::vector<Obligation> steps;  ///< as asked last
  };
  std::vector<Guess> guesses = guess_one_state(p_);
  std::vector<Candidate> candidates;
  std::vector<DerivedFact> together;
  keep_surviving(guesses, false);
  for (const Guess& guess : guesses) {
    if (stopped()) return;
    Candidate candidate{guess.fact, {}, {}};
    if (!starts(guess.fact, candidate.start)) continue;
    candidates.push_back(std::move(candidate));
    together.push_back(guess.fact);
  }
  // Houdini: the largest subset that each step keeps, all assumed together.
  for (bool changed = true; changed && !stopped();) {
    changed = false;
    for (std::size_t c = 0; c < candidates.size();) {
      Candidate& candidate = candidates[c];
      candidate.steps.clear();
      const bool kept = std::ranges::all_of(p_[candidate.fact.role].steps, [&](StepId step) {
        return step_keeps(candidate.fact, step, together, candidate.steps.emplace_back());
      });
      if (kept) {
        ++c;
        continue;
      }
      candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(c));
      together.erase(together.begin() + static_cast<std::ptrdiff_t>(c));
      changed = true;
    }
  }
  if (stopped()) return;
  for (Candidate& candidate : candidates) {
    obligations_.push_back(std::move(candidate.start));
    obligations_.insert(obligations_.end(), candidate.steps.begin(), candidate.steps.end());
    found_.push_back(std::move(candidate.fact));
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
