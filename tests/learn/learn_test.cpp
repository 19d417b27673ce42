#include "tenet/learn/learn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "generator.h"
#include "parse.h"
#include "stop_after.h"
#include "tenet/explore/explorer.h"
#include "tenet/frontend/frontend.h"

namespace tenet::learn {
namespace {

std::string path_of(const std::string& name) {
  return std::string(TENET_SOURCE_DIR) + "/tests/learn/protocols/" + name + ".tenet";
}

using tests::parse;

class Learning : public testing::TestWithParam<const char*> {};

/// What is learned can be written into the text, and is inductive there.
TEST_P(Learning, LemmasReadBackAreInductive) {
  const auto file = frontend::read_source(path_of(GetParam()));
  ASSERT_TRUE(file.has_value());
  const std::string text(file->text());
  const Learned learned = learn(parse(text), {});
  ASSERT_EQ(learned.reason, "");
  EXPECT_TRUE(learned.report.inductive());
  EXPECT_FALSE(learned.proved.empty());
  std::string longer = text;
  for (const Lemma& lemma : learned.lemmas) longer += "\nlemma " + lemma.name + ": " + lemma.text + "\n";
  const ir::Protocol again = parse(longer);
  std::vector<induct::Claim> claims;
  for (const ir::PropertyId id : induct::stated_claims(again)) claims.push_back(induct::claim_of(again, id));
  EXPECT_EQ(claims.size(), learned.lemmas.size() + learned.proved.size());
  EXPECT_TRUE(induct::check(again, claims, {}).inductive()) << longer;
}

INSTANTIATE_TEST_SUITE_P(Small, Learning,
                         testing::Values("client_server_ae", "consensus_epr", "consensus_forall", "decentralized_lock",
                                         "distributed_lock", "flexible_paxos", "hybrid_reliable_broadcast",
                                         "lock_server_async", "lock_server_sync", "ring_leader_election", "sharded_kv",
                                         "sharded_kv_no_lost_keys", "ticket_lock", "toy_consensus_epr",
                                         "toy_consensus_forall", "two_phase_commit"));

TEST(Learn, NoLemmaMakesAWrongProtocolRight) {
  // The server forgets to write down that the lock is taken.
  const Learned learned = learn(parse(R"(protocol forgetful
type Node
role System single {
  var granting: set<Node> = {}
  var holding: set<Node> = {}
  var free: bool = true
  step grant(n: Node) when free { granting += n }
  step take(n: Node) when n in granting { granting -= n  holding += n }
}
safety exclusive: forall a, b: Node :: a in System.holding and b in System.holding => a == b
)"),
                                {});
  EXPECT_TRUE(learned.proved.empty());
  EXPECT_NE(learned.reason, "");
}

TEST(Learn, AStepThatReadsNothingProvesNothing) {
  const Learned learned = learn(parse(R"(protocol reads
type Node
role System single {
  var next: map<Node, Node> = {}
  var last: set<Node> = {}
  step go(n: Node) { last = {next[n]} }
}
safety few: forall a, b: Node :: a in System.last and b in System.last => a == b
)"),
                                {});
  EXPECT_TRUE(learned.proved.empty());
}

TEST(Learn, ASeedIsUsedLikeAnyCandidate) {
  // Clauses say which of two numbers is larger, and no more.
  const std::string text = R"(protocol seeded
role Node {
  var a: nat = 0
  var b: nat = 0
  step go { a += 1  b += 2 }
}
safety two: forall n: Node :: n.b == 4 => n.a == 2
)";
  EXPECT_TRUE(learn(parse(text), {}).proved.empty());
  const ir::Protocol protocol = parse(text + "lemma seed: forall n: Node :: n.b == n.a + n.a\n");
  Options options;
  options.properties = {ir::PropertyId(std::size_t{0})};
  options.seeds = {protocol.properties[1].formula};
  const Learned learned = learn(protocol, options);
  EXPECT_EQ(learned.proved.size(), 1U) << learned.reason;
}

TEST(Learn, TheSameEveryTime) {
  const auto file = frontend::read_source(path_of("lock_server_async"));
  ASSERT_TRUE(file.has_value());
  const ir::Protocol protocol = parse(std::string(file->text()));
  Options two;
  two.threads = 2;
  const Learned a = learn(protocol, {}), b = learn(protocol, two);
  ASSERT_EQ(a.lemmas.size(), b.lemmas.size());
  for (std::size_t i = 0; i < a.lemmas.size(); ++i) EXPECT_EQ(a.lemmas[i].text, b.lemmas[i].text);
  EXPECT_EQ(a.statistics.questions, b.statistics.questions);
}

/// Whatever is proved of random protocols, no run may violate.
TEST(LearnAgainstExplorer, RandomProtocols) {
  constexpr std::uint64_t kSeeds = 12;
  for (std::uint64_t seed = 200; seed < 200 + kSeeds; ++seed) {
    const SourceFile file("random.tenet", campaign::random_protocol(seed));
    const auto loaded = frontend::load_protocol(file);
    if (!loaded.protocol || loaded.diagnostics.has_errors()) continue;
    const ir::Protocol& protocol = *loaded.protocol;
    const campaign::StopAfter stop(std::chrono::milliseconds(1500));
    for (const ir::PropertyId id : induct::stated_claims(protocol)) {
      Options options;
      options.properties = {id};
      options.stop = stop.flag();
      const Learned learned = learn(protocol, options);
      if (learned.proved.empty()) continue;
      for (const ir::InstanceDecl& declared : protocol.instances) {
        Diagnostics diagnostics;
        const auto instance = ir::Instance::resolve(protocol, &declared, diagnostics);
        if (!instance) continue;
        explore::Options explored;
        explored.memory_bytes = 16ULL << 20;
        explored.max_depth = 10;
        explored.properties = {id};
        const auto report = explore::explore(protocol, *instance, explored);
        if (!report) continue;
        for (const explore::Found& found : report->found) {
          if (found.fault && !ir::of_the_protocol(found.fault->kind)) continue;
          EXPECT_NE(found.kind, explore::FoundKind::violation) << "seed " << seed << ": " << protocol[id].name;
          EXPECT_NE(found.kind, explore::FoundKind::fault) << "seed " << seed;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenet::learn
