#include "rule_engine.h"

#include <array>

namespace tenet::training {
namespace {

using Factory = std::unique_ptr<Judge> (*)(const JudgeContext&);
constexpr std::array<Factory, 7> kFactories{make_containment_judge, make_order_judge, make_field_judge,
                                            make_distinct_judge,    make_rank_judge,  make_variable_judge,
                                            make_loop_judge};

std::size_t factory_of(Relation relation) noexcept {
  switch (relation) {
    case Relation::contains_call:
    case Relation::contains_change:
    case Relation::each_change:
      return 0;
    case Relation::before:
    case Relation::after:
      return 1;
    case Relation::constant:
    case Relation::equal_fields:
    case Relation::at_most:
    case Relation::range:
      return 2;
    case Relation::distinct:
      return 3;
    case Relation::same_on_ranks:
      return 4;
    case Relation::stable:
    case Relation::mirrors:
    case Relation::pair_equal:
    case Relation::ratio:
    case Relation::increment:
      return 5;
    case Relation::each_step:
    case Relation::loop_law:
      return 6;
  }
  return 0;
}

}  // namespace

RuleEngine::RuleEngine(Vocabulary& vocabulary, FactsTable& facts, OutcomeSink& sink)
    : context_{&vocabulary, &facts, &sink}, replay_(vocabulary, facts), judges_(kFactories.size()) {}

Judge& RuleEngine::judge_for(Relation relation) {
  const std::size_t number = factory_of(relation);
  auto& judge = judges_[number];
  if (judge == nullptr) {
    judge = kFactories[number](context_);
    replay_.add(*judge);
  }
  return *judge;
}

bool RuleEngine::add(const Invariant& invariant, std::uint32_t rule) {
  if (invariant.subject.empty()) return false;
  return judge_for(invariant.relation).add(invariant, rule);
}

}  // namespace tenet::training
