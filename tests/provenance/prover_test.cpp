#include "tenet/provenance/prover.h"

#include <gtest/gtest.h>

#include <chrono>

#include <algorithm>
#include <ostream>
#include <string>

#include "parse.h"
#include "stop_after.h"
#include "tenet/base/stop.h"
#include "tenet/frontend/frontend.h"

namespace tenet::provenance {
namespace {

const std::string kProtocols = std::string(TENET_SOURCE_DIR) + "/protocols/";

ir::Protocol load(const std::string& name) {
  const auto file = frontend::read_source(kProtocols + name + "/" + name + ".tenet");
  EXPECT_TRUE(file.has_value());
  auto loaded = frontend::load_protocol(*file);
  EXPECT_TRUE(loaded.protocol.has_value());
  return *loaded.protocol;
}

frontend::Variant load_variant(const std::string& protocol, const std::string& name) {
  const auto base = frontend::read_source(kProtocols + protocol + "/" + protocol + ".tenet");
  const auto file = frontend::read_source(kProtocols + protocol + "/wrong/" + name + ".tenet");
  EXPECT_TRUE(base && file);
  auto loaded = frontend::load_variant(*file, *base);
  EXPECT_TRUE(loaded.variant.has_value());
  return *loaded.variant;
}

using tests::parse;

const Claim* claim(const ir::Protocol& protocol, const Proof& proof, const std::string& name) {
  for (const Claim& c : proof.claims) {
    if (protocol[c.property].name == name) return &c;
  }
  return nullptr;
}

class Proved : public testing::TestWithParam<std::string> {};

TEST_P(Proved, EveryClaimWithEveryObligationDischarged) {
  const ir::Protocol protocol = load(GetParam());
  const Proof proof = prove(protocol, {});
  EXPECT_TRUE(proof.well_defined) << proof.reason;
  ASSERT_FALSE(proof.claims.empty());
  for (const Claim& c : proof.claims) {
    EXPECT_EQ(c.verdict, ClaimVerdict::proved) << protocol[c.property].name << ": " << c.reason;
    // The last obligation recorded for a proved claim is the one that proved it.
    const auto last = std::find_if(proof.obligations.rbegin(), proof.obligations.rend(),
                                   [&](const Obligation& o) { return o.statement == protocol[c.property].name; });
    ASSERT_NE(last, proof.obligations.rend());
    EXPECT_TRUE(last->discharged);
  }
  for (const Obligation& o : proof.obligations) {
    if (o.kind != "property") {
      EXPECT_TRUE(o.discharged) << o.statement << ", " << o.part;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Protocols, Proved,
                         testing::Values("two_phase_commit", "echo_server", "simplified_leader_election",
                                         "three_phase_commit", "raft_leader_election", "distributed_lock", "paxos",
                                         "ring_leader_election", "lock_server", "sharded_store",
                                         "sharded_store_batched", "reduce", "flexible_paxos", "paxos_combined",
                                         "paxos_dynamic", "multi_paxos"));

TEST(Recheck, TheSecondSolverAgreesAndQueriesAreKept) {
  ProveOptions options;
  options.recheck = true;
  options.keep_queries = true;
  const Proof proof = prove(load("distributed_lock"), options);
  std::size_t asked = 0;
  for (const Obligation& o : proof.obligations) {
    if (!o.discharged || o.solver == "syntactic") continue;
    ++asked;
    EXPECT_NE(o.rechecked.find("cvc5"), std::string::npos) << o.statement << ", " << o.part;
    EXPECT_NE(o.query.find("(check-sat)"), std::string::npos);
    EXPECT_NE(o.query.find(":status unsat"), std::string::npos);
  }
  EXPECT_GT(asked, 5u);
  for (const Claim& c : proof.claims) EXPECT_EQ(c.verdict, ClaimVerdict::proved) << c.reason;
}

struct Wrong {
  std::string protocol, variant;
  friend std::ostream& operator<<(std::ostream& out, const Wrong& wrong) {
    return out << wrong.protocol << ' ' << wrong.variant;
  }
};
class NeverProved : public testing::TestWithParam<Wrong> {};

TEST_P(NeverProved, WhatTheVariantViolates) {
  const frontend::Variant variant = load_variant(GetParam().protocol, GetParam().variant);
  ProveOptions options;
  options.generations = 5;
  const campaign::StopAfter stop(std::chrono::seconds(15));  // what is not proved by then is not
  options.stop = stop.flag();
  for (std::size_t p = 0; p < variant.protocol.properties.size(); ++p) {
    if (variant.protocol.properties[p].name == variant.expected_property) options.properties = {ir::PropertyId(p)};
  }
  ASSERT_EQ(options.properties.size(), 1U);
  const Proof proof = prove(variant.protocol, options);
  const Claim* broken = claim(variant.protocol, proof, variant.expected_property);
  ASSERT_NE(broken, nullptr);
  EXPECT_NE(broken->verdict, ClaimVerdict::proved);
  EXPECT_FALSE(broken->reason.empty());
}

INSTANTIATE_TEST_SUITE_P(Variants, NeverProved,
                         testing::Values(Wrong{"two_phase_commit", "aborts_without_reason"},
                                         Wrong{"two_phase_commit", "commits_on_its_own_yes"},
                                         Wrong{"simplified_leader_election", "half_is_enough"},
                                         Wrong{"simplified_leader_election", "one_vote_is_enough"}));

TEST(Prover, AClaimThatFailsAtTheStartIsNotProved) {
  const ir::Protocol protocol = parse(R"(protocol p
role R { var x: bool = true  step s when not x { x = true } }
safety never: forall r: R :: not r.x
)");
  const Proof proof = prove(protocol, {});
  EXPECT_EQ(proof.claims[0].verdict, ClaimVerdict::unknown);
}

TEST(Prover, AClaimThatOneStepBreaksIsNotProved) {
  const ir::Protocol protocol = parse(R"(protocol p
message M(n: nat)
role R {
  var x: nat = 0
  step s { send M(x + 1) to all R }
  receive M(n) from R { x = n }
}
safety small: forall r: R :: r.x < 2
safety natural: forall r: R :: 0 <= r.x
)");
  const Proof proof = prove(protocol, {});
  EXPECT_EQ(proof.claims[0].verdict, ClaimVerdict::unknown);
  EXPECT_EQ(proof.claims[1].verdict, ClaimVerdict::proved) << proof.claims[1].reason;
}

TEST(Prover, NothingIsProvedOfStepsThatReadNone) {
  const ir::Protocol base = parse(R"(protocol p
role R {
  var x: option<nat> = none
  var y: nat = 0
  step s when x != none { y = x }
}
safety zero: forall r: R :: r.x == none
)");
  // Dropping the guard leaves the read behind.
  const ir::Protocol broken = ir::apply(base, {ir::DropGuard{ir::StepId(0)}});
  EXPECT_EQ(prove(base, {}).claims[0].verdict, ClaimVerdict::proved);
  const Proof proof = prove(broken, {});
  EXPECT_FALSE(proof.well_defined);
  EXPECT_EQ(proof.claims[0].verdict, ClaimVerdict::unknown);
}

TEST(Prover, ProvesWhatIsHandedOnByMessagesDeliveredAtMostOnce) {
  const ir::Protocol protocol = parse(R"(protocol p
message HandOn at most once
const first: N
role N {
  var has: bool = self == first
  var had: bool = false
  step pass(to: N) when has { has = false  had = true  send HandOn to to }
  receive HandOn { has = true }
}
transition stays: forall n: N :: old(n.had) => n.had
safety one: forall a, b: N :: a.has and b.has => a == b
safety off: forall n: N :: not n.had
instance i { N = 2 }
)");
  ProveOptions options;
  options.properties = {ir::PropertyId(std::size_t{0}), ir::PropertyId(std::size_t{1})};
  const Proof proof = prove(protocol, options);
  for (const Claim& c : proof.claims) EXPECT_EQ(c.verdict, ClaimVerdict::proved) << c.reason;
  // What speaks of the counters is set apart: it is no formula of the language.
  for (const DerivedInvariant& invariant : proof.invariants) {
    const bool counts = invariant.statement.find("HandOn") != std::string::npos;
    EXPECT_EQ(invariant.kind == "delivery", counts) << invariant.statement;
  }
}

TEST(Prover, SaysNothingOfFormulasThatAskForMessagesDeliveredAtMostOnce) {
  const ir::Protocol any = parse(R"(protocol p
message M
role A single { step s { send M to B } }
role B single { var has: bool = false  receive M { has = true } }
safety came: B.has => sent M from A to B
)");
  EXPECT_EQ(prove(any, {}).claims[0].verdict, ClaimVerdict::proved);
  // The text cannot say this, an edit can: what was received is no longer there.
  const ir::Protocol once = ir::apply(any, {ir::SetDelivery{ir::MessageId(0U), ir::Delivery::at_most_once}});
  EXPECT_EQ(prove(once, {}).claims[0].verdict, ClaimVerdict::unsupported);
}

TEST(Prover, StopsWhenAsked) {
  StopFlag stop;
  stop.request();
  ProveOptions options;
  options.stop = &stop;
  const ir::Protocol protocol = load("two_phase_commit");
  const Proof proof = prove(protocol, options);
  EXPECT_EQ(proof.reason, "stopped");
  for (const Claim& c : proof.claims) EXPECT_NE(c.verdict, ClaimVerdict::proved);
}

TEST(Prover, TheSameProtocolGivesTheSameProof) {
  const ir::Protocol protocol = load("echo_server");
  const Proof a = prove(protocol, {}), b = prove(protocol, {});
  ASSERT_EQ(a.obligations.size(), b.obligations.size());
  for (std::size_t i = 0; i < a.obligations.size(); ++i) {
    EXPECT_EQ(a.obligations[i].statement, b.obligations[i].statement);
    EXPECT_EQ(a.obligations[i].facts, b.obligations[i].facts);
  }
}

}  // namespace
}  // namespace tenet::provenance
