#include "tenet/training/invariant.h"

#include <gtest/gtest.h>

namespace tenet::training {
namespace {

Invariant sample() {
  Invariant i;
  i.relation = Relation::constant;
  i.kind = SubjectKind::variable_type;
  i.subject = "torch.nn.Parameter";
  i.field = "data.dtype";
  i.value = Constant{ValueType::text, 0, "torch.float32"};
  i.when.any_of = {{{"stage", {Constant{ValueType::text, 0, "training"}}, 0}, {"step", {}, 2}}};
  i.evidence = {12, 3, 2, 9};
  i.silenced = "because";
  return i;
}

TEST(InvariantsFile, RoundTrips) {
  InvariantSet set;
  set.runs = 2;
  set.invariants = {sample()};
  const std::string text = print_invariants(set);
  auto back = parse_invariants(text);
  ASSERT_TRUE(back) << back.error().message;
  ASSERT_EQ(back->invariants.size(), 1U);
  EXPECT_EQ(back->invariants[0].when, set.invariants[0].when);
  EXPECT_EQ(back->invariants[0].value, set.invariants[0].value);
  EXPECT_EQ(back->invariants[0].silenced, "because");
  EXPECT_EQ(print_invariants(*back), text);
}

TEST(InvariantsFile, AnotherVersionIsUnsupported) {
  auto set = parse_invariants(R"({"tenet_training_invariants": 99, "invariants": []})");
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().kind, ErrorKind::unsupported);
  EXPECT_NE(set.error().message.find("99"), std::string::npos);
}

TEST(InvariantsFile, WhatIsNoneIsBadInput) {
  for (const char* text : {"", "[]", "{}", "nonsense", R"({"tenet_training_invariants": 1})",
                           R"({"tenet_training_invariants": "1", "invariants": []})"}) {
    auto set = parse_invariants(text);
    ASSERT_FALSE(set) << text;
    EXPECT_EQ(set.error().kind, ErrorKind::bad_input);
  }
}

TEST(InvariantsFile, EntriesThatAreNotUnderstoodAreLeftOutAndNamed) {
  auto set = parse_invariants(R"({"tenet_training_invariants": 1, "invariants": [
    {"relation": "contains-call", "subject": "f", "object": "g"},
    {"relation": "telepathy", "subject": "f"},
    {"relation": "before", "subject": 7},
    {"relation": "constant", "subject": "f", "field": "x"}]})");
  ASSERT_TRUE(set);
  EXPECT_EQ(set->invariants.size(), 1U);
  ASSERT_EQ(set->problems.size(), 3U);
  EXPECT_NE(set->problems[0].find("telepathy"), std::string::npos);
}

TEST(InvariantText, IsASentence) {
  EXPECT_EQ(sample().text(),
            "data.dtype of variables of type torch.nn.Parameter is torch.float32, when stage is training and step >= 2 "
            "(12 times in 2 runs, 3 exceptions)");
}

TEST(InvariantId, DependsOnTheClaimAlone) {
  Invariant a = sample();
  Invariant b = sample();
  b.when = {};
  b.evidence = {};
  EXPECT_EQ(a.id(), b.id());
  b.field = "grad.dtype";
  EXPECT_NE(a.id(), b.id());
}

}  // namespace
}  // namespace tenet::training
