#include "tenet/result/result_model.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>

namespace tenet::result {
namespace {

Finding finding(std::optional<Verdict> verdict, Level level = Level::pass) {
  Finding f;
  f.verdict = verdict;
  f.level = level;
  return f;
}

RunResult run(std::initializer_list<std::initializer_list<Finding>> files) {
  RunResult result;
  for (const auto& findings : files) {
    result.files.emplace_back();
    result.files.back().source = std::make_shared<SourceFile>("x.tenet", "");
    result.files.back().findings = findings;
  }
  return result;
}

const Finding kHolds = finding(Verdict::holds_bounded);
const Finding kReached = finding(Verdict::reached);
const Finding kProved = finding(Verdict::proved);
const Finding kViolated = finding(Verdict::violated, Level::failure);
const Finding kUnknown = finding(Verdict::unknown, Level::failure);
const Finding kBadInput = finding(std::nullopt, Level::bad_input);
const Finding kInternal = finding(Verdict::internal_error, Level::failure);

TEST(ExitStatus, NothingAskedIsNoSuccess) {
  EXPECT_EQ(exit_status(run({})), 2);
  EXPECT_EQ(exit_status(run({{}})), 2);
  EXPECT_EQ(exit_status(run({{finding(std::nullopt, Level::warning)}})), 2);
  EXPECT_EQ(exit_status(run({{kProved}, {}})), 2) << "one of two files had nothing to check";
}

TEST(ExitStatus, WhatHoldsDefinitelyIsSuccess) {
  EXPECT_EQ(exit_status(run({{kProved, kReached}})), 0);
  EXPECT_EQ(exit_status(run({{finding(Verdict::refuted)}})), 0);
  EXPECT_EQ(exit_status(run({{kProved, finding(std::nullopt, Level::warning), finding(std::nullopt, Level::note)}})),
            0);
}

TEST(ExitStatus, BoundedIsSuccessOnlyIfAccepted) {
  RunResult bounded = run({{kHolds, kReached}});
  EXPECT_EQ(exit_status(bounded), 2);
  bounded.accept_bounded = true;
  EXPECT_EQ(exit_status(bounded), 0);
  bounded.interrupted = true;
  EXPECT_EQ(exit_status(bounded), 2);
}

TEST(ExitStatus, AcceptBoundedDoesNotAcceptUnknown) {
  RunResult open = run({{kHolds, kUnknown}});
  open.accept_bounded = true;
  EXPECT_EQ(exit_status(open), 2);
  open = run({{kHolds, finding(Verdict::unsupported, Level::failure)}});
  open.accept_bounded = true;
  EXPECT_EQ(exit_status(open), 2);
}

TEST(ExitStatus, TheFirstOf4312Wins) {
  EXPECT_EQ(exit_status(run({{kUnknown, kViolated}})), 1);
  EXPECT_EQ(exit_status(run({{kViolated}, {kBadInput}})), 3);
  EXPECT_EQ(exit_status(run({{kViolated}, {kBadInput}, {kInternal}})), 4);
  RunResult interrupted = run({{kViolated}});
  interrupted.interrupted = true;
  EXPECT_EQ(exit_status(interrupted), 1);
}

TEST(ExitStatus, ProblemsWithoutAFileCount) {
  RunResult result = run({{kProved}});
  result.problems.push_back(kBadInput);
  EXPECT_EQ(exit_status(result), 3);
}

TEST(ExitStatus, AFailureWithoutVerdictIsNeverSuccess) {
  EXPECT_EQ(exit_status(run({{kProved, finding(std::nullopt, Level::failure)}})), 2);
}

TEST(Names, AreDistinct) {
  std::set<std::string_view> names;
  for (int v = 0; v <= static_cast<int>(Verdict::internal_error); ++v) names.insert(name(static_cast<Verdict>(v)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(Verdict::internal_error) + 1);
}

TEST(LinesOfText, CountsWhatIsNeitherBlankNorComment) {
  EXPECT_EQ(lines_of_text(""), 0U);
  EXPECT_EQ(lines_of_text("\n\n  \t\r\n"), 0U);
  EXPECT_EQ(lines_of_text("a"), 1U);
  EXPECT_EQ(lines_of_text("a\nb\n"), 2U);
  EXPECT_EQ(lines_of_text("// x\n/// y\na // z\n"), 1U);
  EXPECT_EQ(lines_of_text("/* a\nb\n*/ c\n"), 1U);
  EXPECT_EQ(lines_of_text("/* a */\n"), 0U);
  EXPECT_EQ(lines_of_text("a /* b\nc */ d"), 2U);
  EXPECT_EQ(lines_of_text("// no end"), 0U);
}

}  // namespace
}  // namespace tenet::result
