// What the prover and the explorer say together.
#include <gmock/gmock.h>

#include <optional>

#include "deadline.h"
#include "judge.h"
#include "proof_codec.h"
#include "tenet/frontend/frontend.h"
#include "tenet/report/report.h"
#include "workspace.h"

namespace tenet::verify {
namespace {

using result::Verdict;
using ::testing::HasSubstr;

constexpr const char* kFlags = R"(/// Flags that are raised and stay.
protocol flags
role R {
  var up: bool = false
  var count: nat = 0
  step raise when not up {
    up = true
    count = 1
  }
}
transition stays: forall r: R :: old(r.up) => r.up
safety at_most_one: forall r: R :: r.count <= 1
reachable raised: exists r: R :: r.up
deadlock ok
instance small { R = 2 }
)";

class Proofs : public testing::Workspace {
 protected:
  [[nodiscard]] result::RunResult run(const std::string& text, const Options& options = {}) const {
    return verify({write("p.tenet", text)}, options);
  }
};

TEST_F(Proofs, WhatIsProvedIsASuccess) {
  const result::RunResult run = this->run(kFlags);
  const result::Finding* stays = find(run, "proved", "stays");
  ASSERT_NE(stays, nullptr) << rules(run);
  EXPECT_EQ(stays->verdict, Verdict::proved);
  EXPECT_EQ(stays->message, "transition stays is proved for any number of hosts");
  EXPECT_NE(find(run, "proved", "at_most_one"), nullptr) << rules(run);
  EXPECT_NE(find(run, "reached", "raised"), nullptr) << rules(run);
  ASSERT_TRUE(run.files[0].proof);
  EXPECT_EQ(run.files[0].proof->proved(), 2U);
  EXPECT_GT(run.files[0].proof->discharged(), 0U);
  EXPECT_EQ(result::exit_status(run), 0);
}

TEST_F(Proofs, WithoutTheProverItIsBounded) {
  Options options;
  options.prove = false;
  const result::RunResult run = this->run(kFlags, options);
  EXPECT_NE(find(run, "holds-bounded", "stays"), nullptr) << rules(run);
  EXPECT_FALSE(run.files[0].proof);
  EXPECT_EQ(result::exit_status(run), 2);
}

TEST_F(Proofs, AProofDoesNotExcuseWhatIsNotReached) {
  std::string text = kFlags;
  text.replace(text.find("exists r: R :: r.up"), 19, "exists r: R :: r.count > 1");
  const result::RunResult run = this->run(text);
  EXPECT_NE(find(run, "proved", "stays"), nullptr) << rules(run);
  EXPECT_NE(find(run, "not-reached", "raised"), nullptr) << rules(run);
  EXPECT_EQ(result::exit_status(run), 2);
}

TEST_F(Proofs, WhatIsViolatedIsNotTried) {
  std::string text = kFlags;
  text.replace(text.find("count = 1"), 9, "count = 2");
  const result::RunResult run = this->run(text);
  EXPECT_NE(find(run, "property-violated", "at_most_one"), nullptr) << rules(run);
  EXPECT_NE(find(run, "proved", "stays"), nullptr) << rules(run);
  ASSERT_TRUE(run.files[0].proof);
  EXPECT_EQ(run.files[0].proof->claims.size(), 1U);
  EXPECT_EQ(result::exit_status(run), 1);
}

TEST_F(Proofs, NothingIsTriedOfStepsThatFail) {
  std::string text = kFlags;
  text.replace(text.find("count = 1"), 9, "count = count - 1");
  const result::RunResult run = this->run(text);
  EXPECT_NE(find(run, "fault"), nullptr) << rules(run);
  EXPECT_EQ(find(run, "proved"), nullptr) << rules(run);
  EXPECT_FALSE(run.files[0].proof);
  EXPECT_EQ(result::exit_status(run), 1);
}

TEST_F(Proofs, WhatIsNotProvedSaysWhy) {
  // It takes the sum of all coins on their way.
  const result::RunResult run = this->run(R"(protocol coins
message Coin at most once
role Purse {
  var coins: nat = 2
  step pay(to: Purse) when coins > 0 {
    coins -= 1
    send Coin to to
  }
  receive Coin { coins += 1 }
}
safety few: (sum p: Purse :: p.coins) <= 2 * |Purse|
deadlock ok
instance small { Purse = 2  coins in 0..4  copies = 4 }
)");
  const result::Finding* finding = find(run, "holds-bounded", "few");
  ASSERT_NE(finding, nullptr) << rules(run);
  EXPECT_THAT(finding->message, HasSubstr("no violation in small; not proved: "));
  EXPECT_EQ(result::exit_status(run), 2);
}

TEST_F(Proofs, AStoppedProofProvesNothing) {
  Options options;
  options.prove_seconds = 0;
  const result::RunResult run = this->run(kFlags, options);
  const result::Finding* finding = find(run, "holds-bounded", "stays");
  ASSERT_NE(finding, nullptr) << rules(run);
  EXPECT_THAT(finding->message, HasSubstr("not proved: stopped after 0 s"));
  EXPECT_TRUE(run.files[0].proof->invariants.empty());
  EXPECT_EQ(result::exit_status(run), 2);
  EXPECT_EQ(result::exit_status(invariants(write("p.tenet", kFlags), options)), 2);
}

/// Explorations and a proof made by hand: the engines never disagree by themselves.
class Judged : public testing::Workspace {
 protected:
  void SetUp() override {
    Workspace::SetUp();
    std::string text = kFlags;
    text.replace(text.find("count = 1"), 9, "count = 2");
    source_.emplace("p.tenet", text);
    protocol_ = *frontend::load_protocol(*source_).protocol;
    std::vector<result::Finding> problems;
    for (const NamedInstance& instance : resolve_instances(protocol_, "", problems)) {
      explored_.explorations.push_back(Runner(options_).run({.protocol = protocol_,
                                                             .instance = instance,
                                                             .source = *source_,
                                                             .label = "",
                                                             .salt = "",
                                                             .threads = 1,
                                                             .memory_bytes = 64 << 20,
                                                             .properties = {kAtMostOne}}));
      explored_.looked_at.push_back({kAtMostOne});
    }
    explored_.proof.emplace();
    explored_.proof->proof.claims = {{"at_most_one", true, ""}};
  }
  [[nodiscard]] int status(const std::vector<result::Finding>& findings) const {
    result::RunResult run;
    run.files.emplace_back();
    run.files[0].findings = findings;
    return result::exit_status(run);
  }

