#include "tenet/gate/policy.h"

#include <gmock/gmock.h>

namespace tenet::gate {
namespace {

using ::testing::HasSubstr;

TEST(Policies, AreStrictUnlessTheySayOtherwise) {
  const auto policy = read_policy("", "tenet.toml");
  ASSERT_TRUE(policy);
  EXPECT_EQ(policy->reaction(Change::proof_lost), Reaction::fail);
  EXPECT_EQ(policy->reaction(Change::newly_unknown), Reaction::fail);
  EXPECT_EQ(policy->reaction(Change::still_violated), Reaction::warn);
  EXPECT_EQ(policy->reaction(Change::only_bounded), Reaction::ignore);
  EXPECT_TRUE(policy->covers("any/where.tenet"));
}

TEST(Policies, ChangeWhatTheyName) {
  const auto policy = read_policy(
      "[other]\nx = 1\n[gate]\npaths = [\"a\", \"./b/\"]\nonly-bounded = \"fail\"\nvariant-survived = \"warn\"\n", "t");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->reaction(Change::only_bounded), Reaction::fail);
  EXPECT_EQ(policy->reaction(Change::variant_survived), Reaction::warn);
  EXPECT_EQ(policy->reaction(Change::newly_violated), Reaction::fail);
  EXPECT_TRUE(policy->covers("a/x.tenet"));
  EXPECT_TRUE(policy->covers("b/c/x.tenet"));
  EXPECT_FALSE(policy->covers("ab/x.tenet"));
}

TEST(Policies, SayWhereTheyAreWrong) {
  const auto error = [](const char* text) {
    const auto policy = read_policy(text, "tenet.toml");
    return policy ? std::string() : policy.error().message;
  };
  EXPECT_THAT(error("[gate]\n\nproof-lots = \"warn\"\n"),
              HasSubstr("tenet.toml:3: [gate] has no key 'proof-lots'; did you mean 'proof-lost'?"));
  EXPECT_THAT(error("[gate]\nproof-lost = \"allow\"\n"), HasSubstr("tenet.toml:2: 'proof-lost' is \"fail\""));
  EXPECT_THAT(error("[gate]\nproof-lost = true\n"), HasSubstr(":2:"));
  EXPECT_THAT(error("gate = 3\n"), HasSubstr("no table"));
  EXPECT_THAT(error("[gate\n"), HasSubstr("tenet.toml:1"));
  EXPECT_NE(error("[gate]\npaths = []\n"), "");
  EXPECT_NE(error("[gate]\npaths = [\"../x\"]\n"), "");
  EXPECT_NE(error("[gate]\npaths = \"x\"\n"), "");
  EXPECT_NE(error("\xff\xfe"), "");
}

}  // namespace
}  // namespace tenet::gate
