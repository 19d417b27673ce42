// stable, ratio, increment, mirrors, pair_equal: a variable against its own past or against another variable.
#include <cmath>

#include "field.h"
#include "judge.h"

namespace tenet::training {
namespace {

class VariableJudge final : public Judge {
 public:
  explicit VariableJudge(const JudgeContext& context) : context_(context) {}

  bool add(const Invariant& invariant, std::uint32_t rule) override {
    Vocabulary& v = *context_.vocabulary;
    const auto number = static_cast<std::uint32_t>(rules_.size());
    Rule entry{.rule = rule,
               .relation = invariant.relation,
               .subject = v.intern(invariant.subject),
               .object = v.intern(invariant.object),
               .field = v.intern(invariant.field),
               .other_field = v.intern(invariant.other_field),
               .low = invariant.low,
               .high = invariant.high,
               .latest = {}};
    if (invariant.field.empty()) return false;
    if (invariant.relation == Relation::pair_equal) {
      by_name_.add(entry.subject, number);
      by_name_.add(entry.object, number);
    } else {
      by_type_.add(entry.subject, number);
    }
    rules_.push_back(std::move(entry));
    return true;
  }

  void on_state(Process& process, Thread& thread, Variable& variable) override {
    for (const std::uint32_t number : by_type_.at(variable.type)) {
      const Rule& rule = rules_[number];
      Place place = place_of(process, thread, variable);
      if (!variable.get(rule.field, place.seen)) continue;
      if (rule.relation == Relation::mirrors) {
        mirror(process, rule, variable, place);
      } else if (variable.get_before(rule.field, place.expected)) {
        against_past(rule, variable, place);
      }
    }
    for (const std::uint32_t number : by_name_.at(variable.name)) pair(process, thread, rules_[number], variable);
  }

 private:
  struct Rule {
    std::uint32_t rule;
    Relation relation;
    Symbol subject;
    Symbol object;
    Symbol field;
    Symbol other_field;
    double low;
    double high;
    std::vector<std::pair<const Variable*, const Variable*>> latest;  // by process: the pair, in order of appearance
  };

  void against_past(const Rule& rule, const Variable& variable, const Place& place) {
    bool holds = false;
    if (rule.relation == Relation::stable) {
      holds = place.seen == place.expected;
    } else {
      if (!place.seen.is_number() || !place.expected.is_number()) return;
      const double now = place.seen.number();
      const double before = place.expected.number();
      if (rule.relation == Relation::ratio && before == 0) return;
      if (rule.relation == Relation::increment && now == before) return;  // looked at twice, or not due
      const double change = rule.relation == Relation::ratio ? now / before : now - before;
      holds = change >= rule.low && change <= rule.high;
    }
    context_.sink->outcome(rule.rule, holds, variable.facts, place);
  }

  void mirror(Process& process, const Rule& rule, const Variable& variable, Place& place) {
    const Variable* other = process.find(rule.object, variable.name);
    if (other == nullptr || !other->get(rule.other_field, place.expected)) return;
    context_.sink->outcome(rule.rule, same_value(place.seen, place.expected), variable.facts, place);
  }

  // Judged when the one that is observed second in a round is observed, and the other was since the last time.
  void pair(Process& process, Thread& thread, Rule& rule, const Variable& variable) {
    if (process.number >= rule.latest.size()) rule.latest.resize(process.number + 1U);
    auto& [first, second] = rule.latest[process.number];
    if (first == nullptr) first = &variable;
    if (second == nullptr && &variable != first && variable.type == first->type) second = &variable;
    if (&variable != second || first->observed <= variable.observed_before) return;
    const Variable& other = *first;
    Place place = place_of(process, thread, variable);
    if (!variable.get(rule.field, place.seen) || !other.get(rule.field, place.expected)) return;
    context_.sink->outcome(rule.rule, place.seen == place.expected, variable.facts, place);
  }

  JudgeContext context_;
  std::vector<Rule> rules_;
  SymbolIndex by_type_;
  SymbolIndex by_name_;
};

}  // namespace

std::unique_ptr<Judge> make_variable_judge(const JudgeContext& context) {
  return std::make_unique<VariableJudge>(context);
}

}  // namespace tenet::training