  static constexpr ir::PropertyId kAtMostOne{1};
  Options options_;
  std::optional<SourceFile> source_;
  ir::Protocol protocol_;
  Explored explored_;
};

TEST_F(Judged, ARunAgainstAProofIsAnInternalError) {
  const auto findings = judge(protocol_, {kAtMostOne}, explored_);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].rule, "proof-contradicted");
  EXPECT_EQ(findings[0].verdict, Verdict::internal_error);
  EXPECT_TRUE(findings[0].trace) << "the run is the evidence";
  EXPECT_EQ(status(findings), 4);
}

TEST_F(Judged, SoIsAnErrorOfTheSpecificationAgainstOne) {
  explore::Found& found = explored_.explorations[0].report->found.at(0);
  found.kind = explore::FoundKind::fault;
  found.property = {};
  explored_.proof->proof.claims = {{"stays", true, "", {}}};
  const auto findings = judge(protocol_, {ir::PropertyId(0)}, explored_);
  EXPECT_EQ(status(findings), 4);
}

TEST_F(Judged, ANumberTooLargeForTheMachineIsNone) {
  explore::Found& found = explored_.explorations[0].report->found.at(0);
  found.kind = explore::FoundKind::fault;
  found.property = {};
  found.fault = ir::Fault{ir::FaultKind::overflow, {}};
  explored_.proof->proof.claims = {{"stays", true, "", {}}};
  EXPECT_EQ(status(judge(protocol_, {ir::PropertyId(0)}, explored_)), 1);
}

TEST_F(Judged, AnErrorOfTheProverIsInternalAndProvesNothing) {
  explored_.explorations[0].report->found.clear();
  explored_.proof->proof.claims = {{"at_most_one", false, "the prover failed"}};
  explored_.proof->failure = "a broken table";
  const auto findings = judge(protocol_, {kAtMostOne}, explored_);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_NE(findings[0].verdict, Verdict::proved);
  EXPECT_EQ(findings[1].rule, "prover-failed");
  EXPECT_EQ(status(findings), 4);
}

TEST_F(Judged, NothingIsWorthProvingOfWhatDoesNotBegin) {
  EXPECT_TRUE(worth_proving(protocol_, {kAtMostOne}, explored_).empty()) << "violated";
  explored_.explorations[0].report->found.clear();
  EXPECT_EQ(worth_proving(protocol_, {kAtMostOne, ir::PropertyId(2)}, explored_).size(), 1U) << "no reachable";
  explored_.explorations[0].report->initial_states = 0;
  EXPECT_TRUE(worth_proving(protocol_, {kAtMostOne}, explored_).empty());
}

TEST_F(Proofs, TheCacheKeepsFinishedProofsOnly) {
  auto cache = cache::Cache::open((folder_ / "cache").string());
  ASSERT_TRUE(cache);
  Options options;
  options.cache = &*cache;
  options.build = "build 1";
  options.prove_seconds = 0;
  (void)run(kFlags, options);
  options.prove_seconds = 60;
  const result::RunResult first = run(kFlags, options);
  EXPECT_FALSE(first.files[0].proof->cached);
  const result::RunResult second = run(kFlags, options);
  EXPECT_TRUE(second.files[0].proof->cached);
  EXPECT_EQ(result::exit_status(second), 0);
  report::Style style;
  style.deterministic = true;
  EXPECT_EQ(report::json(first, style), report::json(second, style));
  EXPECT_TRUE(invariants(write("p.tenet", kFlags), options).files[0].proof->cached);
  Options other = options;
  other.build = "build 2";
  EXPECT_FALSE(run(kFlags, other).files[0].proof->cached);
  other = options;
  other.properties = {"stays"};
  EXPECT_FALSE(run(kFlags, other).files[0].proof->cached);
  std::string text = kFlags;
  text.replace(text.find("count = 1"), 9, "count = 0");
  EXPECT_FALSE(run(text, options).files[0].proof->cached);
}

