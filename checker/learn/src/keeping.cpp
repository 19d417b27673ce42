#include "keeping.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <set>
#include <thread>
#include <utility>

#include "samples.h"
#include "shrink.h"
#include "vocabulary.h"

namespace tenet::learn {

namespace {

/// Instances with so many of everything.
constexpr std::int64_t kSizes[Keeping::kLevels - 1] = {2, 3};
/// Asked where there is no answer for any number of hosts.
constexpr std::int64_t kLargerSizes[] = {1, 4, 5};
/// Of a question about an instance, in Z3's unit.
constexpr std::uint64_t kSearchLimit = 3'000'000;
/// Of cvc5, where Z3 gives no answer for any number of hosts.
constexpr std::uint64_t kSecondLimit = 50'000;
/// Of a question for any number of hosts that only compares candidates.
constexpr std::uint64_t kGlanceLimit = 100'000;
constexpr std::size_t kMostGroups = 2;
constexpr std::size_t kGeneral = Keeping::kLevels - 1;
constexpr std::size_t kNone = induct::Obligation::kNone;

/// Whether a formula is about a step.
bool two_states(const ir::Protocol& p, ir::ExprId id) {
  const ir::Expr& node = p[id];
  return node.op == ir::Op::old || std::any_of(node.args.begin(), node.args.end(),
                                               [&](ir::ExprId arg) { return arg.valid() && two_states(p, arg); });
}

/// Questions that are told of goals when they are asked about them.
class Engine {
 public:
  explicit Engine(std::unique_ptr<induct::Questions> questions) : questions_(std::move(questions)) {}

  induct::Questions& operator*() { return *questions_; }
  induct::Questions* operator->() { return questions_.get(); }
  std::size_t claim(const ir::Protocol& protocol, ir::ExprId formula, std::size_t goal) {
    const auto found = claims_.find(goal);
    if (found != claims_.end()) return found->second;
    const std::size_t made = questions_->claim(transplanted(protocol, formula, questions_->protocol()));
    claims_.emplace(goal, made);
    goals_.emplace(made, goal);
    return made;
  }
  [[nodiscard]] std::size_t goal(std::size_t claim) const { return goals_.at(claim); }

 private:
  std::unique_ptr<induct::Questions> questions_;
  std::map<std::size_t, std::size_t> claims_, goals_;
};

std::unique_ptr<induct::Questions> in_instance(const ir::Protocol& protocol, const KeepingOptions& options,
                                               std::int64_t size) {
  induct::QuestionOptions small;
  small.resource_limit = kSearchLimit;
  small.seed = options.seed;
  small.stop = options.stop;
  return std::make_unique<induct::Questions>(protocol, instance_with(protocol, size), small);
}

std::unique_ptr<induct::Questions> in_general(const ir::Protocol& protocol, const KeepingOptions& options,
                                              std::uint64_t limit, std::uint64_t second_limit) {
  induct::QuestionOptions general;
  general.resource_limit = limit;
  general.seed = options.seed;
  general.stop = options.stop;
  general.second_limit = second_limit;
  return std::make_unique<induct::Questions>(protocol, general);
}

}  // namespace

class Keeping::Group {
 public:
  Group(const ir::Protocol& protocol, const KeepingOptions& options, const std::vector<ir::ExprId>& goals,
        const Kept& kept)
      : protocol_(protocol), options_(options), goals_(goals), kept_(kept) {}

  void deal(std::size_t at) { cases_.push_back(at); }
  Engine& engine(std::size_t level) {
    if (!engines_[level]) {
      engines_[level].emplace(level == kGeneral ? in_general(protocol_, options_, options_.general_limit, kSecondLimit)
                                                : in_instance(protocol_, options_, kSizes[level]));
    }
    return *engines_[level];
  }
  std::size_t claim(Engine& engine, std::size_t goal) { return engine.claim(protocol_, goals_[goal], goal); }

  /// What is kept goes into `fresh`.
  std::optional<Failure> ask(std::size_t level, const std::vector<std::size_t>& hypotheses,
                             std::optional<std::size_t> only, bool show, Kept& fresh) {
    Engine& asked = engine(level);
    const auto all = [&](std::size_t goal) -> std::optional<Failure> {
      for (const std::size_t at : cases_) {
        if (stopped()) break;
        if (known(goal, at, level, hypotheses)) continue;
        if (goal != kNone && !asked->touches(at, claim(asked, goal))) continue;
        if (auto failure = examine(level, goal, at, hypotheses, fresh, show)) return failure;
      }
      return std::nullopt;
    };
    if (only) return all(*only);
    // Newest goals last: what they need is found when the older ones are kept.
    for (const std::size_t goal : hypotheses) {
      if (auto failure = all(goal)) return failure;
    }
    return all(kNone);
  }

