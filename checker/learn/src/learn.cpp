#include "tenet/learn/learn.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "pool.h"
#include "samples.h"
#include "shrink.h"
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
constexpr std::int64_t kLargerSizes[] = {4, 5};
/// Of such a search, in Z3's unit.
constexpr std::uint64_t kSearchLimit = 3'000'000;
/// Of cvc5, where Z3 gives no answer for any number of hosts.
constexpr std::uint64_t kSecondLimit = 50'000;
/// For any number of hosts while lemmas are looked for: what can be shown is mostly shown with much less.
constexpr std::uint64_t kGeneralLimit = 600'000;
constexpr std::size_t kMostLemmas = 60;
constexpr std::size_t kMostViews = 32;
/// Values of all variables together, with three of each type.
constexpr double kMostChoices = 750;

/// "For every value of the first there is one of the second": such arrows must not form a circle, or no solver decides.
using Sorts = std::pair<ir::TypeId, ir::TypeId>;

/// One vocabulary with what holds in the samples. The views of a run are used together.
struct View {
  Template shape;
  Vocabulary vocabulary;
  std::unique_ptr<Table> table;
  std::unique_ptr<Pool> pool, all;  ///< `all`: as enumerated
};

/// A clause of a view.
struct Named {
  std::size_t view = 0;
  Clause clause;
  friend auto operator<=>(const Named&, const Named&) = default;
};

/// Something that is to be kept by all steps, and is assumed before them.
struct Goal {
  std::optional<ir::PropertyId> property;
  std::optional<Named> clause;
  ExprId formula;  ///< in the learner's protocol
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
  bool add_view(const Template& shape);
  void refill();
  Outcome strengthen();
  bool begin_questions();
  std::unique_ptr<induct::Questions> small_questions(std::int64_t size) const;
  std::optional<induct::Counterexample> search_larger(std::size_t goal, std::size_t at);

  // Goals
  std::size_t add_goal(Goal goal);
  std::size_t add_clause(const Named& named);
  ExprId formula_of(const Named& named);
  ExprId literal_of(const View& view, Literal literal);
  bool holds_at_start(std::size_t goal);
  /// Starts for which the goal fails teach the pool.
  void learn_start(std::size_t goal);
  void drop(std::size_t goal);
  std::vector<Sorts> arrows_of(const Named& named) const;
  bool acceptable(const Named& named) const;
  std::optional<Named> failing(const Sample& state);
  /// A state that every invariant holds in, as far as the views can tell.
  void learn_from(const Sample& state);

  // Induction
  enum class Found { kept, strengthened, weakened, hopeless };
  Found examine(std::size_t goal, std::size_t at);
  Found use(std::size_t goal, induct::Counterexample found);
  bool known(std::size_t goal, std::size_t at, std::size_t engine) const;

  Outcome search(const ir::Protocol& base);
  void finish(const ir::Protocol& base);
  std::vector<std::size_t> needed();
  void write_lemmas(const ir::Protocol& base, const std::vector<std::size_t>& goals);

  const Options& options_;
  std::vector<ir::PropertyId> properties_;
  Learned out_;
  Samples samples_;

  ir::Protocol protocol_;  ///< with the expressions of all views
  std::vector<View> views_;
  std::vector<std::unique_ptr<induct::Questions>> engines_;  ///< small instances first, any number of hosts last
  struct Larger {
    std::unique_ptr<induct::Questions> questions;
    std::size_t goals = 0;  ///< so many of the goals it knows
  };
  std::vector<Larger> larger_;  ///< instances that are asked last
  std::vector<Goal> goals_;
  std::vector<std::size_t> active_;
  std::set<Named> tried_;   ///< clauses that are or were goals
  std::set<ExprId> seeds_;  ///< seeds that may still become goals
  /// By goal, case and engine: kept if these goals hold before.
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::vector<std::size_t>> kept_;
  std::set<Sorts> axiom_arrows_;
  std::map<std::size_t, std::vector<Sorts>> goal_arrows_;
  std::string failure_;
};

