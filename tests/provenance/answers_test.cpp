// Answers are kept by what was asked: what an edit does not reach is not asked
// again, and what it reaches is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "disguise.h"
#include "memory_store.h"
#include "parse.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/edit.h"
#include "tenet/provenance/prover.h"

namespace tenet::provenance {
namespace {

using campaign::MemoryStore;
using tests::parse;

/// Two things that have nothing to do with one another, but for the axiom.
const std::string kTwo = R"(protocol two
message Go(n: nat)
message Ping
const limit: nat
axiom positive: limit > 0
role Left {
  var sent_up_to: nat = 0
  var got: option<nat> = none
  step go when sent_up_to < limit { sent_up_to = sent_up_to + 1  send Go(sent_up_to) to all Left }
  receive Go(n) from l: Left when got == none { got = some(n) }
}
role Right {
  var pinged: bool = false
  var seen: bool = false
  step ping when not pinged { pinged = true  send Ping to all Right }
  receive Ping from r: Right { seen = true }
}
safety up_to: forall l: Left :: l.sent_up_to <= limit
/// What was heard is within the limit.
safety within: forall l: Left :: l.got != none => l.got <= limit
safety heard: forall r: Right :: r.seen => exists s: Right :: s.pinged
transition stays: forall r: Right :: old(r.seen) => r.seen
)";

std::string edited(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Proof proof_of(const ir::Protocol& protocol, AnswerStore* store) {
  ProveOptions options;
  options.generations = 4;
  options.resource_limit = 500'000;
  options.answers = store;
  return prove(protocol, options);
}

/// Statements of which every discharged obligation (that needed a solver) was answered by an earlier run; of which none
/// was.
struct Origin {
  std::set<std::string> earlier, now;
};
Origin origin_of(const Proof& proof) {
  Origin origin;
  for (const Obligation& o : proof.obligations) {
    if (!o.discharged || o.solver == "syntactic") continue;
    (o.from_store ? origin.earlier : origin.now).insert(o.statement);
  }
  return origin;
}

void expect_same(const Proof& a, const Proof& b) {
  EXPECT_EQ(a.well_defined, b.well_defined);
  EXPECT_EQ(a.reason, b.reason);
  ASSERT_EQ(a.claims.size(), b.claims.size());
  for (std::size_t i = 0; i < a.claims.size(); ++i) {
    EXPECT_EQ(a.claims[i].verdict, b.claims[i].verdict) << a.claims[i].reason << " | " << b.claims[i].reason;
    EXPECT_EQ(a.claims[i].reason, b.claims[i].reason);
    EXPECT_EQ(a.claims[i].open_execution, b.claims[i].open_execution);
  }
  ASSERT_EQ(a.obligations.size(), b.obligations.size());
  for (std::size_t i = 0; i < a.obligations.size(); ++i) {
    const Obligation &x = a.obligations[i], &y = b.obligations[i];
    EXPECT_EQ(x.statement + x.part, y.statement + y.part);
    EXPECT_EQ(x.discharged, y.discharged) << x.statement;
    EXPECT_EQ(x.facts, y.facts) << x.statement;
    EXPECT_EQ(x.uses, y.uses) << x.statement;
    EXPECT_EQ(x.sources, y.sources) << x.statement;
  }
}

TEST(Answers, OfTheSameProtocolAreAllKnown) {
  MemoryStore store;
  const ir::Protocol protocol = parse(kTwo);
  const Proof first = proof_of(protocol, &store), second = proof_of(protocol, &store),
              plain = proof_of(protocol, nullptr);
  for (const Claim& claim : first.claims) EXPECT_EQ(claim.verdict, ClaimVerdict::proved) << claim.reason;
  EXPECT_THAT(origin_of(first).earlier, testing::IsEmpty());
  EXPECT_THAT(origin_of(second).now, testing::IsEmpty());
  expect_same(first, second);
  expect_same(first, plain);
}

TEST(Answers, OfWhatAnEditDoesNotReachAreKnown) {
  MemoryStore store;
  (void)proof_of(parse(kTwo), &store);
  const ir::Protocol protocol = parse(edited(kTwo, "ping when not pinged", "ping when not pinged and not seen"));
  const Proof proof = proof_of(protocol, &store);
  const Origin origin = origin_of(proof);
  EXPECT_TRUE(origin.earlier.contains("within"));
  EXPECT_FALSE(origin.now.contains("within"));
  EXPECT_FALSE(origin.now.contains("up_to"));
  EXPECT_TRUE(origin.now.contains("heard"));
  expect_same(proof, proof_of(protocol, nullptr));
}

TEST(Answers, OfWhatAnEditReachesAreNotKnown) {
  MemoryStore store;
  (void)proof_of(parse(kTwo), &store);
  // The guard no longer keeps to the limit: false now.
  const Proof wrong = proof_of(parse(edited(kTwo, "when sent_up_to < limit", "when sent_up_to < limit + 1")), &store);
  EXPECT_NE(wrong.claims[0].verdict, ClaimVerdict::proved);
  EXPECT_NE(wrong.claims[1].verdict, ClaimVerdict::proved);
  EXPECT_EQ(wrong.claims[2].verdict, ClaimVerdict::proved);
  EXPECT_TRUE(origin_of(wrong).earlier.contains("heard"));
  const Proof other = proof_of(parse(edited(kTwo, "var sent_up_to: nat = 0", "var sent_up_to: nat = 1")), &store);
  EXPECT_TRUE(origin_of(other).earlier.contains("heard"));
  EXPECT_FALSE(origin_of(other).earlier.contains("up_to"));
}

TEST(Answers, DoNotDependOnNamesAndComments) {
  MemoryStore store;
  (void)proof_of(parse(kTwo), &store);
  std::string text = kTwo;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"sent_up_to", "counter"},
                                 {"Left", "Server"},
                                 {"within", "in_bounds"},
                                 {"Go(", "Forward("},
                                 {"/// What was", "// "}}) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  const ir::Protocol protocol = parse(text);
  const Proof proof = proof_of(protocol, &store);
  EXPECT_THAT(origin_of(proof).now, testing::IsEmpty());
  EXPECT_TRUE(origin_of(proof).earlier.contains("in_bounds"));
  // In its own words, all the same.
  expect_same(proof, proof_of(protocol, nullptr));
  for (const Obligation& o : proof.obligations) {
    for (const auto& [source, count] : o.sources) EXPECT_EQ(source.find('~'), std::string::npos) << source;
  }
}