  std::size_t questions = 0;

 private:
  [[nodiscard]] bool stopped() const { return options_.stop != nullptr && options_.stop->requested(); }
  [[nodiscard]] const std::vector<std::size_t>* core(std::size_t goal, std::size_t at, std::size_t level,
                                                     const std::vector<std::size_t>& goals) const {
    const auto found = kept_.find({goal, at, level});
    if (found == kept_.end()) return nullptr;
    const bool there = std::includes(goals.begin(), goals.end(), found->second.begin(), found->second.end());
    return there ? &found->second : nullptr;
  }
  [[nodiscard]] bool known(std::size_t goal, std::size_t at, std::size_t level,
                           const std::vector<std::size_t>& goals) const {
    return core(goal, at, level, goals) != nullptr;
  }

  Engine& glance() {
    if (!glance_) glance_.emplace(in_general(protocol_, options_, kGlanceLimit, 0));
    return *glance_;
  }

  induct::Reply put(Engine& engine, std::size_t goal, std::size_t at, const std::vector<std::size_t>& hypotheses) {
    std::vector<std::size_t> before;
    for (const std::size_t each : hypotheses) before.push_back(claim(engine, each));
    ++questions;
    induct::Reply reply;
    if (goal == kNone) {
      reply = engine->step_defined(at, before);
    } else {
      const std::size_t asked[] = {claim(engine, goal)};
      reply = engine->consecution(at, before, asked);
    }
    for (std::size_t& each : reply.core) each = engine.goal(each);
    return reply;
  }

  std::optional<Failure> examine(std::size_t level, std::size_t goal, std::size_t at,
                                 const std::vector<std::size_t>& goals, Kept& fresh, bool show) {
    induct::Reply reply;
    const bool small = level != kGeneral;
    // What was enough for the smaller instances is often enough, and a smaller question.
    const std::vector<std::size_t>* smaller = level > 0 ? core(goal, at, level - 1, goals) : nullptr;
    Engine& asked = small || show ? engine(level) : glance();
    if (smaller != nullptr && *smaller != goals) reply = put(asked, goal, at, *smaller);
    if (reply.verdict != induct::Verdict::discharged) reply = put(asked, goal, at, goals);
    if (reply.verdict == induct::Verdict::discharged) {
      std::vector<std::size_t> needs = std::move(reply.core);
      if (goal != kNone) needs.push_back(goal);
      std::sort(needs.begin(), needs.end());
      needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
      fresh[{goal, at, level}] = std::move(needs);
      return std::nullopt;
    }
    Failure failure;
    failure.goal = goal;
    if (!show && (reply.counterexample || !small)) return failure;
    if (!reply.counterexample && small) {
      fresh[{goal, at, level}] = goals;  // no answer here: the last level decides
      return std::nullopt;
    }
    if (!reply.counterexample) {
      failure.reason = reply.verdict == induct::Verdict::refuted
                           ? "the solver has a model, but no small instance shows it"
                           : "the solver gave no answer: " + reply.reason;
      reply.counterexample = in_larger(goal, at, goals);
    }
    failure.shown = std::move(reply.counterexample);
    if (failure.shown) {
      std::vector<ir::ExprId> hypotheses;
      for (const std::size_t each : goals) {
        if (!two_states(protocol_, goals_[each])) hypotheses.push_back(goals_[each]);
      }
      shrink(protocol_, hypotheses, goal == kNone ? ir::ExprId{} : goals_[goal], *failure.shown);
    }
    return failure;
  }

  /// What has a model for any number of hosts may have one in an instance that is a little larger.
  std::optional<induct::Counterexample> in_larger(std::size_t goal, std::size_t at,
                                                  const std::vector<std::size_t>& goals) {
    for (std::size_t i = 0; i < std::size(kLargerSizes); ++i) {
      if (larger_.size() <= i) larger_.emplace_back(in_instance(protocol_, options_, kLargerSizes[i]));
      induct::Reply reply = put(larger_[i], goal, at, goals);
      if (reply.counterexample) return std::move(reply.counterexample);
    }
    return std::nullopt;
  }

