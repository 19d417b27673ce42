/// Exact counts of reachable states: published ones, and ones worked out by
/// hand. They hold the interpreter to the language's meaning.
#include <gtest/gtest.h>

#include "fixtures.h"
#include "tenet/ir/interpreter.h"

namespace tenet::ir::test {
namespace {

TEST(ReachableStates, LamportsTwoPhaseHas288With3Managers) {
  const Protocol p = lamport_two_phase();
  const Explored found = explore(p, named_instance(p, "three"));
  EXPECT_EQ(found.states, 288u);
  EXPECT_EQ(found.initial, 1u);
  EXPECT_EQ(found.depth, 10u);
  EXPECT_TRUE(found.violated.empty());
}

TEST(ReachableStates, LamportsTwoPhaseHas8832With5Managers) {
  const Protocol p = lamport_two_phase();
  EXPECT_EQ(explore(p, named_instance(p, "five")).states, 8832u);
}

TEST(ReachableStates, LamportsTwoPhaseHas80And314Orbits) {
  const Protocol p = lamport_two_phase();
  EXPECT_EQ(orbits(p, named_instance(p, "three"), "Resource"), 80u);
  EXPECT_EQ(orbits(p, named_instance(p, "five"), "Resource"), 314u);
}

TEST(ReachableStates, TwoPhaseCommitIsSafeAndCanCommit) {
  const Protocol p = two_phase_commit();
  const Instance three = named_instance(p, "small");
  const Explored found = explore(p, three);
  EXPECT_EQ(found.initial, 8u) << "one per way to vote";
  EXPECT_TRUE(found.violated.empty());
  EXPECT_EQ(found.reached, std::vector<std::string>{"someone_commits"});
  ASSERT_EQ(found.traces.size(), 1u);
  // ask, three requests heard, three ballots heard, a decision, an outcome heard.
  EXPECT_EQ(found.traces[0].actions.size(), 9u);
  EXPECT_EQ(replay(p, three, found.traces[0]), "");
}

TEST(ReachableStates, EverythingInTheKitchenSinkHappens) {
  const Protocol p = kitchen_sink();
  const Explored found = explore(p, named_instance(p, "small"));
  EXPECT_EQ(found.initial, 4u) << "two ways to give ids, two levels";
  EXPECT_TRUE(found.violated.empty()) << found.violated.front();
  EXPECT_EQ(found.reached, std::vector<std::string>{"all_seen"});
  EXPECT_GT(found.faults, 0u) << "a token may come before the ping";
}

}  // namespace
}  // namespace tenet::ir::test
