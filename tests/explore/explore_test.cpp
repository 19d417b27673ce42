#include "tenet/explore/explorer.h"

#include <gtest/gtest.h>

#include "oracle.h"
#include "samples.h"

namespace tenet::explore {
namespace {

Options plain(unsigned threads = 1) {
  Options options;
  options.symmetry = false;
  options.threads = threads;
  return options;
}

TEST(Explore, LamportsTwoPhaseHasItsPublishedNumberOfStates) {
  const ir::Protocol p = samples::lamport_two_phase();
  for (const auto& [managers, states] : {std::pair{3, 288U}, std::pair{5, 8832U}}) {
    const auto report = explore(p, samples::instance(p, {samples::size("RM", managers)}), plain());
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->states, states);
    EXPECT_EQ(report->end, End::complete);
    EXPECT_TRUE(report->unreached.empty());
    ASSERT_EQ(report->found.size(), 2U);
  }
}

TEST(Explore, LamportsTwoPhaseHasItsPublishedNumberOfOrbits) {
  const ir::Protocol p = samples::lamport_two_phase();
  for (const auto& [managers, orbits] : {std::pair{3, 80U}, std::pair{5, 314U}}) {
    for (const unsigned threads : {1U, 2U}) {
      Options options;
      options.threads = threads;
      const auto report = explore(p, samples::instance(p, {samples::size("RM", managers)}), options);
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_EQ(report->states, orbits);
      ASSERT_EQ(report->found.size(), 2U);
    }
  }
}

TEST(Explore, AgreesWithTheObviousExplorer) {
  const ir::Protocol p = samples::lamport_two_phase();
  const ir::Instance instance = samples::instance(p, {samples::size("RM", 3)});
  const oracle::Answer answer = oracle::explore(p, instance);
  oracle::expect_agrees(p, instance, answer, plain(1));
  oracle::expect_agrees(p, instance, answer, plain(2));
}

}  // namespace
}  // namespace tenet::explore
