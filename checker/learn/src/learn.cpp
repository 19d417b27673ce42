#include "tenet/learn/learn.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "pool.h"
#include "samples.h"
#include "table.h"
#include "tenet/induct/questions.h"
#include "tenet/ir/builder.h"
#include "tenet/ir/printer.h"
#include "values.h"
#include "vocabulary.h"

namespace tenet::learn {

namespace {

using ir::ExprId;
using ir::Op;

/// Two states that show a failure are looked for in instances with so many of everything.
constexpr std::int64_t kSizes[] = {2, 3};
/// Of such a search, in Z3's unit.
constexpr std::uint64_t kSearchLimit = 3'000'000;
/// Rounds of one vocabulary.
constexpr std::size_t kMostLemmas = 60;

/// Something that is to be kept by all steps, and is assumed before them.
struct Goal {
  std::optional<ir::PropertyId> property;
  std::optional<Clause> clause;
  ExprId formula;  ///< of a property or seed
};

class Learner {
 public:
  Learner(const ir::Protocol& protocol, const Options& options) : options_(options) {
    out_.protocol = protocol;
    properties_ = options.properties;
    if (properties_.empty()) {
      for (const ir::PropertyId id : induct::stated_claims(protocol)) {
        if (protocol[id].kind != ir::PropertyKind::lemma) properties_.push_back(id);
      }
    }
  }

  Learned run();

 private:
  enum class Outcome { solved, failed, stopped };

  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->requested(); }
  void say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }
  std::vector<Template> templates();
  Outcome attempt(const ir::Protocol& base, const Template& shape);
  Outcome strengthen();
  bool begin_questions();

  // Goals
  std::size_t add_goal(Goal goal);
  ExprId formula_in(ir::Protocol& protocol, const Goal& goal) const;
  ExprId clause_in(ir::Protocol& protocol, const Clause& clause) const;
  ExprId literal_in(ir::Protocol& protocol, Literal literal) const;
  bool holds_at_start(std::size_t goal);
  void drop(std::size_t goal);

  // Induction
  enum class Found { kept, strengthened, weakened, hopeless };
  Found examine(std::size_t goal, std::size_t at);
  Found use(std::size_t goal, const induct::Counterexample& found);
  bool known(std::size_t goal, std::size_t at, std::size_t engine) const;

  void finish(const ir::Protocol& base);
  std::vector<std::size_t> needed();
  void write_lemmas(const ir::Protocol& base, const std::vector<std::size_t>& goals);

  const Options& options_;
  std::vector<ir::PropertyId> properties_;
  Learned out_;
  Samples samples_;

  // Of one vocabulary
  ir::Protocol protocol_;
  std::unique_ptr<Vocabulary> vocabulary_;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Pool> pool_;
  std::vector<std::unique_ptr<induct::Questions>> engines_;  ///< small instances first, any number of hosts last
  std::vector<Goal> goals_;
  std::vector<std::size_t> active_;
  std::set<Clause> tried_;  ///< clauses that are or were goals
  std::set<ExprId> seeds_;  ///< seeds that may still become goals
  /// By goal, case and engine: kept if these goals hold before.
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::vector<std::size_t>> kept_;
  std::string failure_;
};

// --- Formulas ------------------------------------------------------------------

ExprId Learner::literal_in(ir::Protocol& protocol, Literal literal) const {
  ir::Builder b(protocol);
  const LiteralMeaning& meaning = (*table_)[literal];
  if (meaning.plain) {
    const ExprId atom = vocabulary_->atoms[meaning.atom].formula;
    return meaning.negative ? b.negate(atom) : atom;
  }
  std::vector<ExprId> parts;
  for (const Literal part : meaning.parts) parts.push_back(literal_in(protocol, part));
  return b.quantifier(Op::exists, {vocabulary_->variables[meaning.variable].local}, b.conjunction(parts));
}

