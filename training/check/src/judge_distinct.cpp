// distinct: a value does not repeat within one step, over all threads and processes of the run (identities: within the
// process). The values seen are forgotten when the step changes, and at the latest after kMost of them.
#include <unordered_map>

#include "field.h"
#include "judge.h"

namespace tenet::training {
namespace {

constexpr std::size_t kMost = 65536;

class DistinctJudge final : public Judge {
 public:
  explicit DistinctJudge(const JudgeContext& context) : context_(context) {}

  bool add(const Invariant& invariant, std::uint32_t rule) override {
    Vocabulary& v = *context_.vocabulary;
    const auto number = static_cast<std::uint32_t>(rules_.size());
    rules_.push_back({rule, FieldPath(invariant.field, v), {}, kNoStep});
    const Symbol subject = v.intern(invariant.subject);
    if (invariant.kind == SubjectKind::variable_type) {
      by_type_.add(subject, number);
    } else {
      (rules_.back().field.in_result() ? at_exit_ : at_enter_).add(subject, number);
    }
    return true;
  }

  void on_enter(Process& process, Thread& thread, Frame& frame) override {
    for (const std::uint32_t number : at_enter_.at(frame.function)) {
      Place place = place_of(process, thread, frame);
      if (rules_[number].field.get(process, frame, nullptr, place.seen)) judge(number, frame.facts, place);
    }
  }
  void on_exit(Process& process, Thread& thread, Frame& frame, const Record& record) override {
    for (const std::uint32_t number : at_exit_.at(frame.function)) {
      Place place = place_of(process, thread, frame);
      if (rules_[number].field.get(process, frame, &record, place.seen)) judge(number, frame.facts, place);
    }
  }
  void on_state(Process& process, Thread& thread, Variable& variable) override {
    for (const std::uint32_t number : by_type_.at(variable.type)) {
      Place place = place_of(process, thread, variable);
      if (rules_[number].field.get(process, variable, place.seen)) judge(number, variable.facts, place);
    }
  }

 private:
  struct Rule {
    std::uint32_t rule;
    FieldPath field;
    std::unordered_map<std::uint64_t, const Process*> seen;
    std::int64_t step;
  };

  void judge(std::uint32_t number, FactsId facts, Place& place) {
    Rule& rule = rules_[number];
    if (place.seen.type == ValueType::none) return;
    if (place.step != rule.step || rule.seen.size() >= kMost) {
      rule.seen.clear();
      rule.step = place.step;
    }
    const bool local = place.seen.type == ValueType::ref;
    const std::uint64_t key = local ? place.seen.bits ^ (std::uint64_t{place.process->number} << 48U) : place.seen.bits;
    const auto [found, fresh] = rule.seen.try_emplace(key, place.process);
    if (!fresh) {
      place.other = found->second == place.process ? nullptr : found->second;
      place.expected = place.seen;
    }
    if (fresh && rule.seen.size() == 1) return;  // the first of a step has nothing to differ from
    context_.sink->outcome(rule.rule, fresh, facts, place);
  }

  JudgeContext context_;
  std::vector<Rule> rules_;
  SymbolIndex at_enter_;
  SymbolIndex at_exit_;
  SymbolIndex by_type_;
};

}  // namespace

std::unique_ptr<Judge> make_distinct_judge(const JudgeContext& context) {
  return std::make_unique<DistinctJudge>(context);
}

}  // namespace tenet::training