TEST(Answers, OfOtherSettingsAreOthers) {
  MemoryStore store;
  const ir::Protocol protocol = parse(kTwo);
  (void)proof_of(protocol, &store);
  const std::size_t known = store.size();
  for (const int what : {0, 1, 2, 3}) {
    ProveOptions options;
    options.generations = 4;
    options.resource_limit = 500'000;
    options.answers = &store;
    if (what == 0) options.seed = 7;
    if (what == 1) options.resource_limit /= 2;
    if (what == 2) options.generations = 3;
    if (what == 3) options.memory_mb /= 2;
    const Proof proof = prove(protocol, options);
    // A shorter chain of causes is another question only where there are causes.
    if (what != 2) {
      EXPECT_THAT(origin_of(proof).earlier, testing::IsEmpty()) << what;
    }
  }
  EXPECT_GE(store.size(), 4 * known);
}

TEST(Answers, ThatAreNoAnswersAreNotUsed) {
  MemoryStore store;
  const ir::Protocol protocol = parse(kTwo);
  const Proof first = proof_of(protocol, &store);
  for (auto& [question, answer] : store.answers()) answer.resize(answer.size() / 2);
  const Proof second = proof_of(protocol, &store);
  EXPECT_THAT(origin_of(second).earlier, testing::IsEmpty());
  expect_same(first, second);
}

TEST(Answers, AreNotKeptOfWhatWasStopped) {
  MemoryStore store;
  StopFlag stop;
  ProveOptions options;
  options.answers = &store;
  options.stop = &stop;
  std::size_t kept = 0;
  options.progress = [&](const std::string& what) {
    if (!what.starts_with("proving")) return;
    kept = store.size();
    stop.request();
  };
  (void)prove(parse(kTwo), options);
  EXPECT_GT(kept, 0U);
  EXPECT_EQ(store.size(), kept);
}

/// A wrong variant is an edit, too: with the answers of the right protocol at
/// hand it comes out as without.
class Variants : public testing::TestWithParam<std::string> {};

