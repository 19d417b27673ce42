// constant, range, equal_fields, at_most: what one record says, without memory; at_most also of the quantities of the
// loop.
#include "field.h"
#include "judge.h"

namespace tenet::training {
namespace {

class FieldJudge final : public Judge {
 public:
  explicit FieldJudge(const JudgeContext& context) : context_(context) {}

  bool add(const Invariant& invariant, std::uint32_t rule) override {
    Vocabulary& v = *context_.vocabulary;
    Rule entry{.rule = rule,
               .relation = invariant.relation,
               .field = FieldPath(invariant.field, v),
               .other = FieldPath(invariant.other_field, v),
               .value = {},
               .low = invariant.low,
               .high = invariant.high};
    if (invariant.field.empty()) return false;
    if (invariant.value) entry.value = to_value(*invariant.value, v);
    const auto number = static_cast<std::uint32_t>(rules_.size());
    const Symbol subject = v.intern(invariant.subject);
    if (invariant.subject == kLoopSubject) {
      if (invariant.relation != Relation::at_most) return false;
      loop_rules_.push_back(number);
    } else if (invariant.kind == SubjectKind::variable_type) {
      by_type_.add(subject, number);
    } else if (entry.field.in_result() || entry.other.in_result()) {
      at_exit_.add(subject, number);
    } else {
      at_enter_.add(subject, number);
    }
    rules_.push_back(entry);
    return true;
  }

  void on_enter(Process& process, Thread& thread, Frame& frame) override {
    for (const std::uint32_t number : at_enter_.at(frame.function)) call(process, thread, frame, nullptr, number);
  }
  void on_exit(Process& process, Thread& thread, Frame& frame, const Record& record) override {
    if (record.kind != RecordKind::exit) return;
    for (const std::uint32_t number : at_exit_.at(frame.function)) call(process, thread, frame, &record, number);
  }
  void on_state(Process& process, Thread& thread, Variable& variable) override {
    for (const std::uint32_t number : by_type_.at(variable.type)) {
      const Rule& rule = rules_[number];
      Place place = place_of(process, thread, variable);
      place.expected = rule.value;
      if (!rule.field.get(process, variable, place.seen)) continue;
      if (two_fields(rule) && !rule.other.get(process, variable, place.expected)) continue;
      context_.sink->outcome(rule.rule, holds(rule, place), variable.facts, place);
    }
  }
  void on_scalar(Process& process, Symbol name, Value) override {
    for (const std::uint32_t number : loop_rules_) {
      if (rules_[number].field.key() == name || rules_[number].other.key() == name) loop(process, rules_[number], name);
    }
  }
  // Again in every step, so that a job that sets its quantities once gives examples enough.
  void on_step(Process& process, std::int64_t) override {
    for (const std::uint32_t number : loop_rules_) loop(process, rules_[number], rules_[number].field.key());
  }

 private:
  struct Rule {
    std::uint32_t rule;
    Relation relation;
    FieldPath field;
    FieldPath other;
    Value value;
    double low;
    double high;
  };

  static bool two_fields(const Rule& rule) noexcept {
    return rule.relation == Relation::equal_fields || rule.relation == Relation::at_most;
  }

  void call(Process& process, Thread& thread, const Frame& frame, const Record* result, std::uint32_t number) {
    const Rule& rule = rules_[number];
    Place place = place_of(process, thread, frame);
    place.expected = rule.value;
    if (!rule.field.get(process, frame, result, place.seen)) return;
    if (two_fields(rule) && !rule.other.get(process, frame, result, place.expected)) return;
    context_.sink->outcome(rule.rule, holds(rule, place), frame.facts, place);
  }

  void loop(const Process& process, const Rule& rule, Symbol name) {
    const auto amount = process.scalars.find(rule.field.key());
    const auto limit = process.scalars.find(rule.other.key());
    if (amount == process.scalars.end() || limit == process.scalars.end()) return;
    Place place;
    place.process = &process;
    place.step = process.step;
    place.time = process.time;
    place.variable = name;
    place.seen = amount->second;
    place.expected = limit->second;
    context_.sink->outcome(rule.rule, holds(rule, place), context_.facts->intern(process.context_facts), place);
  }

  static bool holds(const Rule& rule, const Place& place) noexcept {
    switch (rule.relation) {
      case Relation::constant:
      case Relation::equal_fields:
        return same_value(place.seen, place.expected);
      case Relation::at_most:
        return place.seen.is_number() && place.expected.is_number() && place.seen.number() <= place.expected.number();
      default:  // a NaN is in no range
        return place.seen.is_number() && place.seen.number() >= rule.low && place.seen.number() <= rule.high;
    }
  }

  JudgeContext context_;
  std::vector<Rule> rules_;
  std::vector<std::uint32_t> loop_rules_;
  SymbolIndex at_enter_;
  SymbolIndex at_exit_;
  SymbolIndex by_type_;
};

}  // namespace

std::unique_ptr<Judge> make_field_judge(const JudgeContext& context) { return std::make_unique<FieldJudge>(context); }

}  // namespace tenet::training