TEST_F(Proofs, InvariantsAreShownAlone) {
  const result::RunResult run = invariants(write("p.tenet", kFlags), {});
  ASSERT_NE(find(run, "derived"), nullptr) << rules(run);
  EXPECT_EQ(result::exit_status(run), 0);
  const std::string text = report::text(run, {});
  EXPECT_THAT(text, HasSubstr("forall r: R :: old(r.up) => r.up\n"));
  EXPECT_EQ(result::exit_status(invariants((folder_ / "none.tenet").string(), {})), 3);
}

constexpr const char* kStuck = R"(protocol stuck
message Go(n: nat)
role R {
  var x: nat = 0
  var done: bool = false
  step s when x == 0 { send Go(1) to all R }
  receive Go(n) when n > 1 { x = n }
  step t when x > 0 { done = true }
}
safety zero: forall r: R :: r.x == 0
reachable far: exists r: R :: r.done
deadlock ok
instance small { R = 2  nat in 0..2 }
)";

TEST_F(Proofs, WhatCanNeverHappenIsProvedToo) {
  const result::RunResult run = this->run(kStuck);
  for (const char* step : {"R, receive Go", "R, step t"}) {
    const result::Finding* never = find(run, "never-enabled", step);
    ASSERT_NE(never, nullptr) << rules(run);
    EXPECT_THAT(never->message, HasSubstr("nor with any number of hosts: that is proved"));
  }
  EXPECT_EQ(find(run, "never-enabled", "R, step s"), nullptr);
  const result::Finding* far = find(run, "not-reached", "far");
  ASSERT_NE(far, nullptr) << rules(run);
  EXPECT_THAT(far->message, HasSubstr("that is proved"));
  EXPECT_EQ(result::exit_status(run), 2);
}

TEST_F(Proofs, WhatOnlyLargerInstancesDoIsNotImpossible) {
  std::string text = kStuck;
  text.replace(text.find("when n > 1"), 10, "when |R| > 2");
  const result::RunResult run = this->run(text);
  const result::Finding* never = find(run, "never-enabled", "R, receive Go");
  ASSERT_NE(never, nullptr) << rules(run);
  EXPECT_EQ(never->message, "R, receive Go can never happen in small");
  const result::Finding* far = find(run, "not-reached", "far");
  ASSERT_NE(far, nullptr) << rules(run);
  EXPECT_THAT(far->message, ::testing::Not(HasSubstr("that is proved")));
}

TEST_F(Proofs, AProtocolWithoutStepsIsNoSuccess) {
  const result::RunResult run = this->run(R"(protocol still
role R { var x: nat = 0 }
safety zero: forall r: R :: r.x == 0
deadlock ok
instance small { R = 2 }
)");
  EXPECT_NE(find(run, "no-steps"), nullptr) << rules(run);
  EXPECT_EQ(result::exit_status(run), 2);
}

TEST(ProofCodec, RefusesEverythingButWhatItWrote) {
  const SourceFile source("p.tenet", kFlags);
  const ir::Protocol protocol = *frontend::load_protocol(source).protocol;
  result::Proof proof;
  proof.claims = {{"stays", true, "", {}}};
  proof.invariants = {{"state", "x"}};
  proof.obligations = {{"property", "stays", "after any step", true, "z3", 7, 0.5, 3, 2}};
  proof.well_defined = true;
  const std::string bytes = encode(proof);
  const auto decoded = decode_proof(bytes, protocol);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->obligations[0].facts, 3U);
  EXPECT_TRUE(decoded->claims[0].proved);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode_proof(std::string_view(bytes).substr(0, length), protocol)) << length;
  }
  proof.claims[0].property = "of_another_protocol";
  EXPECT_FALSE(decode_proof(encode(proof), protocol));
  EXPECT_FALSE(decode_proof("garbage", protocol));
}

TEST(Deadline, PassesOnARequestAndMakesItsOwn) {
  StopFlag outer;
  outer.request();
  const Deadline asked(&outer, 1000);
  EXPECT_TRUE(asked.flag().requested());
  EXPECT_FALSE(asked.expired());
  const Deadline late(nullptr, 0);
  while (!late.flag().requested()) std::this_thread::yield();
  EXPECT_TRUE(late.expired());
}

}  // namespace
}  // namespace tenet::verify
