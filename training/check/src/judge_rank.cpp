// same_on_ranks: the n-th value of a variable (or of a function's argument) in a step is the same on every process.
//
// Values wait in a table until the other processes reach the same place; entries more than kWindow steps old are
// forgotten, so that a dead or stopped process does not make the table grow.
#include <algorithm>
#include <map>
#include <string>

#include "field.h"
#include "judge.h"

namespace tenet::training {
namespace {

constexpr std::int64_t kWindow = 16;

class RankJudge final : public Judge {
 public:
  explicit RankJudge(const JudgeContext& context) : context_(context) {}

  bool add(const Invariant& invariant, std::uint32_t rule) override {
    Vocabulary& v = *context_.vocabulary;
    const auto number = static_cast<std::uint32_t>(rules_.size());
    Rule entry;
    entry.rule = rule;
    entry.field = FieldPath(invariant.field, v);
    const Symbol subject = v.intern(invariant.subject);
    if (invariant.kind == SubjectKind::variable_type) {
      by_type_.add(subject, number);
    } else {
      (entry.field.in_result() ? at_exit_ : at_enter_).add(subject, number);
    }
    rules_.push_back(std::move(entry));
    return true;
  }

  void on_enter(Process& process, Thread& thread, Frame& frame) override {
    for (const std::uint32_t number : at_enter_.at(frame.function)) {
      Place place = place_of(process, thread, frame);
      if (rules_[number].field.get(process, frame, nullptr, place.seen))
        judge(number, frame.function, frame.facts, place);
    }
  }
  void on_exit(Process& process, Thread& thread, Frame& frame, const Record& record) override {
    for (const std::uint32_t number : at_exit_.at(frame.function)) {
      Place place = place_of(process, thread, frame);
      if (rules_[number].field.get(process, frame, &record, place.seen))
        judge(number, frame.function, frame.facts, place);
    }
  }
  void on_state(Process& process, Thread& thread, Variable& variable) override {
    for (const std::uint32_t number : by_type_.at(variable.type)) {
      Place place = place_of(process, thread, variable);
      if (rules_[number].field.get(process, variable, place.seen)) judge(number, variable.name, variable.facts, place);
    }
  }

 private:
  struct Entry {
    const Process* process;
    FactsId facts;
    Value value;
  };
  struct Cell {
    std::vector<Entry> entries;
  };
  struct Rule {
    std::uint32_t rule = 0;
    FieldPath field;
    std::map<std::pair<std::int64_t, std::uint64_t>, Cell> cells;  // by step, then name and ordinal
    std::map<std::pair<std::uint16_t, Symbol>, std::pair<std::int64_t, std::uint32_t>> ordinals;
    std::int64_t newest = kNoStep;
  };

  std::uint32_t ordinal(Rule& rule, const Process& process, Symbol name, std::int64_t step) {
    auto& [last_step, count] = rule.ordinals[{process.number, name}];
    if (last_step != step) {
      last_step = step;
      count = 0;
    }
    return count++;
  }

  void judge(std::uint32_t number, Symbol name, FactsId facts, Place& place) {
    Rule& rule = rules_[number];
    const std::uint64_t key = static_cast<std::uint64_t>(name) << 32U | ordinal(rule, *place.process, name, place.step);
    Cell& cell = rule.cells[{place.step, key}];
    for (const Entry& entry : cell.entries) {
      if (entry.process == place.process) continue;
      place.other = entry.process;
      place.expected = entry.value;
      context_.sink->outcome(rule.rule, same_value(place.seen, entry.value),
                             both(facts, *place.process, entry.facts, *entry.process), place);
    }
    cell.entries.push_back({place.process, facts, place.seen});
    if (place.step > rule.newest) {
      rule.newest = place.step;
      rule.cells.erase(rule.cells.begin(), rule.cells.lower_bound({rule.newest - kWindow, 0}));
    }
  }

  // The facts of a pair: what both agree on, and for each placement whether they stand at the same place.
  FactsId both(FactsId a, const Process& pa, FactsId b, const Process& pb) {
    Facts facts;
    std::ranges::set_intersection(context_.facts->at(a), context_.facts->at(b), std::back_inserter(facts));
    for (const Fact& fact : pa.placement) {
      const auto other = std::ranges::find(pb.placement, fact.key, &Fact::key);
      if (other == pb.placement.end()) continue;
      facts.push_back({same_key(fact.key), Value::of(other->value == fact.value)});
    }
    return context_.facts->intern(std::move(facts));
  }

  Symbol same_key(Symbol placement) {
    Symbol& symbol = same_keys_[placement];
    if (symbol == 0) {
      symbol = context_.vocabulary->intern("same " + std::string(context_.vocabulary->text(placement)));
    }
    return symbol;
  }

  JudgeContext context_;
  std::vector<Rule> rules_;
  SymbolIndex at_enter_;
  SymbolIndex at_exit_;
  SymbolIndex by_type_;
  std::map<Symbol, Symbol> same_keys_;
};

}  // namespace

std::unique_ptr<Judge> make_rank_judge(const JudgeContext& context) { return std::make_unique<RankJudge>(context); }

}  // namespace tenet::training
