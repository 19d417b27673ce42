#include "tenet/result/trace_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace_maker.h"

namespace tenet::result {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr const char* kElection = R"(
protocol votes
message Ask
message Answer(yes: bool)
role Asker single {
  var ayes: set<Voter> = {}
  var done: option<bool> = none
  step ask { send Ask to all Voter }
  receive Answer(yes) from v: Voter when yes { ayes += v }
  step finish(result: bool) when |ayes| >= 1 { done = some(result) }
}
role Voter {
  const kind: bool
  var answered: bool = false
  receive Ask from a: Asker when not answered { answered = true  send Answer(kind) to a }
}
safety honest: forall v, w: Voter :: Asker.done == some(true) and v.answered => w.kind
reachable ends: Asker.done != none
deadlock ok
init: forall v: Voter :: v.kind
instance two { Voter = 2 }
)";

std::string flat(const TraceStep::Change& c) { return c.host + "." + c.variable + ":" + c.before + ">" + c.after; }
std::vector<std::string> flat(const std::vector<TraceStep::Change>& changes) {
  std::vector<std::string> result;
  for (const auto& c : changes) result.push_back(flat(c));
  return result;
}

TEST(TraceView, NamesStepsHostsMessagesAndOnlyWhatChanged) {
  testing::TraceMaker maker(kElection);
  maker.take("Asker ask");
  maker.take("Voter#2 receive Ask");
  maker.take("Asker receive Answer");
  maker.take("Asker finish true");
  ASSERT_EQ(ir::replay(maker.protocol(), maker.instance(), maker.trace()), "");
  const TraceView trace = view(maker.protocol(), maker.instance(), maker.trace());

  EXPECT_THAT(trace.hosts, ElementsAre("Asker", "Voter#1", "Voter#2"));
  EXPECT_THAT(trace.roles, ElementsAre("Asker", "Voter", "Voter"));
  EXPECT_THAT(flat(trace.initial),
              ElementsAre("Asker.ayes:>{}", "Asker.done:>none", "Voter#1.answered:>false", "Voter#2.answered:>false"));
  ASSERT_EQ(trace.steps.size(), 4U);

  const TraceStep& ask = trace.steps[0];
  EXPECT_EQ(ask.step, "ask");
  EXPECT_EQ(ask.host, "Asker");
  EXPECT_FALSE(ask.received);
  ASSERT_EQ(ask.sent.size(), 2U);
  EXPECT_EQ(ask.sent[1].to, "Voter#2");
  EXPECT_TRUE(ask.changes.empty());
  EXPECT_FALSE(ask.span.empty());

  const TraceStep& answer = trace.steps[1];
  EXPECT_EQ(answer.host, "Voter#2");
  ASSERT_TRUE(answer.received);
  EXPECT_EQ(answer.received->text, "Ask");
  EXPECT_EQ(answer.received->from, "Asker");
  EXPECT_EQ(answer.received->sent_at, 0U);
  EXPECT_THAT(flat(answer.changes), ElementsAre("Voter#2.answered:false>true"));
  EXPECT_THAT(answer.cells, ElementsAre(Pair(3U, "true")));

  EXPECT_THAT(trace.steps[2].received->fields, ElementsAre(Pair("yes", "true")));
  EXPECT_EQ(trace.steps[2].received->sent_at, 1U);
  EXPECT_THAT(trace.steps[3].arguments, ElementsAre(Pair("result", "true")));
  EXPECT_THAT(flat(trace.steps[3].changes), ElementsAre("Asker.done:none>some(true)"));
  EXPECT_THAT(flat(trace.final_state), ElementsAre("Asker.ayes:>{Voter#2}", "Asker.done:>some(true)",
                                                   "Voter#1.answered:>false", "Voter#2.answered:>true"));
}

TEST(TraceView, OfMapsFunctionsAndStructsShowsTheInnermostChange) {
  testing::TraceMaker maker(R"(
protocol nested
struct Pair { left: nat, right: nat }
role R {
  var table: nat -> Pair = constant_pair
  var partial: map<nat, nat> = {}
  step go { table[1] = Pair(2, 0)  partial[2] = 1 }
  step back when 2 in keys(partial) { partial -= 2 }
}
const constant_pair: nat -> Pair = n => Pair(0, 0)
safety fine: forall r: R :: r.table[0].left == 0
instance one { R = 1 nat in 0..2 }
)");
  if (::testing::Test::HasFailure()) GTEST_SKIP() << "the language does not have this yet";
  maker.take("R#1 go");
  maker.take("R#1 back");
  const TraceView trace = view(maker.protocol(), maker.instance(), maker.trace());
  EXPECT_THAT(flat(trace.steps[0].changes), ElementsAre("R#1.table[1].left:0>2", "R#1.partial[2]:absent>1"));
  EXPECT_THAT(flat(trace.steps[1].changes), ElementsAre("R#1.partial[2]:1>absent"));
}

TEST(Explain, GivesTheBindingAndTheValuesOfTheParts) {
  testing::TraceMaker maker(kElection);
  maker.take("Asker ask");
  TraceView trace = view(maker.protocol(), maker.instance(), maker.trace());
  const ir::ExprId formula = maker.formula("honest");
  // The formula is true here; any binding can be explained.
  const auto& binders = maker.protocol()[formula].binders;
  ASSERT_EQ(binders.size(), 2U);
  explain(trace, maker.protocol(), maker.instance(), formula,
          {{binders[0], ir::Value{0, {}}}, {binders[1], ir::Value{1, {}}}});
  EXPECT_EQ(trace.why, "v = Voter#1, w = Voter#2");
  EXPECT_THAT(trace.evaluation, ElementsAre(Pair("Asker.done", "none"), Pair("v.answered", "false"),
                                            Pair("w.kind", "true"), Pair("Asker.done == some(true)", "false")));
}

TEST(Describe, ListsEveryEntryAndTheDefaults) {
  testing::TraceMaker maker(kElection);
  EXPECT_EQ(describe(maker.protocol(), maker.instance()), "two: Voter = 2");
}

}  // namespace
}  // namespace tenet::result
