#include "tenet/learn/learn.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <variant>

#include <fmt/format.h>

#include "keeping.h"
#include "samples.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/printer.h"
#include "values.h"
#include "views.h"
#include "vocabulary.h"

namespace tenet::learn {

namespace {

using ir::ExprId;

/// For any number of hosts while lemmas are looked for: what can be shown is mostly shown with much less.
constexpr std::uint64_t kGeneralLimit = 600'000;
constexpr std::size_t kMostLemmas = 150;
constexpr std::size_t kMostViews = 32;
/// Values of all variables together, with three of each type.
constexpr double kMostChoices = 750;
/// With more, and several types that no claim is about, each of these has its own vocabularies.
constexpr double kManyChoices = 400;
/// States that led to a failure are remembered: what is false in many of them is the more general lemma.
constexpr std::size_t kRemembered = 48;
/// So many candidates are compared as to whether they are kept by themselves.
constexpr std::size_t kCompared = 40;
/// From a state that no invariant excludes so many others are visited: no invariant excludes these, either.
constexpr std::size_t kSpread = 60;

/// Something that is to be kept by all steps, and is assumed before them.
struct Goal {
  std::optional<ir::PropertyId> property;
  std::optional<Named> clause;
};

/// A state that must be excluded, because a step leads from it to a failure.
struct Bad {
  std::size_t goal = induct::Obligation::kNone;
  induct::Counterexample shown;
  Views::Look look;

  [[nodiscard]] Sample before() const { return {&shown.instance, shown.constants, shown.before}; }
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

  // Goals
  std::size_t number_of(const Named& named);
  void activate(std::size_t number);
  bool kept_alone(const Named& named);
  std::size_t add_goal(Goal goal, ExprId formula);
  void drop(std::size_t goal);
  [[nodiscard]] bool circular(const std::set<Sorts>& mine) const;
  [[nodiscard]] std::optional<int> rank(const Named& named) const;
  bool add_seed(const Bad& bad);
  std::optional<Named> add_clause(const std::vector<const Bad*>& open);
  void learn_from(const Bad& bad);

  Outcome strengthen();
  void begin_again();
  bool use(std::vector<Keeping::Failure> failures);
  bool exclude(std::vector<const Bad*> open);
  bool kept(const std::vector<std::size_t>& goals);

  Outcome search(const ir::Protocol& base);
  void finish(const ir::Protocol& base);
  void write_lemmas(const ir::Protocol& base, const std::vector<std::size_t>& goals);

  const Options& options_;
  std::vector<ir::PropertyId> properties_;
  Learned out_;
  Samples samples_;

