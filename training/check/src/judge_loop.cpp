// each_step: how often a function is called in a step. loop_law: an equation over quantities, at the end of the run.
#include <string>

#include "expression.h"
#include "field.h"
#include "judge.h"

namespace tenet::training {
namespace {

class LoopJudge final : public Judge {
 public:
  explicit LoopJudge(const JudgeContext& context) : context_(context) {}

  bool add(const Invariant& invariant, std::uint32_t rule) override {
    if (invariant.relation == Relation::each_step) {
      const Symbol function = context_.vocabulary->intern(invariant.subject);
      by_function_.add(function, static_cast<std::uint32_t>(steps_.size()));
      steps_.push_back({rule, function, invariant.low, invariant.high, is_essential(invariant.subject), {}});
      return true;
    }
    Law law{rule, Expression::parse(invariant.subject), Expression::parse(invariant.object)};
    if (law.left == nullptr || law.right == nullptr) return false;
    laws_.push_back(std::move(law));
    return true;
  }

  void on_enter(Process& process, Thread&, Frame& frame) override {
    for (const std::uint32_t number : by_function_.at(frame.function)) ++count(steps_[number], process);
  }

  // The step that ends is judged; what came before the first step is not a step.
  void on_step(Process& process, std::int64_t) override {
    for (StepRule& rule : steps_) {
      std::uint64_t& calls = count(rule, process);
      if (process.step != kNoStep && (rule.essential || process.calls.contains(rule.function))) {
        Place place;
        place.process = &process;
        place.step = process.step;
        place.time = process.time;
        place.where = rule.function;
        place.seen = Value::of(static_cast<std::int64_t>(calls));
        place.expected = Value::of(static_cast<std::int64_t>(rule.low));
        const auto calls_number = static_cast<double>(calls);
        context_.sink->outcome(rule.rule, calls_number >= rule.low && calls_number <= rule.high,
                               context_.facts->intern(process.context_facts), place);
      }
      calls = 0;
    }
  }

  void on_end(Process& process) override {
    const Vocabulary& v = *context_.vocabulary;
    const auto lookup = [&](std::string_view name) -> std::optional<double> {
      if (name.starts_with("calls(")) {
        const auto found = process.calls.find(v.find(name.substr(6, name.size() - 7)));
        return found == process.calls.end() ? std::nullopt : std::optional<double>(static_cast<double>(found->second));
      }
      const auto found = process.scalars.find(v.find(name));
      if (found == process.scalars.end() || !found->second.is_number()) return std::nullopt;
      return found->second.number();
    };
    for (const Law& law : laws_) {
      const auto left = law.left->value(lookup);
      const auto right = law.right->value(lookup);
      if (!left || !right) continue;
      Place place;
      place.process = &process;
      place.step = process.step;
      place.time = process.time;
      place.seen = Value::of(*left);
      place.expected = Value::of(*right);
      context_.sink->outcome(law.rule, same_value(place.seen, place.expected), 0, place);
    }
  }

 private:
  struct StepRule {
    std::uint32_t rule;
    Symbol function;
    double low;
    double high;
    bool essential;
    std::vector<std::uint64_t> calls;  // by process
  };
  struct Law {
    std::uint32_t rule;
    std::unique_ptr<const Expression> left;
    std::unique_ptr<const Expression> right;
  };

  static std::uint64_t& count(StepRule& rule, const Process& process) {
    if (process.number >= rule.calls.size()) rule.calls.resize(process.number + 1U, 0);
    return rule.calls[process.number];
  }

  JudgeContext context_;
  std::vector<StepRule> steps_;
  std::vector<Law> laws_;
  SymbolIndex by_function_;
};

}  // namespace

std::unique_ptr<Judge> make_loop_judge(const JudgeContext& context) { return std::make_unique<LoopJudge>(context); }

}  // namespace tenet::training
