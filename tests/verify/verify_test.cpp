#include "tenet/verify/verify.h"

#include <gmock/gmock.h>

#include "tenet/report/report.h"
#include "workspace.h"

namespace tenet::verify {
namespace {

using result::Verdict;
using Verify = testing::Workspace;

TEST_F(Verify, ACorrectProtocolHoldsInItsInstances) {
  const std::string path = write("lock.tenet", testing::kLock);
  Options options;
  options.prove = false;
  const result::RunResult run = verify({path}, options);
  ASSERT_EQ(run.files.size(), 1U) << rules(run);
  ASSERT_NE(find(run, "holds-bounded", "exclusive"), nullptr) << rules(run);
  const result::Finding* held = find(run, "reached", "held");
  ASSERT_NE(held, nullptr) << rules(run);
  ASSERT_TRUE(held->trace);
  EXPECT_EQ(held->trace->steps.size(), 2U);
  EXPECT_EQ(result::exit_status(run), 2);
  options.accept_bounded = true;
  EXPECT_EQ(result::exit_status(verify({path}, options)), 0);
  EXPECT_EQ(run.files[0].runs.size(), 1U);
  EXPECT_GT(run.files[0].runs[0].states, 0U);
}

TEST_F(Verify, AWrongOneIsViolatedByATraceThatExplainsItself) {
  std::string text = testing::kLock;
  text.replace(text.find("free = false  "), 14, "");
  const result::RunResult run = verify({write("lock.tenet", text)}, {});
  const result::Finding* finding = find(run, "property-violated", "exclusive");
  ASSERT_NE(finding, nullptr) << rules(run);
  ASSERT_TRUE(finding->trace);
  EXPECT_EQ(finding->trace->steps.size(), 4U);
  EXPECT_EQ(finding->trace->binding.size(), 2U);
  EXPECT_EQ(finding->instance, "small: Client = 2");
  EXPECT_EQ(result::exit_status(run), 1);
}

TEST_F(Verify, WhatCannotBeReachedOrNeverHappensIsNoSuccess) {
  std::string text = testing::kLock;
  text.replace(text.find("when free {"), 11, "when not free {");
  Options options;
  options.accept_bounded = true;
  const result::RunResult run = verify({write("lock.tenet", text)}, options);
  EXPECT_NE(find(run, "not-reached", "held"), nullptr) << rules(run);
  EXPECT_NE(find(run, "never-enabled", "Server, step grant"), nullptr) << rules(run);
  EXPECT_NE(find(run, "vacuous", "exclusive"), nullptr) << rules(run);
  EXPECT_EQ(result::exit_status(run), 2);
}

TEST_F(Verify, RestIsAWarningUnlessIntended) {
  std::string text = testing::kLock;
  text.replace(text.find("deadlock ok\n"), 12, "");
  text.replace(text.find("  send Release to Server"), 24, "");
  const result::RunResult run = verify({write("lock.tenet", text)}, {});
  const result::Finding* finding = find(run, "deadlock");
  ASSERT_NE(finding, nullptr) << rules(run);
  EXPECT_EQ(finding->level, result::Level::warning);
  EXPECT_TRUE(finding->trace);
}

TEST_F(Verify, AnErrorOfTheSpecificationIsAViolation) {
  const std::string text =
      "protocol p\nrole R {\n  var y: nat = 1\n  step down { y = y - 1 }\n}\nsafety s: forall r: R :: r.y <= 1\n";
  const result::RunResult run = verify({write("p.tenet", text)}, {});
  const result::Finding* finding = find(run, "fault");
  ASSERT_NE(finding, nullptr) << rules(run);
  EXPECT_EQ(finding->verdict, Verdict::violated);
  ASSERT_TRUE(finding->trace);
  ASSERT_FALSE(finding->trace->steps.empty());
  EXPECT_NE(finding->trace->steps.back().fault, "");
  EXPECT_EQ(result::exit_status(run), 1);
}

TEST_F(Verify, ContradictoryStartsAreBadInput) {
  std::string text = testing::kLock;
  text.insert(text.find("safety"), "init: Server.free and not Server.free\n");
  const result::RunResult run = verify({write("lock.tenet", text)}, {});
  EXPECT_NE(find(run, "no-initial-state"), nullptr) << rules(run);
  EXPECT_EQ(result::exit_status(run), 3);

  text = testing::kLock;
  text.insert(text.find("safety"), "const f: nat\naxiom f > 1 and f < 1\n");
  const result::RunResult axioms = verify({write("lock.tenet", text)}, {});
  EXPECT_NE(find(axioms, "contradictory-axioms"), nullptr) << rules(axioms);
  EXPECT_EQ(result::exit_status(axioms), 3);
}

TEST_F(Verify, NamesThatNoFileHasAreErrorsWithASuggestion) {
  const std::string path = write("lock.tenet", testing::kLock);
  Options options;
  options.properties = {"exlusive"};
  result::RunResult run = verify({path}, options);
  ASSERT_EQ(run.problems.size(), 1U);
  EXPECT_EQ(run.problems[0].rule, "unknown-property");
  EXPECT_EQ(run.problems[0].hint, "did you mean 'exclusive'?");
  EXPECT_EQ(result::exit_status(run), 3);

  options.properties.clear();
  options.instance = "smal";
  run = verify({path}, options);
  ASSERT_EQ(run.problems.size(), 1U);
  EXPECT_EQ(run.problems[0].hint, "did you mean 'small'?");
}

TEST_F(Verify, OnlyWhatWasAskedGetsAVerdict) {
  Options options;
  options.properties = {"exclusive"};
  const result::RunResult run = verify({write("lock.tenet", testing::kLock)}, options);
  EXPECT_NE(find(run, "proved", "exclusive"), nullptr) << rules(run);
  EXPECT_EQ(find(run, "reached"), nullptr) << rules(run);
}

TEST_F(Verify, AFolderTakesProtocolsAndListsVariantsAsSkipped) {
  write("lock.tenet", testing::kLock);
  const std::string variant = write("wrong/forgetful.tenet", testing::kForgetful);
  const result::RunResult run = verify({folder_.string()}, {});
  EXPECT_EQ(run.files.size(), 1U);
  ASSERT_EQ(run.skipped.size(), 1U);
  EXPECT_EQ(run.skipped[0].first, variant);
  // Named by itself it is a mistake, not something to skip.
  EXPECT_EQ(result::exit_status(verify({variant}, {})), 3);
}

TEST_F(Verify, MissingEmptyAndForeignPaths) {
  EXPECT_EQ(result::exit_status(verify({(folder_ / "none.tenet").string()}, {})), 3);
  EXPECT_EQ(result::exit_status(verify({folder_.string()}, {})), 3) << "a folder without protocols";
  EXPECT_EQ(result::exit_status(verify({write("empty.tenet", "")}, {})), 3);
  EXPECT_EQ(result::exit_status(verify({write("binary.tenet", std::string("protocol \0 x", 12))}, {})), 3);
}

TEST_F(Verify, AStopRequestLeavesThingsUnknown) {
  StopFlag stop;
  stop.request();
  Options options;
  options.stop = &stop;
  options.accept_bounded = true;
  const result::RunResult run = verify({write("lock.tenet", testing::kLock)}, options);
  EXPECT_TRUE(run.interrupted);
  EXPECT_NE(find(run, "unknown", "exclusive"), nullptr) << rules(run);
  EXPECT_EQ(result::exit_status(run), 2);
}

TEST_F(Verify, TheSameInputGivesTheSameBytesOnAnyNumberOfThreads) {
  std::string text = testing::kLock;
  text.replace(text.find("free = false  "), 14, "");
  write("wrong.tenet", text);
  write("lock.tenet", testing::kLock);
  report::Style style;
  style.deterministic = true;
  std::string first;
  for (const unsigned jobs : {1U, 2U, 3U}) {
    Options options;
    options.jobs = jobs;
    options.mutate = true;
    const result::RunResult run = verify({folder_.string()}, options);
    const std::string all = report::text(run, style) + report::json(run, style) + report::html(run, style) +
                            report::sarif(run, style) + report::junit(run, style);
    if (first.empty()) first = all;
    EXPECT_EQ(all, first);
  }
}

TEST_F(Verify, AFileWithoutInstanceGetsTheDefaultOne) {
  std::string text = testing::kLock;
  text.resize(text.find("instance"));
  const result::RunResult run = verify({write("lock.tenet", text)}, {});
  ASSERT_EQ(run.files[0].runs.size(), 1U) << rules(run);
  EXPECT_EQ(run.files[0].runs[0].instance, "default: Client = 2");
}

}  // namespace
}  // namespace tenet::verify
