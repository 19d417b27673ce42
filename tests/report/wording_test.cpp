#include "wording.h"

#include <gtest/gtest.h>

#include "narration.h"
#include "sample_run.h"

namespace tenet::report {
namespace {

TEST(Wording, Numbers) {
  EXPECT_EQ(thousands(0), "0");
  EXPECT_EQ(thousands(999), "999");
  EXPECT_EQ(thousands(1000), "1,000");
  EXPECT_EQ(thousands(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "state"), "1 state");
  EXPECT_EQ(counted(0, "state"), "0 states");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
}

TEST(Wording, Amounts) {
  EXPECT_EQ(duration(0.0123), "12 ms");
  EXPECT_EQ(duration(0.123), "0.12 s");
  EXPECT_EQ(duration(12.34), "12.3 s");
  EXPECT_EQ(duration(200), "3 min 20 s");
  EXPECT_EQ(duration(7200), "2 h 0 min");
  EXPECT_EQ(bytes(512), "512 B");
  EXPECT_EQ(bytes(1536), "1.5 kB");
  EXPECT_EQ(bytes(300ULL << 20), "300 MB");
}

TEST(Narration, EqualSendsAreSaidOnce) {
  const result::TraceView trace = testing::sample_trace();
  auto groups = group_sends(trace, trace.steps[0]);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].to, "all Client");
  result::TraceStep step = trace.steps[0];
  step.sent.pop_back();
  groups = group_sends(trace, step);
  EXPECT_EQ(groups[0].to, "Client#1");
}

TEST(Narration, AReceiveWithANameOfItsOwnSaysIt) {
  result::TraceStep step = testing::sample_trace().steps[1];
  EXPECT_EQ(deed(step), "receives Grant(1) from Server");
  step.step = "accept";
  step.arguments = {{"x", "1"}};
  EXPECT_EQ(deed(step), "receives Grant(1) from Server as accept with x = 1");
}

TEST(Narration, HostsThatDifferAreNotSaidTogether) {
  result::TraceView trace = testing::sample_trace();
  trace.initial[2].after = "true";
  const auto groups = group_assignments(trace, trace.initial);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[1].owner, "Client#1");
  EXPECT_EQ(groups[2].items[0], "has = true");
}

}  // namespace
}  // namespace tenet::report
