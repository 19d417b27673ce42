// Seeded schedules of the whole system, with the generated monitor watching. `curp_sweep` plays more of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim.h"
#include "tenet/system/testing.h"

namespace curp {
namespace {

Cluster small() {
  Cluster cluster;
  cluster.clients = 3;
  cluster.masters = 3;
  return cluster;
}

class Healthy : public testing::TestWithParam<bool> {};

TEST_P(Healthy, NobodyHasAnythingToSay) {
  std::size_t died = 0, fast = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const tenet::system::Folder folder;
    Schedule schedule;
    schedule.seed = seed;
    schedule.power_loss = GetParam();
    const Outcome outcome = play(small(), schedule, folder.path);
    EXPECT_TRUE(outcome.clean()) << "seed " << seed << ": " << tenet::system::complaints(outcome);
    EXPECT_EQ(outcome.watch.gaps, 0U);
    died += outcome.died;
    fast += outcome.fast;
  }
  EXPECT_GT(died, 10U);
  EXPECT_GT(fast, 20U);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Healthy, testing::Bool(),
                         [](const auto& test) { return test.param ? "PowerLoss" : "Kill"; });

/// Faults that one schedule is enough for, and the rule that must notice.
struct Case {
  Switch fault;
  std::string rule;
};

class Faulty : public testing::TestWithParam<Case> {};

TEST_P(Faulty, IsNoticed) {
  const tenet::system::Folder folder;
  Schedule schedule;
  schedule.seed = 1;
  schedule.operations = 60;
  schedule.fault = GetParam().fault.name;
  const Outcome outcome = play(small(), schedule, folder.path);
  std::vector<std::string> rules;
  for (const tenet::system::Violated& one : outcome.watch.violated) rules.push_back(one.rule);
  EXPECT_NE(std::ranges::find(rules, GetParam().rule), rules.end()) << tenet::system::complaints(outcome);
}

INSTANTIATE_TEST_SUITE_P(Switches, Faulty,
                         testing::Values(Case{fault::finishes_on_one_accept, "Client.finish.guard"},
                                         Case{fault::collects_before_sync, "Master.the_collect.guard"},
                                         Case{fault::answers_despite_a_conflict, "Result.sent"},
                                         Case{fault::synced_on_one_backup, "Master.receive_replicated.effect"},
                                         Case{fault::saves_conflicts, "Witness.receive_record.guard"},
                                         Case{fault::lost_update, "Master.receive_update.effect"},
                                         Case{fault::stale_cache, "Value.sent"},
                                         Case{fault::acknowledges_first, "Replicated.sent"},
                                         Case{fault::conflict_check_too_early, "Result.sent"}),
                         [](const auto& test) { return std::string(test.param.fault.name); });

TEST(Faults, HaveNamesOfTheirOwn) {
  for (const Switch& one : kFaults) EXPECT_EQ(std::ranges::count(kFaults, one.name, &Switch::name), 1) << one.name;
  for (const FailPoint point : kFailPoints) EXPECT_EQ(std::ranges::count(kFailPoints, point), 1) << point;
  EXPECT_EQ(tenet::system::switch_named(kFaults, "saves_conflicts")->name, fault::saves_conflicts.name);
  EXPECT_EQ(tenet::system::switch_named(kFaults, "nothing of the kind"), nullptr);
}

}  // namespace
}  // namespace curp