/// As an implication where that reads better.
ExprId Learner::clause_in(ir::Protocol& protocol, const Clause& clause) const {
  ir::Builder b(protocol);
  std::vector<ExprId> left, right;
  std::set<std::size_t> used;
  for (const Literal l : clause) {
    const LiteralMeaning& meaning = (*table_)[l];
    used.insert(table_->variables(l).begin(), table_->variables(l).end());
    if (meaning.plain && meaning.negative) {
      left.push_back(vocabulary_->atoms[meaning.atom].formula);
    } else {
      right.push_back(literal_in(protocol, l));
    }
  }
  ExprId body;
  if (left.empty()) {
    body = b.disjunction(right);
  } else if (right.empty()) {
    body = b.negate(b.conjunction(left));
  } else {
    body = b.binary(Op::implies, b.conjunction(left), b.disjunction(right));
  }
  if (used.empty()) return body;
  std::vector<ir::LocalId> binders;
  for (const std::size_t x : used) binders.push_back(vocabulary_->variables[x].local);
  return b.quantifier(Op::forall, binders, body);
}

ExprId Learner::formula_in(ir::Protocol& protocol, const Goal& goal) const {
  return goal.clause ? clause_in(protocol, *goal.clause) : goal.formula;
}

// --- Goals ---------------------------------------------------------------------

std::size_t Learner::add_goal(Goal goal) {
  for (auto& engine : engines_) (void)engine->claim(formula_in(engine->protocol(), goal));
  if (goal.clause) tried_.insert(*goal.clause);
  goals_.push_back(std::move(goal));
  active_.push_back(goals_.size() - 1);
  return goals_.size() - 1;
}

void Learner::drop(std::size_t goal) { std::erase(active_, goal); }

bool Learner::holds_at_start(std::size_t goal) {
  const std::size_t asked[] = {goal};
  ++out_.statistics.questions;
  return engines_.back()->initiation(asked).verdict == induct::Verdict::discharged;
}

bool Learner::begin_questions() {
  engines_.clear();
  for (const std::int64_t size : kSizes) {
    induct::QuestionOptions small;
    small.resource_limit = kSearchLimit;
    small.seed = options_.seed;
    engines_.push_back(std::make_unique<induct::Questions>(
        protocol_,
        induct::instance_of_size(protocol_, std::vector<std::int64_t>(protocol_.roles.size(), size),
                                 std::vector<std::int64_t>(protocol_.sorts.size(), size), size),
        small));
  }
  induct::QuestionOptions general;
  general.resource_limit = options_.resource_limit;
  general.seed = options_.seed;
  engines_.push_back(std::make_unique<induct::Questions>(protocol_, general));
  if (engines_.back()->refused().empty()) return true;
  failure_ = "no translation: " + engines_.back()->refused();
  return false;
}

// --- Induction -----------------------------------------------------------------

bool Learner::known(std::size_t goal, std::size_t at, std::size_t engine) const {
  const auto found = kept_.find({goal, at, engine});
  if (found == kept_.end()) return false;
  return std::all_of(found->second.begin(), found->second.end(), [&](std::size_t needed) {
    return std::find(active_.begin(), active_.end(), needed) != active_.end();
  });
}

/// Whether the step keeps the goal (`at` past all cases: is defined, and then the goal is the step).
Learner::Found Learner::examine(std::size_t goal, std::size_t at) {
  const bool definedness = goal == induct::Obligation::kNone;
  for (std::size_t e = 0; e < engines_.size(); ++e) {
    if (known(goal, at, e)) continue;
    const std::size_t asked[] = {goal};
    ++out_.statistics.questions;
    induct::Reply reply = definedness ? engines_[e]->step_defined(at, active_)
                                      : engines_[e]->consecution(at, active_, asked);
    if (reply.verdict == induct::Verdict::discharged) {
      if (std::find(reply.core.begin(), reply.core.end(), goal) == reply.core.end() && !definedness) {
        reply.core.push_back(goal);
      }
      kept_[{goal, at, e}] = std::move(reply.core);
      continue;
    }
    if (reply.counterexample) return use(goal, *reply.counterexample);
    if (e + 1 < engines_.size()) continue;  // no answer for a small instance: the last one decides
    // No two states to learn from.
    if (definedness || goals_[goal].property) {
      failure_ = reply.verdict == induct::Verdict::refuted ? "the solver has a model, but no small instance shows it"
                                                           : "the solver gave no answer: " + reply.reason;
      return Found::hopeless;
    }
    if (goals_[goal].clause) pool_->remove(*goals_[goal].clause);
    drop(goal);
    return Found::weakened;
  }
  return Found::kept;
}