/// The arrows of a formula that is true, `outer` being universally quantified around it.
void arrows(const ir::Protocol& p, ExprId id, bool positive, std::set<ir::TypeId> outer, std::set<Sorts>& out) {
  const ir::Expr& node = p[id];
  switch (node.op) {
    case Op::not_:
      return arrows(p, node.args[0], !positive, std::move(outer), out);
    case Op::implies:
      arrows(p, node.args[0], !positive, outer, out);
      return arrows(p, node.args[1], positive, std::move(outer), out);
    case Op::iff:
      for (const bool sign : {false, true}) {
        for (const ExprId arg : node.args) arrows(p, arg, sign, outer, out);
      }
      return;
    case Op::and_:
    case Op::or_:
      for (const ExprId arg : node.args) arrows(p, arg, positive, outer, out);
      return;
    case Op::forall:
    case Op::exists:
      for (const ir::LocalId binder : node.binders) {
        const ir::TypeId type = p[binder].type;
        if ((node.op == Op::forall) == positive) {
          outer.insert(type);
        } else {
          for (const ir::TypeId from : outer) out.emplace(from, type);
        }
      }
      return arrows(p, node.args[0], positive, std::move(outer), out);
    default:
      return;
  }
}

/// Whether a formula is about a step.
bool two_states(const ir::Protocol& p, ExprId id) {
  const ir::Expr& node = p[id];
  return node.op == Op::old ||
         std::any_of(node.args.begin(), node.args.end(), [&](ExprId arg) { return arg.valid() && two_states(p, arg); });
}

/// Whether there is a way from one to the other.
bool leads(const std::set<Sorts>& arrows, ir::TypeId from, ir::TypeId to, std::set<ir::TypeId>& seen) {
  if (from == to) return true;
  if (!seen.insert(from).second) return false;
  return std::any_of(arrows.begin(), arrows.end(),
                     [&](const Sorts& a) { return a.first == from && leads(arrows, a.second, to, seen); });
}

// --- Formulas ------------------------------------------------------------------

ExprId Learner::literal_of(const View& view, Literal literal) {
  ir::Builder b(protocol_);
  const LiteralMeaning& meaning = (*view.table)[literal];
  if (meaning.plain) {
    const ExprId atom = view.vocabulary.atoms[meaning.atom].formula;
    return meaning.negative ? b.negate(atom) : atom;
  }
  std::vector<ExprId> parts;
  for (const Literal part : meaning.parts) parts.push_back(literal_of(view, part));
  return b.quantifier(Op::exists, {view.vocabulary.variables[meaning.variable].local}, b.conjunction(parts));
}

