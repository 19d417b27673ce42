// contains_call, contains_change, each_change: what happens during a call.
//
// A call contains an event if the event's number is above the number of the call's entry, so each question is one
// comparison at the call's exit, whatever the depth.
#include <string>

#include "judge.h"

namespace tenet::training {
namespace {

class ContainmentJudge final : public Judge {
 public:
  explicit ContainmentJudge(const JudgeContext& context)
      : context_(context),
        self_(context.vocabulary->intern("self")),
        optimizer_(context.vocabulary->intern("optimizer")) {}

  bool add(const Invariant& invariant, std::uint32_t rule) override {
    Vocabulary& v = *context_.vocabulary;
    const Symbol subject = v.intern(invariant.subject);
    const Symbol object = v.intern(invariant.object);
    Rule entry{.rule = rule,
               .relation = invariant.relation,
               .mode = invariant.mode,
               .object = object,
               .of_optimizer = invariant.subject.starts_with("torch.optim.Optimizer.")};
    if (invariant.relation != Relation::contains_call) {
      if (invariant.mode == Mode::none) return false;
      entry.field = v.intern(invariant.field);
      entry.norm = v.intern(invariant.field + ".norm");
      if (invariant.relation == Relation::contains_change) {
        entry.target = static_cast<std::uint32_t>(targets_.size());
        targets_.push_back({entry.field, entry.norm, invariant.mode});
        targets_by_type_.add(object, entry.target);
      }
    }
    by_function_.add(subject, static_cast<std::uint32_t>(rules_.size()));
    rules_.push_back(entry);
    return true;
  }

  void on_state(Process& process, Thread&, Variable& variable) override {
    for (const std::uint32_t number : targets_by_type_.at(variable.type)) {
      const Target& target = targets_[number];
      Value value;
      if (!variable.get(target.field, value)) continue;
      events(process, number).seen = process.event;
      if (variable.last_change(target.field) != process.event) continue;
      const bool cleared = is_cleared(target.field, target.norm, variable);
      if (target.mode == Mode::clears && !cleared) continue;
      if (target.mode == Mode::fills && cleared) continue;
      events(process, number).changed = process.event;
    }
  }

  void on_exit(Process& process, Thread& thread, Frame& frame, const Record&) override {
    for (const std::uint32_t number : by_function_.at(frame.function)) {
      const Rule& rule = rules_[number];
      switch (rule.relation) {
        case Relation::contains_call: {
          const bool holds = thread.function(rule.object).last_enter > frame.entered;
          context_.sink->outcome(rule.rule, holds, frame.facts, place_of(process, thread, frame));
          break;
        }
        case Relation::contains_change: {
          const Events last = events(process, rule.target);
          if (last.seen <= frame.entered) break;  // nobody looked, or no variable has the field: not known
          const bool holds = last.changed > frame.entered;
          context_.sink->outcome(rule.rule, holds, frame.facts, place_of(process, thread, frame));
          break;
        }
        default:
          each(process, thread, frame, rule);
      }
    }
  }

 private:
  struct Rule {
    std::uint32_t rule;
    Relation relation;
    Mode mode;
    Symbol object;
    bool of_optimizer;  // what it does to a variable of another optimizer is not judged
    Symbol field = 0;
    Symbol norm = 0;
    std::uint32_t target = 0;
  };
  struct Target {
    Symbol field;
    Symbol norm;
    Mode mode;
  };

  struct Events {
    std::uint64_t seen = 0;     // a variable with the field
    std::uint64_t changed = 0;  // in the way the target asks for
  };
  Events& events(const Process& process, std::uint32_t target) {
    if (process.number >= last_.size()) last_.resize(process.number + 1U);
    auto& all = last_[process.number];
    if (all.size() < targets_.size()) all.resize(targets_.size());
    return all[target];
  }

  [[nodiscard]] bool is_of_another(const Variable& variable, const Frame& frame) const noexcept {
    Value self;
    Value owner;
    return frame.get(self_, self) && variable.get(optimizer_, owner) && self.type == ValueType::ref &&
           owner.type == ValueType::ref && self != owner;
  }

  void each(Process& process, Thread& thread, const Frame& frame, const Rule& rule) {
    for (const Variable* variable : process.recent[rule.object]) {
      if (variable->observed <= frame.entered) break;
      if (rule.of_optimizer && is_of_another(*variable, frame)) continue;
      Value value;
      if (!variable->get(rule.field, value)) continue;
      bool holds = false;
      switch (rule.mode) {
        case Mode::clears:
          holds = is_cleared(rule.field, rule.norm, *variable);
          break;
        case Mode::fills:
          holds = !is_cleared(rule.field, rule.norm, *variable);
          break;
        default:
          if (variable->layout_before == nullptr) continue;
          holds = (variable->last_change(rule.field) > frame.entered) == (rule.mode == Mode::changes);
      }
      Place place = place_of(process, thread, frame);
      place.variable = variable->name;
      place.seen = value;
      context_.sink->outcome(rule.rule, holds, variable->facts, place);
    }
  }

  JudgeContext context_;
  Symbol self_;
  Symbol optimizer_;
  std::vector<Rule> rules_;
  std::vector<Target> targets_;
  SymbolIndex by_function_;
  SymbolIndex targets_by_type_;
  std::vector<std::vector<Events>> last_;  // by process and target: numbers of the last such events
};

}  // namespace

std::unique_ptr<Judge> make_containment_judge(const JudgeContext& context) {
  return std::make_unique<ContainmentJudge>(context);
}

}  // namespace tenet::training