/// The state before has to be impossible, or else the state after is possible.
Learner::Found Learner::use(std::size_t goal, const induct::Counterexample& found) {
  const Sample before{&found.instance, found.constants, found.before};
  Values values(protocol_);
  for (const ExprId seed : std::vector<ExprId>(seeds_.begin(), seeds_.end())) {
    values.look_at(before);
    const bool holds = values.truth(seed);
    if (!values.known() || holds) continue;
    seeds_.erase(seed);
    const std::size_t added = add_goal({std::nullopt, std::nullopt, seed});
    if (holds_at_start(added)) return Found::strengthened;
    drop(added);
  }
  const std::vector<Row> rows = table_->rows_of(before);
  while (const auto clause = pool_->failing(rows, tried_)) {
    if (active_.size() > kMostLemmas) {
      failure_ = "too many lemmas";
      return Found::hopeless;
    }
    const std::size_t added = add_goal({std::nullopt, clause, {}});
    if (holds_at_start(added)) return Found::strengthened;
    drop(added);
    pool_->remove(*clause);
  }
  if (goal == induct::Obligation::kNone || goals_[goal].property || !found.after) {
    failure_ = "no clause of this form excludes a state that leads to a violation";
    return Found::hopeless;
  }
  // Everything in the pool holds before the step, so what holds of all reachable states holds after it.
  const Sample after{&found.instance, found.constants, *found.after};
  pool_->learn(table_->rows_of(after));
  bool dropped = false;
  for (const std::size_t each : std::vector<std::size_t>(active_)) {
    if (!goals_[each].clause || pool_->contains(*goals_[each].clause)) continue;
    drop(each);
    dropped = true;
  }
  if (!dropped) drop(goal);  // a seed
  return Found::weakened;
}

Learner::Outcome Learner::strengthen() {
  for (const ir::PropertyId id : properties_) {
    const std::size_t added = add_goal({id, std::nullopt, protocol_[id].formula});
    if (!holds_at_start(added)) {
      failure_ = "'" + protocol_[id].name + "' is not shown to hold at the start";
      return Outcome::failed;
    }
  }
  const induct::Questions& questions = *engines_.back();
  for (bool changed = true; changed;) {
    changed = false;
    // Newest goals last: what they need is found when the older ones are kept.
    for (std::size_t i = 0; i < active_.size() && !changed; ++i) {
      for (std::size_t at = 0; at < questions.cases() && !changed; ++at) {
        if (stopped()) return Outcome::stopped;
        const std::size_t goal = active_[i];
        if (!questions.touches(at, goal)) continue;
        const Found found = examine(goal, at);
        if (found == Found::hopeless) return Outcome::failed;
        changed = found != Found::kept;
      }
    }
    for (std::size_t at = 0; at < questions.cases() && !changed; ++at) {
      if (stopped()) return Outcome::stopped;
      const Found found = examine(induct::Obligation::kNone, at);
      if (found == Found::hopeless) return Outcome::failed;
      changed = found != Found::kept;
    }
    if (changed) {
      say(fmt::format("{} lemmas, {} candidates, {} questions", active_.size() - properties_.size(), pool_->size(),
                      out_.statistics.questions));
    }
  }
  return Outcome::solved;
}

// --- Vocabularies --------------------------------------------------------------