  ir::Protocol protocol_;  ///< with the expressions of all views
  Views views_{protocol_};
  std::optional<Keeping> keeping_;
  std::vector<Goal> goals_;          ///< as `keeping_` numbers them
  std::vector<std::size_t> active_;  ///< ascending
  std::set<Named> tried_;            ///< clauses that are or were goals
  std::set<ExprId> seeds_;           ///< seeds that may still become goals
  std::deque<Bad> bad_;
  std::set<Sorts> axiom_arrows_;
  std::map<std::size_t, std::set<Sorts>> goal_arrows_;
  /// Once solvers had no answer: candidates that are kept by themselves for any number of hosts come first, and
  /// none makes a circle of sorts.
  bool careful_ = false;
  std::map<Named, std::size_t> numbers_;  ///< of clauses that were asked about
  std::string failure_;
};

// --- Goals ---------------------------------------------------------------------

/// The number by which a clause is asked about.
std::size_t Learner::number_of(const Named& named) {
  const auto found = numbers_.find(named);
  if (found != numbers_.end()) return found->second;
  const std::size_t number = keeping_->add(views_.formula_of(named));
  goals_.push_back({std::nullopt, named});
  return numbers_[named] = number;
}

/// Whether a clause is kept by itself, given the goals: then nothing else has to be found for it.
bool Learner::kept_alone(const Named& named) {
  const std::size_t number = number_of(named);
  for (std::size_t level = 0; level < Keeping::kLevels; ++level) {
    if (!keeping_->keeps(level, number, active_)) return false;
  }
  return true;
}

void Learner::activate(std::size_t number) {
  if (const auto& clause = goals_[number].clause) {
    tried_.insert(*clause);
    goal_arrows_[number] = views_.arrows_of(*clause);
  }
  active_.insert(std::upper_bound(active_.begin(), active_.end(), number), number);
}

std::size_t Learner::add_goal(Goal goal, ExprId formula) {
  const std::size_t number = keeping_->add(formula);
  goals_.push_back(std::move(goal));
  activate(number);
  return number;
}

void Learner::drop(std::size_t goal) {
  std::erase(active_, goal);
  goal_arrows_.erase(goal);
}

/// Whether the goal's quantifiers and those of the axioms and the other goals form a circle of sorts.
bool Learner::circular(const std::set<Sorts>& mine) const {
  if (mine.empty()) return false;
  std::set<Sorts> all = axiom_arrows_;
  for (const auto& [goal, theirs] : goal_arrows_) all.insert(theirs.begin(), theirs.end());
  all.insert(mine.begin(), mine.end());
  return std::any_of(mine.begin(), mine.end(),
                     [&](const Sorts& arrow) { return leads(all, arrow.second, arrow.first); });
}

std::optional<int> Learner::rank(const Named& named) const {
  if (tried_.contains(named)) return std::nullopt;
  const bool circle = circular(views_.arrows_of(named));
  if (circle && careful_) return std::nullopt;
  return circle ? 1 : 0;
}

/// Of the seeds that are false in it one that holds at the start becomes a goal.
bool Learner::add_seed(const Bad& bad) {
  Values values(protocol_);
  const Sample before = bad.before();
  for (const ExprId seed : std::vector<ExprId>(seeds_.begin(), seeds_.end())) {
    values.look_at(before);
    const bool holds = values.truth(seed);
    if (!values.known() || holds) continue;
    seeds_.erase(seed);
    const std::size_t added = add_goal({}, seed);
    if (keeping_->holds_at_start(added)) return true;
    drop(added);
  }
  return false;
}

/// The best candidate that is false in some of them becomes a goal.
std::optional<Named> Learner::add_clause(const std::vector<const Bad*>& open) {
  std::vector<const Views::Look*> states, others;
  for (const Bad* bad : open) states.push_back(&bad->look);
  for (const Bad& bad : bad_) others.push_back(&bad.look);
  for (;;) {
    const std::vector<Named> best =
        views_.best(states, others, [&](const Named& each) { return rank(each); }, careful_ ? kCompared : 1);
    if (best.empty()) return std::nullopt;
    auto choice = best.begin();
    if (careful_) choice = std::find_if(best.begin(), best.end(), [&](const Named& each) { return kept_alone(each); });
    const Named& named = choice == best.end() ? best.front() : *choice;
    const std::size_t added = number_of(named);
    activate(added);
    if (keeping_->holds_at_start(added)) return named;
    drop(added);
    if (const auto start = keeping_->bad_start(added)) {
      views_.learn(views_.look_at({&start->instance, start->constants, start->before}));
    } else {
      views_.remove(named);
    }
  }
}

/// Every candidate holds before the step, so what holds of all reachable states holds after it, and ever after.
void Learner::learn_from(const Bad& bad) {
  const ir::Interpreter interpreter(protocol_, bad.shown.instance, bad.shown.constants);
  std::vector<ir::State> states{*bad.shown.after};
  for (std::size_t i = 0; i < states.size() && !stopped(); ++i) {
    views_.learn(views_.look_at({&bad.shown.instance, bad.shown.constants, states[i]}));
    if (states.size() >= kSpread) continue;
    const ir::State state = states[i];
    interpreter.enabled(state, [&](const ir::Action&, const ir::Outcome& outcome) {
      const auto* happened = std::get_if<ir::Happened>(&outcome);
      if (happened == nullptr || states.size() >= kSpread) return;
      if (std::find(states.begin(), states.end(), happened->next) == states.end()) states.push_back(happened->next);
    });
  }
}

// --- Induction -----------------------------------------------------------------

/// Excludes the states that lead to failures, or gives up what cannot be kept. False: it is hopeless.
bool Learner::use(std::vector<Keeping::Failure> failures) {
  std::vector<const Bad*> open;
  std::vector<std::size_t> unanswered;
  for (Keeping::Failure& failure : failures) {
    if (!failure.shown) {
      failure_ = failure.reason;
      unanswered.push_back(failure.goal);
      continue;
    }
    bad_.push_back({failure.goal, std::move(*failure.shown), {}});
    bad_.back().look = views_.look_at(bad_.back().before());
    open.push_back(&bad_.back());
  }
  if (!open.empty()) return exclude(std::move(open));
  // No two states to learn from: the goals may hold in every instance, and solvers, who think of infinitely many
  // hosts as well, cannot show it.
  if (!careful_) {
    careful_ = true;
    return false;
  }
  for (const std::size_t goal : unanswered) {
    if (goal == induct::Obligation::kNone || goals_[goal].property) return false;
    if (goals_[goal].clause) views_.remove(*goals_[goal].clause);
    drop(goal);
  }
  return true;
}

bool Learner::exclude(std::vector<const Bad*> open) {
  std::erase_if(open, [&](const Bad* bad) { return add_seed(*bad); });
  while (!open.empty()) {
    const auto named = add_clause(open);
    if (!named) break;
    std::erase_if(open, [&](const Bad* bad) { return !bad->look[named->view].holds(named->clause); });
  }
  if (active_.size() > kMostLemmas) {
    failure_ = "too many lemmas";
    return false;
  }
  for (const Bad* bad : open) {
    const std::size_t goal = bad->goal;
    if (goal == induct::Obligation::kNone || goals_[goal].property || !bad->shown.after) {
      failure_ = "no clause of this form excludes a state that leads to a violation";
      return false;
    }
    if (std::find(active_.begin(), active_.end(), goal) == active_.end()) continue;
    learn_from(*bad);
    bool dropped = false;
    for (const std::size_t each : std::vector<std::size_t>(active_)) {
      if (!goals_[each].clause || views_.contains(*goals_[each].clause)) continue;
      drop(each);
      dropped = true;
    }
    if (!dropped) drop(goal);
  }
  while (bad_.size() > kRemembered) bad_.pop_front();
  return true;
}

Learner::Outcome Learner::strengthen() {
  for (;;) {
    std::vector<Keeping::Failure> failures;
    for (std::size_t level = 0; level < Keeping::kLevels && failures.empty(); ++level) {
      failures = keeping_->ask(level, active_);
    }
    if (stopped()) return Outcome::stopped;
    if (failures.empty()) return Outcome::solved;
    if (!use(std::move(failures))) return Outcome::failed;
    out_.statistics.questions = keeping_->questions();
    say(fmt::format("{} lemmas, {} questions", active_.size() - properties_.size(), out_.statistics.questions));
  }
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
  std::erase_if(stated,
                [&](const auto& each) { return std::find(types.begin(), types.end(), each.first) == types.end(); });
  using Counts = std::map<ir::TypeId, std::size_t>;
  const auto choices = [](const Counts& counts) {
    double rows = 1;
    for (const auto& [type, count] : counts) rows *= std::pow(3, count);
    return rows;
  };
  std::vector<Template> all;
  const auto add = [&](const Counts& counts, bool existential, std::size_t literals) {
    if (choices(counts) > kMostChoices) return;
    const bool there = std::any_of(all.begin(), all.end(), [&](const Template& t) {
      return t.universal == counts && t.existential == existential && !t.obstacles && t.literals >= literals;
    });
    if (!there) all.push_back({counts, existential, false, literals});
  };
  // Where most guards say "for all" first.
  const auto add_obstacles = [&](const std::vector<Counts>& from) {
    std::vector<std::pair<std::size_t, Template>> found;
    for (const Counts& counts : from) {
      if (choices(counts) > kMostChoices) continue;
      Template shape{counts, true, true, 3};
      const std::size_t obstacles = make_vocabulary(copy, shape).obstacles.size();
      if (obstacles > 0) found.emplace_back(obstacles, std::move(shape));
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& each : found) all.push_back(std::move(each.second));
  };
  // Each type that no claim is about by itself, if together they were too many.
  std::vector<Counts> single;
  Counts together = stated;
  for (const ir::TypeId type : types) {
    if (!together.try_emplace(type, 1).second) continue;
    single.push_back(stated);
    single.back()[type] = 1;
  }
  if (choices(together) > kManyChoices && single.size() > 1) {
    for (const Counts& each : single) add(each, false, 3);
    add_obstacles(single);
    for (const std::size_t literals : {std::size_t{3}, std::size_t{4}}) {
      for (const Counts& each : single) {
        add(each, false, literals);
        for (const ir::TypeId type : types) {
          Counts wider = each;
          ++wider[type];
          add(wider, false, literals);
        }
      }
    }
    for (const Counts& each : single) add(each, true, 3);
    return all;
  }
  stated = std::move(together);
  // One more of each type, one more of all types; with and without "there is"; longer clauses.
  std::vector<Counts> wider{stated};
  for (const std::size_t more : {std::size_t{1}, std::size_t{2}}) {
    for (const ir::TypeId type : types) {
      wider.push_back(stated);
      wider.back()[type] += more;
    }
  }
  Counts two = stated;
  for (auto& [type, count] : two) count = std::max<std::size_t>(count, 2);
  add(stated, false, 3);
  add(stated, true, 3);
  for (const auto& each : wider) add(each, false, 3);
  add(stated, false, 4);
  add(two, false, 4);
  for (const auto& each : wider) add(each, true, 3);
  add(two, true, 3);
  for (const auto& each : wider) add(each, false, 4);
  add_obstacles({stated});
  add(stated, true, 4);
  return all;
}

/// Forgets which candidates were found false, and the lemmas that are not kept without more.
void Learner::begin_again() {
  views_.refill();
  tried_.clear();
  const std::vector<std::size_t> good = careful_ ? std::vector<std::size_t>{} : keeping_->inductive_part(active_);
  for (const std::size_t goal : std::vector<std::size_t>(active_)) {
    if (!goals_[goal].clause) continue;  // a claim or a seed
    if (!std::binary_search(good.begin(), good.end(), goal)) {
      drop(goal);
    } else {
      tried_.insert(*goals_[goal].clause);
    }
  }
}

/// Returns false if it was stopped.
bool Learner::add_view(const Template& shape) {
  ++out_.statistics.rounds;
  const Views::Size size = views_.add(shape, samples_.states, options_.threads, [&] { return stopped(); });
  out_.statistics.atoms = std::max(out_.statistics.atoms, size.atoms);
  out_.statistics.candidates += size.candidates;
  say(fmt::format("{} atoms, {} literals, {} different rows, {} candidates", size.atoms, size.literals, size.rows,
                  size.candidates));
  // With more to choose from, what was taken away may be good after all, and what was chosen is not.
  begin_again();
  for (Bad& bad : bad_) views_.complete(bad.look, bad.before());
  return !stopped();
}

// --- What was found --------------------------------------------------------------

void Learner::write_lemmas(const ir::Protocol& base, const std::vector<std::size_t>& goals) {
  out_.protocol = base;
  out_.lemmas.clear();
  std::size_t number = 0;
  for (const std::size_t goal : goals) {
    if (goals_[goal].property) continue;
    Lemma lemma;
    lemma.name = fmt::format("learned_{}", ++number);
    lemma.formula = transplanted(protocol_, keeping_->formula(goal), out_.protocol);
    lemma.text = ir::to_source(out_.protocol, lemma.formula);
    out_.lemmas.push_back(std::move(lemma));
  }
}

/// Whether the goals are inductive for any number of hosts.
bool Learner::kept(const std::vector<std::size_t>& goals) {
  for (std::size_t level = 0; level < Keeping::kLevels; ++level) {
    if (!keeping_->ask(level, goals).empty()) return false;
  }
  return !stopped();
}

void Learner::finish(const ir::Protocol& base) {
  std::vector<std::size_t> stated;
  for (const std::size_t goal : active_) {
    if (goals_[goal].property) stated.push_back(goal);
  }
  std::vector<std::size_t> goals = keeping_->needed(stated);
  // Leave out one after the other, the last found first, as long as the rest is inductive.
  for (std::size_t i = goals.size(); i-- > 0 && !stopped();) {
    if (goals_[goals[i]].property) continue;
    std::vector<std::size_t> rest = goals;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    if (kept(rest)) goals = std::move(rest);
  }
  out_.statistics.questions = keeping_->questions();
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
  KeepingOptions asking;
  asking.threads = options_.threads;
  asking.seed = options_.seed;
  asking.general_limit = std::min(options_.resource_limit, kGeneralLimit);
  asking.stop = options_.stop;
  keeping_.emplace(protocol_, asking);
  if (!keeping_->refused().empty()) {
    failure_ = "no translation: " + keeping_->refused();
    return Outcome::failed;
  }
  for (const ir::Formula& axiom : base.axioms) arrows(base, axiom.formula, true, {}, axiom_arrows_);
  for (const ir::PropertyId id : properties_) arrows(base, base[id].formula, true, {}, axiom_arrows_);
  seeds_ = {options_.seeds.begin(), options_.seeds.end()};
  for (const ir::PropertyId id : properties_) {
    if (keeping_->holds_at_start(add_goal({id, std::nullopt}, protocol_[id].formula))) continue;
    failure_ = "'" + protocol_[id].name + "' is not shown to hold at the start";
    return Outcome::failed;
  }
  std::vector<Template> open = templates();
  for (std::size_t views = 0; views < kMostViews && !open.empty(); ++views) {
    // Solvers cope best with what quantifies universally.
    const auto next =
        std::find_if(open.begin(), open.end(), [&](const Template& shape) { return !careful_ || !shape.existential; });
    const Template shape = next == open.end() ? open.front() : *next;
    open.erase(next == open.end() ? open.begin() : next);
    if (!add_view(shape)) return Outcome::stopped;
    const Outcome outcome = strengthen();
    if (outcome != Outcome::failed) return outcome;
    say("more is needed: " + failure_);
  }
  if (failure_.empty()) failure_ = "the claims are about too many values at once";
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
