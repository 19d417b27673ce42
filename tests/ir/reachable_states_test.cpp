/// Exact counts of reachable states: published ones, and ones worked out by
/// hand. They hold the interpreter to the language's meaning.
#include <gmock/gmock.h>
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

/// The shipped protocols in instances that a naive search can walk through.
TEST(ReachableStates, TheShippedProtocolsAreSafeInTheSmall) {
  const struct {
    const char* name;
    const char* entries;
    bool all_reached;
  } cases[] = {
      {"distributed_lock", "Node=2 epoch=0..3", true},
      {"echo_server", "Client=2 Payload=1", true},
      {"paxos", "Leader=2 Acceptor=2 Learner=1 Value=1 ballot=0..1", true},
      {"ring_leader_election", "Node=3 id=0..2", true},
      {"simplified_leader_election", "Node=2", true},
      {"three_phase_commit", "Participant=2", false},
      {"two_phase_commit", "Participant=2", true},
  };
  for (const auto& one : cases) {
    const Protocol p = from_file(std::string("protocols/") + one.name + "/" + one.name + ".tenet");
    const Instance where = instance(p, one.entries);
    const Explored found = explore(p, where);
    EXPECT_TRUE(found.violated.empty()) << one.name << ": " << found.violated.front();
    EXPECT_EQ(found.faults, 0u) << one.name;
    EXPECT_GT(found.states, 10u) << one.name;
    if (one.all_reached) {
      for (const Property& property : p.properties) {
        if (property.kind != PropertyKind::reachable) continue;
        EXPECT_THAT(found.reached, testing::Contains(property.name)) << one.name;
      }
    }
    for (const Trace& trace : found.traces) EXPECT_EQ(replay(p, where, trace), "") << one.name;
    RecordProperty(one.name, std::to_string(found.states));
  }
}

}  // namespace
}  // namespace tenet::ir::test