/// From small to large.
std::vector<Template> Learner::templates() {
  ir::Protocol copy = out_.protocol;
  const std::vector<ir::TypeId> types = quantified_types(copy);
  // As many variables as the claims themselves have.
  std::map<ir::TypeId, std::size_t> stated;
  for (const ir::PropertyId id : properties_) {
    std::map<ir::TypeId, std::size_t> here;
    const std::function<void(ExprId)> look = [&](ExprId e) {
      const ir::Expr& node = copy[e];
      for (const ir::LocalId binder : node.binders) ++here[copy[binder].type];
      for (const ExprId arg : node.args) {
        if (arg.valid()) look(arg);
      }
    };
    look(copy[id].formula);
    for (const auto& [type, count] : here) stated[type] = std::max(stated[type], std::min<std::size_t>(count, 3));
  }
  std::vector<Template> all;
  const auto add = [&](std::size_t least, std::size_t most, bool existential, std::size_t literals) {
    Template shape;
    shape.existential = existential;
    shape.literals = literals;
    for (const ir::TypeId type : types) {
      const auto found = stated.find(type);
      const std::size_t want = found == stated.end() ? 1 : found->second;
      shape.universal[type] = std::min(std::max(want, least), most);
    }
    all.push_back(std::move(shape));
  };
  add(1, 2, false, 3);
  add(1, 2, true, 3);
  add(2, 2, false, 4);
  add(2, 2, true, 3);
  add(2, 3, false, 4);
  add(3, 3, false, 3);
  add(2, 2, true, 4);
  return all;
}

Learner::Outcome Learner::attempt(const ir::Protocol& base, const Template& shape) {
  ++out_.statistics.rounds;
  failure_.clear();
  goals_.clear();
  active_.clear();
  tried_.clear();
  kept_.clear();
  seeds_ = {options_.seeds.begin(), options_.seeds.end()};
  pool_.reset();
  table_.reset();
  protocol_ = base;
  vocabulary_ = std::make_unique<Vocabulary>(make_vocabulary(protocol_, shape));
  out_.statistics.atoms = vocabulary_->atoms.size();
  table_ = std::make_unique<Table>(protocol_, *vocabulary_);
  table_->fill(samples_.states, shape.existential);
  say(fmt::format("{} atoms, {} literals, {} different rows", vocabulary_->atoms.size(), table_->literals(),
                  table_->rows().size()));
  pool_ = std::make_unique<Pool>(*table_, shape.literals);
  pool_->enumerate([&] { return stopped(); });
  out_.statistics.candidates += pool_->size();
  say(fmt::format("{} candidates", pool_->size()));
  if (stopped()) return Outcome::stopped;
  if (!begin_questions()) return Outcome::failed;
  return strengthen();
}

// --- What was found --------------------------------------------------------------

/// The goals that the properties need, by the cores of the answers for any number of hosts.
std::vector<std::size_t> Learner::needed() {
  const std::size_t last = engines_.size() - 1;
  std::set<std::size_t> all;
  std::vector<std::size_t> open;
  const auto need = [&](std::size_t goal) {
    if (all.insert(goal).second) open.push_back(goal);
  };
  for (const std::size_t goal : active_) {
    if (goals_[goal].property) need(goal);
  }
  const auto from = [&](std::size_t goal) {
    for (std::size_t at = 0; at < engines_[last]->cases(); ++at) {
      const auto found = kept_.find({goal, at, last});
      if (found == kept_.end()) continue;
      for (const std::size_t each : found->second) need(each);
    }
  };
  from(induct::Obligation::kNone);
  while (!open.empty()) {
    const std::size_t goal = open.back();
    open.pop_back();
    from(goal);
  }
  return {all.begin(), all.end()};
}

