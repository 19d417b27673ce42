#include "tenet/training/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grouping.h"
#include "rule_engine.h"
#include "series.h"

namespace tenet::training {
namespace {

constexpr std::size_t kMostVariables = 20;

// A precondition compiled to symbols, with its answer remembered per set of facts.
class Gate {
 public:
  Gate(const Precondition& when, Vocabulary& vocabulary) : inverted_(when.inverted) {
    for (const Conjunction& conjunction : when.any_of) {
      std::vector<Test> tests;
      std::int64_t min_step = kNoStep;
      for (const Condition& condition : conjunction) {
        if (condition.is_step()) {
          min_step = std::max(min_step, condition.min_step);
          continue;
        }
        Test test{vocabulary.intern(condition.key), {}};
        for (const Constant& value : condition.values) test.values.push_back(to_value(value, vocabulary));
        tests.push_back(std::move(test));
      }
      any_of_.push_back({std::move(tests), min_step});
    }
  }

  [[nodiscard]] bool open(FactsId facts, const FactsTable& table, std::int64_t step) {
    if (any_of_.empty()) return true;
    if (facts >= known_.size()) known_.resize(std::max<std::size_t>(table.size(), facts + 1U), kUnknown);
    if (known_[facts] == kUnknown) known_[facts] = first_step(table.at(facts));
    return (known_[facts] != kNever && step >= known_[facts]) != inverted_;
  }

 private:
  static constexpr std::int64_t kUnknown = INT64_MIN;
  static constexpr std::int64_t kNever = INT64_MAX;
  struct Test {
    Symbol key;
    std::vector<Value> values;
  };
  struct Alternative {
    std::vector<Test> tests;
    std::int64_t min_step;
  };

  // The step from which some alternative holds on these facts.
  [[nodiscard]] std::int64_t first_step(const Facts& facts) const {
    std::int64_t first = kNever;
    for (const Alternative& alternative : any_of_) {
      const bool holds = std::ranges::all_of(alternative.tests, [&](const Test& test) {
        return std::ranges::any_of(facts, [&](const Fact& fact) {
          return fact.key == test.key && std::ranges::find(test.values, fact.value) != test.values.end();
        });
      });
      if (holds) first = std::min(first, alternative.min_step);
    }
    return first;
  }

  bool inverted_;
  std::vector<Alternative> any_of_;
  std::vector<std::int64_t> known_;
};

}  // namespace

class Checker::Impl final : public OutcomeSink {
 public:
  Impl(Vocabulary& vocabulary, InvariantSet invariants, CheckOptions options)
      : vocabulary_(vocabulary),
        set_(std::move(invariants)),
        options_(std::move(options)),
        engine_(vocabulary, facts_, *this) {
    for (std::size_t i = 0; i < set_.invariants.size(); ++i) {
      gates_.emplace_back(set_.invariants[i].when, vocabulary);
      states_.emplace_back();
      if (engine_.add(set_.invariants[i], static_cast<std::uint32_t>(i))) {
        ++usable_;
      } else {
        problems_.push_back(
            fmt::format("invariant {} cannot be judged: {}", set_.invariants[i].id(), set_.invariants[i].claim()));
      }
    }
    if (options_.keep_series) {
      series_ = std::make_unique<SeriesRecorder>(vocabulary, set_.invariants);
      engine_.replay().add(*series_);
    }
  }

  void outcome(std::uint32_t rule, bool holds, FactsId facts, const Place& place) override {
    if (!gates_[rule].open(facts, facts_, place.step)) return;
    State& state = states_[rule];
    ++(holds ? state.held : state.failed);
    if (holds) return;
    if (state.failed == 1) first_failure(rule, place);
    if (state.violation < 0) return;
    Violation& violation = violations_[static_cast<std::size_t>(state.violation)];
    violation.last_step = std::max(violation.last_step, place.step);
    if (place.variable != 0 && violation.variables.size() < kMostVariables) {
      std::string variable(vocabulary_.text(place.variable));
      if (std::ranges::find(violation.variables, variable) == violation.variables.end()) {
        violation.variables.push_back(std::move(variable));
      }
    }
  }

  void feed(const Record& record) {
    ++records_;
    engine_.feed(record);
    if (record.kind == RecordKind::context && record.name == engine_.replay().names().step &&
        record.values.size() == 1) {
      const std::int64_t step = record.value(0).integer();
      first_step_ = last_step_ < first_step_ ? step : std::min(first_step_, step);
      last_step_ = std::max(last_step_, step);
    }
  }

  void finish() { engine_.finish(); }