TEST_P(Variants, ComeOutAsWithoutWhatIsKnownOfTheProtocol) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(TENET_SOURCE_DIR) / "protocols" / GetParam();
  const auto base = frontend::read_source((folder / (GetParam() + ".tenet")).string());
  ASSERT_TRUE(base.has_value());
  ProveOptions options;
  options.generations = 3;  // small, counted limits
  options.resource_limit = 100'000;
  MemoryStore store;
  options.answers = &store;
  (void)prove(*frontend::load_protocol(*base).protocol, options);
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder / "wrong")) paths.push_back(entry.path());
  std::ranges::sort(paths);
  paths.resize(std::min<std::size_t>(paths.size(), 2));
  for (const fs::path& path : paths) {
    const auto file = frontend::read_source(path.string());
    ASSERT_TRUE(file.has_value());
    const auto loaded = frontend::load_variant(*file, *base);
    ASSERT_TRUE(loaded.variant.has_value());
    options.answers = &store;
    const Proof with = prove(loaded.variant->protocol, options);
    options.answers = nullptr;
    SCOPED_TRACE(path.filename().string());
    expect_same(with, prove(loaded.variant->protocol, options));
  }
  EXPECT_GT(store.hits, 0U);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Variants,
                         testing::Values("echo_server", "distributed_lock", "two_phase_commit", "sharded_store"),
                         [](const auto& test) { return test.param; });

TEST(Order, OfAProofHasNoCircle) {
  const auto shown = [](const std::string& statement, std::vector<Use> uses) {
    Obligation o;
    o.statement = statement;
    o.discharged = true;
    o.uses = std::move(uses);
    return o;
  };
  EXPECT_EQ(out_of_order({shown("a", {}), shown("b", {{"a", false}, {"b", true}})}), "");
  EXPECT_NE(out_of_order({shown("a", {{"b", false}}), shown("b", {{"a", false}})}), "") << "each by the other";
  EXPECT_NE(out_of_order({shown("a", {{"a", false}})}), "") << "by itself";
  EXPECT_EQ(out_of_order({shown("a", {{"b", true}}), shown("b", {{"a", true}})}), "") << "one induction";
  EXPECT_NE(out_of_order({shown("a", {{"b", true}})}), "") << "by what is not shown";
  Obligation in_vain = shown("b", {});
  in_vain.discharged = false;
  EXPECT_NE(out_of_order({in_vain, shown("a", {{"b", false}})}), "") << "by what was tried";
  EXPECT_NE(out_of_order({shown("a", {{"b", false}}), shown("b", {})}), "") << "by what comes later";
}

/// `low` is not kept by the steps alone: the proof needs `below`.
const std::string kHelped = R"(protocol helped
message Up(n: nat)
role R {
  var a: nat = 0
  var b: nat = 0
  var c: nat = 0
  step s when b < 5 { a = b  b = b + 1 }
  step t { c = a }
}
safety below: forall r: R :: r.a <= 5
safety low: forall r: R :: r.c <= 5
transition grows: forall r: R :: old(r.b) <= r.b
)";

TEST(Helpers, OnePropertyIsJudgedAsTogetherWithTheOthers) {
  for (const std::string& text : {kHelped, kTwo}) {
    const ir::Protocol protocol = parse(text);
    const Proof full = prove(protocol, {});
    for (const Claim& claim : full.claims) {
      ProveOptions options;
      options.properties = {claim.property};
      for (const Claim& other : full.claims) {
        if (other.property != claim.property) options.helpers.push_back(other.property);
      }
      const Proof alone = prove(protocol, options);
      ASSERT_EQ(alone.claims.size(), 1U);
      EXPECT_EQ(alone.claims[0].property, claim.property);
      EXPECT_EQ(alone.claims[0].verdict, claim.verdict) << protocol[claim.property].name;
      EXPECT_EQ(alone.claims[0].rests_on, claim.rests_on) << protocol[claim.property].name;
      EXPECT_EQ(out_of_order(alone.obligations), "");
      for (const Obligation& o : alone.obligations) {
        const bool of_others = o.kind == "property" && o.statement != protocol[claim.property].name;
        const auto used = [&](ir::PropertyId id) { return protocol[id].name == o.statement; };
        EXPECT_TRUE(!of_others || std::ranges::any_of(claim.rests_on, used)) << o.statement;
      }
    }
  }
}

}  // namespace
}  // namespace tenet::provenance