void Learner::write_lemmas(const ir::Protocol& base, const std::vector<std::size_t>& goals) {
  out_.protocol = base;
  out_.lemmas.clear();
  // The vocabulary's expressions, with variables of their own for every lemma.
  ir::Protocol made = protocol_;
  std::size_t number = 0;
  for (const std::size_t goal : goals) {
    if (goals_[goal].property) continue;
    ExprId formula = formula_in(made, goals_[goal]);
    if (goals_[goal].clause) {
      ir::Builder b(made);
      const std::function<ExprId(ExprId)> own = [&](ExprId id) -> ExprId {
        ir::Expr node = made[id];
        if (node.op != Op::forall && node.op != Op::exists) {
          for (ExprId& arg : node.args) {
            if (arg.valid()) arg = own(arg);
          }
          return made.add(std::move(node));
        }
        std::map<ir::LocalId, ExprId> map;
        std::vector<ir::LocalId> binders;
        for (const ir::LocalId binder : node.binders) {
          binders.push_back(made.add(ir::LocalDecl(made[binder])));
          map[binder] = b.local(binders.back());
        }
        node.binders = binders;
        for (ExprId& arg : node.args) arg = own(substituted(made, arg, map));
        return made.add(std::move(node));
      };
      formula = own(formula);
    }
    Lemma lemma;
    lemma.name = fmt::format("learned_{}", ++number);
    lemma.formula = formula;
    lemma.text = ir::to_source(made, formula);
    out_.lemmas.push_back(std::move(lemma));
  }
  out_.protocol = std::move(made);
}

void Learner::finish(const ir::Protocol& base) {
  std::vector<std::size_t> goals = needed();
  // Leave out one after the other, the last found first, as long as the rest is inductive.
  const auto inductive = [&](const std::vector<std::size_t>& rest) {
    induct::Questions& questions = *engines_.back();
    for (std::size_t at = 0; at < questions.cases(); ++at) {
      for (const std::size_t goal : rest) {
        if (!questions.touches(at, goal)) continue;
        const std::size_t asked[] = {goal};
        ++out_.statistics.questions;
        if (questions.consecution(at, rest, asked).verdict != induct::Verdict::discharged) return false;
      }
      if (questions.step_defined(at, rest).verdict != induct::Verdict::discharged) return false;
    }
    return true;
  };
  for (std::size_t i = goals.size(); i-- > 0 && !stopped();) {
    if (goals_[goals[i]].property) continue;
    std::vector<std::size_t> rest = goals;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    if (inductive(rest)) goals = std::move(rest);
  }
  write_lemmas(base, goals);
  for (const Lemma& lemma : out_.lemmas) out_.claims.push_back({lemma.name, lemma.formula});
  for (const ir::PropertyId id : properties_) out_.claims.push_back(induct::claim_of(out_.protocol, id));
  induct::Options check;
  check.resource_limit = options_.resource_limit;
  check.seed = options_.seed;
  check.threads = options_.threads;
  check.keep_queries = options_.keep_queries;
  check.counterexamples = false;
  check.stop = options_.stop;
  say("asking again from the beginning");
  out_.report = induct::check(out_.protocol, out_.claims, check);
  for (std::size_t i = 0; i < properties_.size(); ++i) {
    if (out_.report.proved[out_.lemmas.size() + i]) out_.proved.push_back(properties_[i]);
  }
  if (out_.proved.size() < properties_.size()) out_.reason = "the final check did not confirm it";
}

Learned Learner::run() {
  const auto begun = std::chrono::steady_clock::now();
  const ir::Protocol base = out_.protocol;
  say("sampling");
  samples_ = sample(base, properties_, options_.stop);
  out_.statistics.states = samples_.states.size();
  if (samples_.violated) {
    out_.reason = "a small instance violates a claim";
  } else if (properties_.empty()) {
    out_.reason = "there is nothing to prove";
  } else {
    Outcome outcome = Outcome::failed;
    for (const Template& shape : templates()) {
      outcome = attempt(base, shape);
      if (outcome != Outcome::failed) break;
      say("not with this vocabulary: " + failure_);
    }
    if (outcome == Outcome::solved) {
      finish(base);
    } else {
      out_.reason = outcome == Outcome::stopped ? "interrupted" : failure_;
    }
  }
  out_.statistics.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return std::move(out_);
}

}  // namespace

Learned learn(const ir::Protocol& protocol, const Options& options) { return Learner(protocol, options).run(); }

}  // namespace tenet::learn