/// As an implication where that reads better.
ExprId Learner::formula_of(const Named& named) {
  const View& view = views_[named.view];
  ir::Builder b(protocol_);
  std::vector<ExprId> left, right;
  std::set<std::size_t> used;
  for (const Literal l : named.clause) {
    const LiteralMeaning& meaning = (*view.table)[l];
    used.insert(view.table->variables(l).begin(), view.table->variables(l).end());
    if (meaning.plain && meaning.negative) {
      left.push_back(view.vocabulary.atoms[meaning.atom].formula);
    } else {
      right.push_back(literal_of(view, l));
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
  for (const std::size_t x : used) binders.push_back(view.vocabulary.variables[x].local);
  return b.quantifier(Op::forall, binders, body);
}

// --- Goals ---------------------------------------------------------------------

std::size_t Learner::add_goal(Goal goal) {
  for (auto& engine : engines_) (void)engine->claim(transplanted(protocol_, goal.formula, engine->protocol()));
  goals_.push_back(std::move(goal));
  active_.push_back(goals_.size() - 1);
  return goals_.size() - 1;
}

std::size_t Learner::add_clause(const Named& named) {
  tried_.insert(named);
  goal_arrows_[goals_.size()] = arrows_of(named);
  return add_goal({std::nullopt, named, formula_of(named)});
}

void Learner::drop(std::size_t goal) {
  std::erase(active_, goal);
  goal_arrows_.erase(goal);
}

std::vector<Sorts> Learner::arrows_of(const Named& named) const {
  const View& view = views_[named.view];
  std::vector<Sorts> made;
  for (const Literal l : named.clause) {
    if ((*view.table)[l].plain) continue;
    const ir::TypeId to = view.vocabulary.variables[(*view.table)[l].variable].type;
    for (const std::size_t x : view.table->variables(l)) made.emplace_back(view.vocabulary.variables[x].type, to);
  }
  return made;
}

bool Learner::acceptable(const Named& named) const {
  if (tried_.contains(named)) return false;
  const std::vector<Sorts> mine = arrows_of(named);
  if (mine.empty()) return true;
  std::set<Sorts> all = axiom_arrows_;
  for (const auto& [goal, theirs] : goal_arrows_) all.insert(theirs.begin(), theirs.end());
  all.insert(mine.begin(), mine.end());
  return std::none_of(mine.begin(), mine.end(), [&](const Sorts& arrow) {
    std::set<ir::TypeId> seen;
    return leads(all, arrow.second, arrow.first, seen);
  });
}

std::optional<Named> Learner::failing(const Sample& state) {
  for (std::size_t v = 0; v < views_.size(); ++v) {
    auto found =
        views_[v].pool->failing(views_[v].table->rows_of(state), [&](const Clause& c) { return acceptable({v, c}); });
    if (found) return Named{v, std::move(*found)};
  }
  return std::nullopt;
}

void Learner::learn_from(const Sample& state) {
  for (const View& view : views_) view.pool->learn(view.table->rows_of(state));
}

void Learner::learn_start(std::size_t goal) {
  const std::size_t asked[] = {goal};
  for (std::size_t e = 0; e + 1 < engines_.size(); ++e) {
    ++out_.statistics.questions;
    const induct::Reply reply = engines_[e]->initiation(asked);
    if (!reply.counterexample) continue;
    return learn_from({&reply.counterexample->instance, reply.counterexample->constants, reply.counterexample->before});
  }
}

bool Learner::holds_at_start(std::size_t goal) {
  const std::size_t asked[] = {goal};
  ++out_.statistics.questions;
  return engines_.back()->initiation(asked).verdict == induct::Verdict::discharged;
}

std::unique_ptr<induct::Questions> Learner::small_questions(std::int64_t size) const {
  induct::QuestionOptions small;
  small.resource_limit = kSearchLimit;
  small.seed = options_.seed;
  small.stop = options_.stop;
  return std::make_unique<induct::Questions>(
      protocol_,
      induct::instance_of_size(protocol_, std::vector<std::int64_t>(protocol_.roles.size(), size),
                               std::vector<std::int64_t>(protocol_.sorts.size(), size), size),
      small);
}

bool Learner::begin_questions() {
  engines_.clear();
  larger_.clear();
  for (const std::int64_t size : kSizes) engines_.push_back(small_questions(size));
  induct::QuestionOptions general;
  general.resource_limit = std::min(options_.resource_limit, kGeneralLimit);
  general.seed = options_.seed;
  general.stop = options_.stop;
  general.second_limit = kSecondLimit;
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
    const auto ask = [&](const std::vector<std::size_t>& hypotheses) {
      ++out_.statistics.questions;
      return definedness ? engines_[e]->step_defined(at, hypotheses) : engines_[e]->consecution(at, hypotheses, asked);
    };
    induct::Reply reply;
    const auto smaller = e > 0 ? kept_.find({goal, at, e - 1}) : kept_.end();
    // What was enough for the smaller instances is often enough, and a smaller question.
    if (smaller != kept_.end()) reply = ask(smaller->second);
    if (reply.verdict != induct::Verdict::discharged) reply = ask(active_);
    if (reply.verdict == induct::Verdict::discharged) {
      if (std::find(reply.core.begin(), reply.core.end(), goal) == reply.core.end() && !definedness) {
        reply.core.push_back(goal);
      }
      kept_[{goal, at, e}] = std::move(reply.core);
      continue;
    }
    if (reply.counterexample) return use(goal, std::move(*reply.counterexample));
    if (e + 1 < engines_.size()) continue;  // no answer for a small instance: the last one decides
    if (auto found = search_larger(goal, at)) return use(goal, std::move(*found));
    // No two states to learn from.
    if (definedness || goals_[goal].property) {
      failure_ = reply.verdict == induct::Verdict::refuted ? "the solver has a model, but no small instance shows it"
                                                           : "the solver gave no answer: " + reply.reason;
      return Found::hopeless;
    }
    drop(goal);  // it was tried, and is not again
    return Found::weakened;
  }
  return Found::kept;
}

/// What has a model for any number of hosts may have one in an instance that is a little larger.
std::optional<induct::Counterexample> Learner::search_larger(std::size_t goal, std::size_t at) {
  for (std::size_t i = 0; i < std::size(kLargerSizes); ++i) {
    if (larger_.size() <= i) larger_.push_back(Larger{small_questions(kLargerSizes[i]), 0});
    induct::Questions& questions = *larger_[i].questions;
    ++out_.statistics.questions;
    for (std::size_t& known = larger_[i].goals; known < goals_.size(); ++known) {
      (void)questions.claim(transplanted(protocol_, goals_[known].formula, questions.protocol()));
    }
    const std::size_t asked[] = {goal};
    induct::Reply reply = goal == induct::Obligation::kNone ? questions.step_defined(at, active_)
                                                            : questions.consecution(at, active_, asked);
    if (reply.counterexample) return std::move(reply.counterexample);
  }
  return std::nullopt;
}

/// The state before has to be impossible, or else the state after is possible.
Learner::Found Learner::use(std::size_t goal, induct::Counterexample found) {
  std::vector<ExprId> hypotheses;
  for (const std::size_t each : active_) {
    if (!two_states(protocol_, goals_[each].formula)) hypotheses.push_back(goals_[each].formula);
  }
  shrink(protocol_, hypotheses, goal == induct::Obligation::kNone ? ExprId{} : goals_[goal].formula, found);
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
  while (const auto clause = failing(before)) {
    if (active_.size() > kMostLemmas) {
      failure_ = "too many lemmas";
      return Found::hopeless;
    }
    const std::size_t added = add_clause(*clause);
    if (holds_at_start(added)) return Found::strengthened;
    drop(added);
    learn_start(added);
  }
  if (goal == induct::Obligation::kNone || goals_[goal].property || !found.after) {
    failure_ = "no clause of this form excludes a state that leads to a violation";
    return Found::hopeless;
  }
  // Every candidate holds before the step, so what holds of all reachable states holds after it.
  learn_from({&found.instance, found.constants, *found.after});
  bool dropped = false;
  for (const std::size_t each : std::vector<std::size_t>(active_)) {
    const auto& clause = goals_[each].clause;
    if (!clause || views_[clause->view].pool->contains(clause->clause)) continue;
    drop(each);
    dropped = true;
  }
  if (!dropped) drop(goal);
  return Found::weakened;
}

Learner::Outcome Learner::strengthen() {
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
      say(fmt::format("{} lemmas, {} questions", active_.size() - properties_.size(), out_.statistics.questions));
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
  for (const ir::TypeId type : types) stated.try_emplace(type, 1);
  std::erase_if(stated,
                [&](const auto& each) { return std::find(types.begin(), types.end(), each.first) == types.end(); });
  // One more of each type, one more of all types; with and without "there is"; longer clauses.
  std::vector<Template> all;
  const auto add = [&](const std::map<ir::TypeId, std::size_t>& counts, bool existential, std::size_t literals) {
    double rows = 1;
    for (const auto& [type, count] : counts) rows *= std::pow(3, count);
    if (rows > kMostChoices) return;
    const bool there = std::any_of(all.begin(), all.end(), [&](const Template& t) {
      return t.universal == counts && t.existential == existential && t.literals >= literals;
    });
    if (!there) all.push_back({counts, existential, literals});
  };
  std::vector<std::map<ir::TypeId, std::size_t>> wider{stated};
  for (const std::size_t more : {std::size_t{1}, std::size_t{2}}) {
    for (const ir::TypeId type : types) {
      wider.push_back(stated);
      wider.back()[type] += more;
    }
  }
  std::map<ir::TypeId, std::size_t> two = stated;
  for (auto& [type, count] : two) count = std::max<std::size_t>(count, 2);
  add(stated, false, 3);
  add(stated, true, 3);
  for (const auto& each : wider) add(each, false, 3);
  add(stated, false, 4);
  add(two, false, 4);
  for (const auto& each : wider) add(each, true, 3);
  add(two, true, 3);
  for (const auto& each : wider) add(each, false, 4);
  add(stated, true, 4);
  return all;
}

/// Returns false if it was stopped.
bool Learner::add_view(const Template& shape) {
  ++out_.statistics.rounds;
  View view;
  view.shape = shape;
  view.vocabulary = make_vocabulary(protocol_, shape);
  views_.push_back(std::move(view));
  View& kept = views_.back();
  kept.table = std::make_unique<Table>(protocol_, kept.vocabulary);
  kept.table->fill(samples_.states, shape.existential);
  if (stopped()) return false;
  kept.all = std::make_unique<Pool>(*kept.table, shape.literals);
  kept.all->enumerate([&] { return stopped(); });
  out_.statistics.atoms = std::max(out_.statistics.atoms, kept.vocabulary.atoms.size());
  out_.statistics.candidates += kept.all->size();
  say(fmt::format("{} atoms, {} literals, {} different rows, {} candidates", kept.vocabulary.atoms.size(),
                  kept.table->literals(), kept.table->rows().size(), kept.all->size()));
  return !stopped();
}

/// With more to choose from, what was taken away may be good after all.
void Learner::refill() {
  for (View& view : views_) view.pool = std::make_unique<Pool>(*view.all);
  tried_.clear();
  for (const std::size_t goal : active_) {
    if (goals_[goal].clause) tried_.insert(*goals_[goal].clause);
  }
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
  std::size_t number = 0;
  for (const std::size_t goal : goals) {
    if (goals_[goal].property) continue;
    Lemma lemma;
    lemma.name = fmt::format("learned_{}", ++number);
    lemma.formula = transplanted(protocol_, goals_[goal].formula, out_.protocol);
    lemma.text = ir::to_source(out_.protocol, lemma.formula);
    out_.lemmas.push_back(std::move(lemma));
  }
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

Learner::Outcome Learner::search(const ir::Protocol& base) {
  protocol_ = base;
  if (!begin_questions()) return Outcome::failed;
  for (const ir::Formula& axiom : base.axioms) arrows(base, axiom.formula, true, {}, axiom_arrows_);
  for (const ir::PropertyId id : properties_) arrows(base, base[id].formula, true, {}, axiom_arrows_);
  seeds_ = {options_.seeds.begin(), options_.seeds.end()};
  for (const ir::PropertyId id : properties_) {
    const std::size_t added = add_goal({id, std::nullopt, protocol_[id].formula});
    if (holds_at_start(added)) continue;
    failure_ = "'" + protocol_[id].name + "' is not shown to hold at the start";
    return Outcome::failed;
  }
  views_.reserve(kMostViews);
  for (const Template& shape : templates()) {
    if (views_.size() == kMostViews) break;
    if (!add_view(shape)) return Outcome::stopped;
    refill();
    const Outcome outcome = strengthen();
    if (outcome != Outcome::failed) return outcome;
    say("more is needed: " + failure_);
  }
  return Outcome::failed;
}

Learned Learner::run() {
  const auto begun = std::chrono::steady_clock::now();
  const ir::Protocol base = out_.protocol;
  say("sampling");
  samples_ = sample(base, properties_, options_.stop);
  out_.statistics.states = samples_.states.size();
  out_.violations = samples_.violations;
  std::erase_if(properties_, [&](ir::PropertyId id) {
    return std::any_of(out_.violations.begin(), out_.violations.end(),
                       [&](const Violation& v) { return v.found.property == id; });
  });
  if (samples_.faulty()) {
    out_.reason = "a small instance reads what is not there";
  } else if (properties_.empty()) {
    out_.reason = "there is nothing to prove";
  } else {
    const Outcome outcome = search(base);
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
