#include "precondition.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tenet::training {
namespace {

Constant text(std::string value) { return {ValueType::text, 0, std::move(value)}; }
Constant flag(bool value) { return {ValueType::boolean, value ? 1U : 0U, {}}; }

struct Case {
  std::vector<FactList> facts;
  std::vector<Examples> examples;
  void add(FactList list, std::uint64_t positives, std::uint64_t negatives, std::int64_t first = 0,
           std::int64_t last = 9) {
    std::ranges::sort(list);
    examples.push_back({static_cast<std::uint32_t>(facts.size()), positives, negatives, first, last, first, last});
    facts.push_back(std::move(list));
  }
  [[nodiscard]] std::optional<Precondition> solve() const { return separate(Invariant{}, examples, facts); }
};

TEST(Precondition, NoExceptionsNoCondition) {
  Case c;
  c.add({{"stage", text("training")}}, 10, 0);
  ASSERT_TRUE(c.solve());
  EXPECT_TRUE(c.solve()->unconditional());
}

TEST(Precondition, TheConditionThatSeparates) {
  Case c;
  c.add({{"stage", text("training")}, {"grad", flag(true)}}, 10, 0);
  c.add({{"stage", text("evaluation")}, {"grad", flag(true)}}, 0, 4);
  const auto when = c.solve();
  ASSERT_TRUE(when);
  ASSERT_EQ(when->any_of.size(), 1U);
  EXPECT_EQ(when->any_of[0], (Conjunction{{"stage", {text("training")}, 0}}));
}

TEST(Precondition, AConjunctionWhereOneConditionIsNotEnough) {
  Case c;
  c.add({{"a", flag(true)}, {"b", flag(true)}}, 10, 0);
  c.add({{"a", flag(true)}, {"b", flag(false)}}, 0, 4);
  c.add({{"a", flag(false)}, {"b", flag(true)}}, 0, 4);
  const auto when = c.solve();
  ASSERT_TRUE(when);
  ASSERT_EQ(when->any_of.size(), 1U);
  EXPECT_EQ(when->any_of[0].size(), 2U);
}

TEST(Precondition, SplitsWherePartsNeedDifferentConditions) {
  Case c;
  c.add({{"kind", text("weight")}, {"x", flag(true)}, {"y", flag(false)}}, 5, 0);
  c.add({{"kind", text("weight")}, {"x", flag(false)}, {"y", flag(false)}}, 0, 5);
  c.add({{"kind", text("bias")}, {"x", flag(false)}, {"y", flag(true)}}, 5, 0);
  c.add({{"kind", text("bias")}, {"x", flag(true)}, {"y", flag(false)}}, 0, 5);
  const auto when = c.solve();
  ASSERT_TRUE(when);
  EXPECT_FALSE(when->inverted);
  EXPECT_EQ(when->any_of.size(), 2U);
  const Inside inside = count_inside(*when, c.examples, c.facts);
  EXPECT_EQ(inside.positives, 10U);
  EXPECT_EQ(inside.negatives, 0U);
}

TEST(Precondition, InvertedWhereOnlyTheExceptionsHaveSomethingInCommon) {
  Case c;
  for (int i = 0; i < 8; ++i) c.add({{"where", text("place" + std::to_string(i))}}, 2, 0);
  c.add({{"where", text("special")}}, 0, 3);
  const auto when = c.solve();
  ASSERT_TRUE(when);
  EXPECT_TRUE(when->inverted);
  EXPECT_EQ(count_inside(*when, c.examples, c.facts).negatives, 0U);
}

TEST(Precondition, FromAStepOn) {
  Case c;
  c.add({{"stage", text("training")}}, 10, 0, 3, 20);
  c.examples[0].negatives = 2;
  c.examples[0].first_negative = 0;
  c.examples[0].last_negative = 2;
  const auto when = c.solve();
  ASSERT_TRUE(when);
  EXPECT_EQ(when->any_of[0], (Conjunction{{"step", {}, 3}}));
}

TEST(Precondition, SuperficialWhereNothingSeparates) {
  Case c;
  c.add({{"stage", text("training")}}, 10, 3);
  EXPECT_FALSE(c.solve());
}

TEST(Precondition, ItsOwnFieldIsNoCondition) {
  Case c;
  c.add({{"flag", flag(true)}}, 10, 0);
  c.add({{"flag", flag(false)}}, 0, 10);
  Invariant claim;
  claim.field = "flag";
  EXPECT_FALSE(separate(claim, c.examples, c.facts));
}

TEST(Precondition, DoesNotDependOnTheOrderOfExamples) {
  Case c;
  c.add({{"a", flag(true)}, {"b", flag(true)}, {"stage", text("training")}}, 10, 0);
  c.add({{"a", flag(true)}, {"b", flag(false)}, {"stage", text("training")}}, 0, 4);
  c.add({{"a", flag(false)}, {"b", flag(false)}, {"stage", text("testing")}}, 0, 4);
  const auto forward = c.solve();
  std::ranges::reverse(c.examples);
  EXPECT_EQ(forward, c.solve());
}

}  // namespace
}  // namespace tenet::training
