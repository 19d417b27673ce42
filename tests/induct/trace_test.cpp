#include <gtest/gtest.h>

#include <string>

#include "tenet/frontend/frontend.h"
#include "tenet/induct/induct.h"

namespace tenet::induct {
namespace {

/// `closed` is the formula that the items assert.
ir::Protocol parse(const std::string& formula) {
  const SourceFile file("test.tenet", R"(protocol token
message Token
const first: Node
role Node {
  var held: bool = self == first
  var seen: nat = 0
  step pass(to: Node) when held { held = false  send Token to to }
  receive Token from Node when seen < 1 { held = true  seen += 1 }
}
safety asked: )" + formula + "\n");
  auto loaded = frontend::load_protocol(file);
  for (const auto& diagnostic : loaded.diagnostics.sorted()) {
    if (diagnostic.severity == Severity::error) ADD_FAILURE() << render(diagnostic, file, false);
  }
  return *loaded.protocol;
}

ir::TraceItem item(ir::TraceItemKind kind) {
  ir::TraceItem made;
  made.kind = kind;
  return made;
}

/// Steps "pass", or any ones, and then the property.
ir::TraceQuery query(const ir::Protocol& protocol, const std::string& steps) {
  ir::TraceQuery made;
  made.name = "asked";
  for (const char what : steps) {
    ir::TraceItem next = item(what == '?' ? ir::TraceItemKind::any : ir::TraceItemKind::steps);
    if (what == 'p' || what == 'r') {
      ir::TraceCall call;
      call.step = ir::StepId(std::size_t{what == 'p' ? 0U : 1U});
      if (what == 'p') call.arguments.emplace_back();
      next.calls.push_back(call);
    }
    made.items.push_back(next);
  }
  made.items.push_back(item(ir::TraceItemKind::assert_));
  made.items.back().formula = protocol.properties[0].formula;
  return made;
}

TEST(Trace, ThatExistsIsFoundAndReplays) {
  const ir::Protocol protocol = parse("exists n: Node :: n.held and n != first");
  const TraceAnswer answer = find_trace(protocol, query(protocol, "pr"), {});
  ASSERT_EQ(answer.verdict, Verdict::refuted) << answer.reason;
  ASSERT_TRUE(answer.trace && answer.instance);
  EXPECT_EQ(answer.trace->actions.size(), 2U);
  EXPECT_EQ(ir::replay(protocol, *answer.instance, *answer.trace), "");
}

TEST(Trace, ThatDoesNotExistIsRefutedForAnyNumberOfHosts) {
  const ir::Protocol protocol = parse("exists n: Node :: n.held and n != first");
  EXPECT_EQ(find_trace(protocol, query(protocol, "p"), {}).verdict, Verdict::discharged);
  EXPECT_EQ(find_trace(protocol, query(protocol, "r"), {}).verdict, Verdict::discharged);
  EXPECT_EQ(find_trace(protocol, query(protocol, "pp"), {}).verdict, Verdict::discharged);
}

TEST(Trace, AnyStepMayAlsoBeNone) {
  const ir::Protocol protocol = parse("exists n: Node :: n.held and n != first");
  EXPECT_EQ(find_trace(protocol, query(protocol, "?"), {}).verdict, Verdict::discharged);
  const TraceAnswer two = find_trace(protocol, query(protocol, "???"), {});
  EXPECT_EQ(two.verdict, Verdict::refuted) << two.reason;
  const ir::Protocol still = parse("first.held");
  EXPECT_EQ(find_trace(still, query(still, "?"), {}).verdict, Verdict::refuted);
}

TEST(Trace, TwoHoldersNeedTwoReceipts) {
  const ir::Protocol protocol = parse("exists a, b: Node :: a != b and a.held and b.held");
  EXPECT_EQ(find_trace(protocol, query(protocol, "pr"), {}).verdict, Verdict::discharged);
  // A token can be received by its addressee again, but only once; another pass makes another.
  EXPECT_EQ(find_trace(protocol, query(protocol, "prpr"), {}).verdict, Verdict::discharged);
}

TEST(Trace, ArbitraryForgetsTheState) {
  const ir::Protocol protocol = parse("exists a, b: Node :: a != b and a.held and b.held");
  ir::TraceQuery asked = query(protocol, "");
  asked.items.insert(asked.items.begin(), item(ir::TraceItemKind::arbitrary));
  EXPECT_EQ(find_trace(protocol, asked, {}).verdict, Verdict::refuted);
  asked.items.erase(asked.items.begin());
  asked.initial = false;
  EXPECT_EQ(find_trace(protocol, asked, {}).verdict, Verdict::refuted);
}

/// A counter that goes through all stages, each once: five values of one type are needed, one of the other.
TEST(Trace, InstancesHaveTheSizesThatAxiomsAskFor) {
  const SourceFile file("stages.pyv", R"(
sort stage
sort worker
immutable constant s1: stage
immutable constant s2: stage
immutable constant s3: stage
immutable constant s4: stage
immutable constant s5: stage
axiom distinct(s1, s2, s3, s4, s5)
axiom forall S. S = s1 | S = s2 | S = s3 | S = s4 | S = s5
axiom forall W: worker, V. W = V
mutable function at(worker): stage
init at(W) = s1
transition advance(w: worker, s: stage)
  modifies at
  s != at(w) & (forall W. W != w -> new(at(W)) = at(W)) & new(at(w)) = s
invariant at(W) = s1 | at(W) != s1
invariant at(W) != s5
sat trace { advance advance(*, s5) assert exists W. at(W) = s5 }
)");
  auto loaded = frontend::load_protocol(file);
  ASSERT_TRUE(loaded.protocol.has_value());
  const TraceAnswer answer = find_trace(*loaded.protocol, loaded.protocol->traces[0], {});
  ASSERT_EQ(answer.verdict, Verdict::refuted) << answer.reason;
  EXPECT_EQ(answer.instance->sort_size(ir::SortId(std::size_t{0})), 5);
  EXPECT_EQ(answer.instance->sort_size(ir::SortId(std::size_t{1})), 1);
  std::vector<Claim> claims;
  for (const ir::PropertyId id : stated_claims(*loaded.protocol)) claims.push_back(claim_of(*loaded.protocol, id));
  const Report report = check(*loaded.protocol, claims, {});
  EXPECT_TRUE(report.proved[0]);
  EXPECT_FALSE(report.proved[1]);
  bool shown = false;
  for (const Obligation& o : report.obligations) shown |= o.claim == 1 && o.counterexample.has_value();
  EXPECT_TRUE(shown);
}

}  // namespace
}  // namespace tenet::induct
