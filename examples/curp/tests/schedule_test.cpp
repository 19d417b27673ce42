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

std::string told(const Outcome& outcome) {
  std::string text = outcome.history.because + (outcome.finished ? "" : " not finished");
  for (const tenet::system::Violated& one : outcome.watch.violated) text += " " + one.rule;
  return text + "\n" + outcome.watch.first_finding;
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
    EXPECT_TRUE(outcome.clean()) << "seed " << seed << ": " << told(outcome);
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
  Fault fault;
  std::string rule;
};

class Faulty : public testing::TestWithParam<Case> {};

TEST_P(Faulty, IsNoticed) {
  const tenet::system::Folder folder;
  Schedule schedule;
  schedule.seed = 1;
  schedule.operations = 60;
  schedule.fault = GetParam().fault;
  const Outcome outcome = play(small(), schedule, folder.path);
  std::vector<std::string> rules;
  for (const tenet::system::Violated& one : outcome.watch.violated) rules.push_back(one.rule);
  EXPECT_NE(std::ranges::find(rules, GetParam().rule), rules.end()) << told(outcome);
}

INSTANTIATE_TEST_SUITE_P(Switches, Faulty,
                         testing::Values(Case{Fault::finishes_on_one_accept, "Client.finish.guard"},
                                         Case{Fault::collects_before_sync, "Master.the_collect.guard"},
                                         Case{Fault::answers_despite_a_conflict, "Result.sent"},
                                         Case{Fault::synced_on_one_backup, "Master.receive_replicated.effect"},
                                         Case{Fault::saves_conflicts, "Witness.receive_record.guard"},
                                         Case{Fault::lost_update, "Master.receive_update.effect"},
                                         Case{Fault::stale_cache, "Value.sent"},
                                         Case{Fault::acknowledges_first, "Replicated.sent"},
                                         Case{Fault::conflict_check_too_early, "Result.sent"}),
                         [](const auto& test) {
                           for (const FaultInfo& one : all_faults()) {
                             if (one.fault == test.param.fault) return std::string(one.name);
                           }
                           return std::string("none");
                         });

TEST(Faults, HaveNamesOfTheirOwn) {
  for (const FaultInfo& info : all_faults()) EXPECT_EQ(fault_named(info.name), info.fault);
  for (const FailPoint point : all_fail_points()) EXPECT_EQ(fail_point_named(to_string(point)), point);
  EXPECT_FALSE(fault_named("nothing of the kind").has_value());
}

}  // namespace
}  // namespace curp
