/// A trace replays only if every part of it is true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.h"

namespace tenet::ir::test {
namespace {

using testing::HasSubstr;

struct Replay : testing::Test {
  Replay() : p(two_phase_commit()), where(named_instance(p, "small")), trace(explore(p, where).traces.at(0)) {}
  std::string replayed() const { return replay(p, where, trace); }

  Protocol p;
  Instance where;
  Trace trace;
};

TEST_F(Replay, AShortestTraceReplays) { EXPECT_EQ(replayed(), ""); }

TEST_F(Replay, ATraceWithoutActionsReplays) {
  trace.actions.clear();
  trace.sends.clear();
  trace.states.resize(1);
  EXPECT_EQ(replayed(), "");
}

TEST_F(Replay, EveryStateCounts) {
  for (std::size_t i = 1; i < trace.states.size(); ++i) {
    Trace changed = trace;
    changed.states[i].network.clear();
    EXPECT_THAT(replay(p, where, changed), HasSubstr("leads to another state")) << i;
  }
}

TEST_F(Replay, EverySendCounts) {
  for (std::size_t i = 0; i < trace.sends.size(); ++i) {
    Trace changed = trace;
    if (changed.sends[i].empty()) {
      changed.sends[i] = trace.sends[0];
    } else {
      changed.sends[i].pop_back();
    }
    EXPECT_THAT(replay(p, where, changed), HasSubstr("sends other messages")) << i;
  }
}

TEST_F(Replay, ActionsMustBeEnabled) {
  std::swap(trace.actions[0], trace.actions[1]);
  EXPECT_EQ(replayed(), "action 1 (Participant, receive Request) is not enabled");
  trace.actions[0].step = StepId(77);
  EXPECT_EQ(replayed(), "action 1 (of no step) is not enabled");
}

TEST_F(Replay, TheShapeMustFit) {
  trace.states.pop_back();
  EXPECT_THAT(replayed(), HasSubstr("does not have a state before and after each action"));
  trace.states.clear();
  trace.actions.clear();
  trace.sends.clear();
  EXPECT_THAT(replayed(), HasSubstr("does not have a state before and after each action"));
}

TEST_F(Replay, TheStartMustBeOne) {
  Trace changed = trace;
  changed.states[0].network = trace.sends[0];
  EXPECT_EQ(replay(p, where, changed), "the first state has messages in the network");
  changed = trace;
  changed.states[0].variables[0][0] = {0, {{0, {}}}};
  EXPECT_EQ(replay(p, where, changed), "variable 'Coordinator.ayes' does not begin as its initialiser says");
  changed.states[0].variables[0].clear();
  EXPECT_EQ(replay(p, where, changed), "variable 'Coordinator.ayes' does not have one value for each host");
  changed.states[0].variables.clear();
  EXPECT_EQ(replay(p, where, changed), "the first state does not give every variable a value");
  changed = trace;
  changed.constants.values[0][0] = {5, {}};
  EXPECT_EQ(replay(p, where, changed), "constant 'Participant.preference' has a value outside the instance");
  changed.constants.values[0].pop_back();
  EXPECT_EQ(replay(p, where, changed), "constant 'Participant.preference' has too many or too few values");
  changed.constants.values.clear();
  EXPECT_EQ(replay(p, where, changed), "the trace does not give every constant a value");
}

TEST(ReplayOfConstants, RingsDefinitionsAndAxiomsAreChecked) {
  const Protocol p = kitchen_sink();
  const Instance where = named_instance(p, "small");
  const Trace good = explore(p, where).traces.at(0);
  EXPECT_EQ(replay(p, where, good), "");
  const auto with = [&](std::size_t constant, std::vector<Value> values) {
    Trace changed = good;
    changed.constants.values[constant] = std::move(values);
    return replay(p, where, changed);
  };
  EXPECT_EQ(with(0, {{0, {}}, {1, {}}}), "constant 'next' is not that of the ring");
  EXPECT_EQ(with(2, {{0, {}}}), "constant 'f' has a value outside the instance");
  EXPECT_EQ(with(3, {{3, {}}}), "constant 'quorum' is not what its definition says");
  EXPECT_EQ(with(4, {{1, {}}, {1, {}}}), "constant 'Node.id' is not unique");
  Trace changed = good;
  const auto level = [&](std::size_t host) -> Value& { return changed.states[0].variables[3][host]; };
  level(0) = {1 - level(0).number, {}};
  EXPECT_EQ(replay(p, where, changed), "init formula 'forall a, b: Node :: a.level == b.level' does not hold");
}

}  // namespace
}  // namespace tenet::ir::test