  const ir::Protocol& protocol_;
  const KeepingOptions& options_;
  const std::vector<ir::ExprId>& goals_;
  const Kept& kept_;
  std::vector<std::size_t> cases_;
  std::optional<Engine> engines_[kLevels];
  std::optional<Engine> glance_;
  std::vector<Engine> larger_;
};

Keeping::Keeping(const ir::Protocol& protocol, const KeepingOptions& options) : protocol_(protocol), options_(options) {
  groups_.push_back(std::make_unique<Group>(protocol_, options_, goals_, kept_));
  const std::size_t cases = groups_[0]->engine(0)->cases();
  for (std::size_t at = 0; at < cases; ++at) {
    if (at > 0 && groups_.size() < kMostGroups) {
      groups_.push_back(std::make_unique<Group>(protocol_, options_, goals_, kept_));
    }
    groups_[at % kMostGroups]->deal(at);
  }
}
Keeping::~Keeping() = default;

const std::string& Keeping::refused() { return groups_[0]->engine(kGeneral)->refused(); }

std::size_t Keeping::add(ir::ExprId formula) {
  goals_.push_back(formula);
  return goals_.size() - 1;
}

std::vector<Keeping::Failure> Keeping::ask(std::size_t level, const std::vector<std::size_t>& goals) {
  return ask(level, goals, std::nullopt, true);
}

bool Keeping::keeps(std::size_t level, std::size_t goal, const std::vector<std::size_t>& goals) {
  std::vector<std::size_t> hypotheses = goals;
  hypotheses.insert(std::upper_bound(hypotheses.begin(), hypotheses.end(), goal), goal);
  return ask(level, hypotheses, goal, false).empty();
}

std::vector<std::size_t> Keeping::inductive_part(std::vector<std::size_t> goals) {
  for (std::size_t level = 0; level < kGeneral;) {
    const std::vector<Failure> failures = ask(level, goals, std::nullopt, false);
    for (const Failure& failure : failures) {
      if (failure.goal == kNone) return {};
      std::erase(goals, failure.goal);
    }
    level = failures.empty() ? level + 1 : 0;
  }
  return goals;
}

std::vector<Keeping::Failure> Keeping::ask(std::size_t level, const std::vector<std::size_t>& hypotheses,
                                           std::optional<std::size_t> goal, bool show) {
  struct Answer {
    std::optional<Failure> failure;
    Kept fresh;
    std::exception_ptr thrown;
  };
  std::vector<Answer> answers(groups_.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t g = next++; g < groups_.size(); g = next++) {
      try {
        answers[g].failure = groups_[g]->ask(level, hypotheses, goal, show, answers[g].fresh);
      } catch (...) {
        answers[g].thrown = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> others;
    const std::size_t threads = std::min<std::size_t>(options_.threads, groups_.size());
    for (std::size_t t = 1; t < threads; ++t) others.emplace_back(work);
    work();
  }
  std::vector<Failure> failures;
  for (Answer& answer : answers) {
    if (answer.thrown) std::rethrow_exception(answer.thrown);
    for (auto& [key, needs] : answer.fresh) kept_[key] = std::move(needs);
    if (answer.failure) failures.push_back(std::move(*answer.failure));
  }
  return failures;
}

bool Keeping::holds_at_start(std::size_t goal) {
  Group& group = *groups_[0];
  const std::size_t asked[] = {group.claim(group.engine(kGeneral), goal)};
  ++group.questions;
  return group.engine(kGeneral)->initiation(asked).verdict == induct::Verdict::discharged;
}

std::optional<induct::Counterexample> Keeping::bad_start(std::size_t goal) {
  Group& group = *groups_[0];
  for (std::size_t level = 0; level < kGeneral; ++level) {
    const std::size_t asked[] = {group.claim(group.engine(level), goal)};
    ++group.questions;
    induct::Reply reply = group.engine(level)->initiation(asked);
    if (reply.counterexample) return std::move(reply.counterexample);
  }
  return std::nullopt;
}

std::vector<std::size_t> Keeping::needed(const std::vector<std::size_t>& from) const {
  std::set<std::size_t> all;
  std::vector<std::size_t> open;
  const auto need = [&](std::size_t goal) {
    if (goal != kNone && all.insert(goal).second) open.push_back(goal);
  };
  const auto follow = [&](std::size_t goal) {
    for (auto found = kept_.lower_bound({goal, 0, 0}); found != kept_.end() && std::get<0>(found->first) == goal;
         ++found) {
      if (std::get<2>(found->first) != kGeneral) continue;
      for (const std::size_t each : found->second) need(each);
    }
  };
  for (const std::size_t goal : from) need(goal);
  follow(kNone);
  while (!open.empty()) {
    const std::size_t goal = open.back();
    open.pop_back();
    follow(goal);
  }
  return {all.begin(), all.end()};
}

std::size_t Keeping::questions() const {
  std::size_t sum = 0;
  for (const auto& group : groups_) sum += group->questions;
  return sum;
}

}  // namespace tenet::learn