  [[nodiscard]] CheckResult result() const {
    CheckResult out;
    out.invariants = usable_;
    out.records = records_;
    out.first_step = first_step_;
    out.last_step = last_step_;
    out.violations = violations_;
    for (Violation& violation : out.violations) {
      violation.failures = states_[violation.invariant].failed;
      violation.held = states_[violation.invariant].held;
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].held + states_[i].failed > 0) {
        ++out.triggered;
      } else {
        out.not_judged.push_back(set_.invariants[i].id());
      }
      out.silenced += states_[i].failed > 0 && !set_.invariants[i].silenced.empty() ? 1U : 0U;
    }
    out.groups = group_violations(out.violations, set_);
    if (series_ != nullptr) out.series = series_->of(out.violations, set_);
    out.problems = problems_;
    const ReplayCounts& counts = engine_.replay().counts();
    if (counts.duplicated > 0) out.problems.push_back(fmt::format("{} calls were recorded twice", counts.duplicated));
    if (counts.unmatched > 0)
      out.problems.push_back(fmt::format("{} returns belong to no open call", counts.unmatched));
    if (counts.step_restarts > 0)
      out.problems.push_back(fmt::format("the step went back {} times", counts.step_restarts));
    return out;
  }

  [[nodiscard]] const InvariantSet& set() const noexcept { return set_; }

 private:
  struct State {
    std::uint64_t held = 0;
    std::uint64_t failed = 0;
    int violation = -1;
  };

  [[nodiscard]] std::string shown(const Value& value) const {
    const bool plain = value.type == ValueType::real || value.type == ValueType::text;
    if (plain && !options_.raw_values && value.type == ValueType::real) return fmt::format("{:.4g}", value.real());
    return to_text(value, vocabulary_);
  }

  void first_failure(std::uint32_t rule, const Place& place) {
    const Invariant& invariant = set_.invariants[rule];
    if (!invariant.silenced.empty()) return;
    Violation violation;
    violation.invariant = rule;
    violation.id = invariant.id();
    violation.failures = 1;
    violation.held = states_[rule].held;
    violation.step = violation.last_step = place.step;
    violation.time = place.time;
    violation.process = place.process->number;
    violation.rank =
        place.process->context.contains(engine_.replay().names().rank) ? place.process->rank : place.process->number;
    if (place.other != nullptr) {
      violation.other_rank =
          place.other->context.contains(engine_.replay().names().rank) ? place.other->rank : place.other->number;
    }
    violation.where = vocabulary_.text(place.where);
    violation.variable = vocabulary_.text(place.variable);
    if (place.seen != Value{} || place.expected != Value{}) {
      violation.seen = shown(place.seen);
      violation.expected = shown(place.expected);
    }
    violation.message = message_of(invariant, violation);
    states_[rule].violation = static_cast<int>(violations_.size());
    violations_.push_back(std::move(violation));
    if (options_.on_violation) options_.on_violation(violations_.back());
  }

  Vocabulary& vocabulary_;
  InvariantSet set_;
  CheckOptions options_;
  FactsTable facts_;
  std::vector<Gate> gates_;
  std::vector<State> states_;
  RuleEngine engine_;
  std::unique_ptr<SeriesRecorder> series_;
  std::vector<Violation> violations_;
  std::vector<std::string> problems_;
  std::uint64_t usable_ = 0;
  std::uint64_t records_ = 0;
  std::int64_t first_step_ = 0;
  std::int64_t last_step_ = -1;
};

Checker::Checker(Vocabulary& vocabulary, InvariantSet invariants, CheckOptions options)
    : impl_(std::make_unique<Impl>(vocabulary, std::move(invariants), std::move(options))) {}
Checker::~Checker() = default;

void Checker::feed(const Record& record) { impl_->feed(record); }
CheckResult Checker::finish() {
  impl_->finish();
  return impl_->result();
}
CheckResult Checker::so_far() const { return impl_->result(); }
const InvariantSet& Checker::invariants() const noexcept { return impl_->set(); }

int exit_status(const CheckResult& result) {
  if (!result.violations.empty()) return 1;
  return result.triggered > 0 ? 0 : 2;
}

Result<CheckResult> check_run(const std::string& path, const InvariantSet& invariants, const CheckOptions& options) {
  Vocabulary vocabulary;
  auto source = open_run(path, vocabulary);
  if (!source) return tl::unexpected(source.error());
  Checker checker(vocabulary, invariants, options);
  while (const Record* record = (*source)->next()) checker.feed(*record);
  CheckResult result = checker.finish();
  for (const std::string& problem : (*source)->report().problems) result.problems.push_back(problem);
  if (result.records == 0) result.problems.push_back(path + ": the trace is empty");
  return result;
}

}  // namespace tenet::training
