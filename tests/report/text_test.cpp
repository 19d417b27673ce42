#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_run.h"
#include "tenet/report/report.h"

namespace tenet::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Text, TellsTheTraceStepByStep) {
  const std::string out = text(testing::sample_run(), {});
  EXPECT_THAT(out, HasSubstr("violated  safety exclusive is violated after 3 steps in small  (dir/lock.tenet:4:1)"));
  EXPECT_THAT(out, HasSubstr("A shortest run to it has 3 steps, in small: Client = 2."));
  EXPECT_THAT(out, HasSubstr("every Client: has = false"));
  EXPECT_THAT(out, HasSubstr("1. Server does grant(epoch = 1)  (line 2)\n"
                             "       given  {} → {1}\n"
                             "       sends  Grant(1) to all Client\n"));
  EXPECT_THAT(out, HasSubstr("2. Client#1 receives Grant(1) from Server  (line 2)\n"
                             "       has    false → true\n"));
  EXPECT_THAT(out, HasSubstr("exclusive is false for a = Client#1, b = Client#2\n"
                             "       a.has   true\n"
                             "       b.has   true\n"
                             "       a == b  false\n"));
  EXPECT_THAT(out, HasSubstr("One at a time."));
  EXPECT_THAT(out, HasSubstr("forall a, b: Client :: a.has and b.has => a == b"));
}

TEST(Text, ColoursOnlyWhenAsked) {
  EXPECT_THAT(text(testing::sample_run(), {}), Not(HasSubstr("\x1b")));
  Style style;
  style.colour = true;
  EXPECT_THAT(text(testing::sample_run(), style), HasSubstr("\x1b["));
}

TEST(Text, DeterministicLeavesOutTimesAndMemory) {
  result::RunResult run = testing::sample_run();
  EXPECT_THAT(text(run, {}), HasSubstr("0.50 s, 3.0 MB"));
  Style style;
  style.deterministic = true;
  const std::string first = text(run, style);
  EXPECT_THAT(first, Not(HasSubstr("0.50 s")));
  run.seconds = run.files[0].seconds = run.files[0].runs[0].seconds = 77;
  run.files[0].runs[0].memory = 99 << 20;
  run.files[0].runs[0].cached = true;
  EXPECT_EQ(text(run, style), first);
}

TEST(Text, QuietSaysOnlyWhatFailsInOneLineEach) {
  Style style;
  style.quiet = true;
  EXPECT_EQ(text(testing::sample_run(), style),
            "dir/lock.tenet:4:1: safety exclusive is violated after 3 steps in small\n");
  result::RunResult good = testing::sample_run();
  good.files[0].findings.erase(good.files[0].findings.begin());
  EXPECT_EQ(text(good, style), "");
}

TEST(Text, SaysThatBoundedIsNoProof) {
  result::RunResult run = testing::sample_run();
  run.files[0].findings.erase(run.files[0].findings.begin());
  EXPECT_THAT(text(run, {}), HasSubstr("no proof for other sizes: exit status 2 (--accept-bounded makes it 0)"));
  run.accept_bounded = true;
  EXPECT_THAT(text(run, {}), HasSubstr("bounded results count as success (--accept-bounded)"));
}

TEST(Text, ListsSurvivorsWithPlaceAndKind) {
  result::RunResult run = testing::sample_run();
  result::Finding mutant;
  mutant.rule = "mutant-survived";
  mutant.level = result::Level::note;
  mutant.subject = "Client, step take: drop 'free'";
  mutant.subject_kind = "mutant";
  mutant.category = "drop-conjunct";
  mutant.span = {14, 30};
  run.files[0].findings.push_back(mutant);
  mutant.rule = "mutant-refuted";
  mutant.level = result::Level::pass;
  mutant.subject = "quiet one";
  run.files[0].findings.push_back(mutant);
  const std::string out = text(run, {});
  EXPECT_THAT(out, HasSubstr("2 made: 1 refuted, 0 refuted by error, 1 survived\n"));
  EXPECT_THAT(out, HasSubstr("survived   line   2  drop-conjunct      Client, step take: drop 'free'"));
  EXPECT_THAT(out, Not(HasSubstr("quiet one")));
}

TEST(Text, ErrorsInTheInputShowTheirLine) {
  result::RunResult run;
  run.command = "check";
  run.files.emplace_back();
  run.files[0].source = std::make_shared<SourceFile>("a.tenet", "protocol x\nrole R { vra y: int }\n");
  result::Finding finding;
  finding.rule = "unexpected";
  finding.level = result::Level::bad_input;
  finding.message = "'vra' is no role item";
  finding.hint = "did you mean 'var'?";
  finding.span = {20, 23};
  run.files[0].findings = {finding};
  const std::string out = text(run, {});
  EXPECT_THAT(out, HasSubstr("a.tenet:2:10: error: 'vra' is no role item"));
  EXPECT_THAT(out, HasSubstr("role R { vra y: int }"));
  EXPECT_THAT(out, HasSubstr("did you mean 'var'?"));
  EXPECT_THAT(out, HasSubstr("1 error in the input"));
}

TEST(Text, SourceLinesCannotDriveTheTerminal) {
  result::RunResult run = testing::sample_run();
  run.files[0].source = std::make_shared<SourceFile>("a.tenet", std::string(63, 'x') + "\x1b]0;owned\x07 y\n");
  EXPECT_THAT(text(run, {}), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace tenet::report
