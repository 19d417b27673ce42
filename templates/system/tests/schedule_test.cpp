// Seeded schedules of the whole system, with the generated monitor watching. `mysystem sweep` plays more of them.
#include "tenet/system/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "system.h"
#include "tenet/system/testing.h"

namespace mysystem_service {
namespace {

using tenet::system::Outcome;
using tenet::system::Schedule;

class Healthy : public testing::TestWithParam<bool> {};

TEST_P(Healthy, NobodyHasAnythingToSay) {
  std::size_t died = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const tenet::system::Folder folder;
    Schedule schedule;
    schedule.seed = seed;
    schedule.power_loss = GetParam();
    const Outcome outcome = play(System(), schedule, folder.path);
    EXPECT_TRUE(outcome.clean()) << "seed " << seed << ": " << tenet::system::complaints(outcome);
    EXPECT_GT(outcome.watch.events, 500U);
    died += outcome.died;
  }
  EXPECT_GT(died, 10U);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Healthy, testing::Bool(),
                         [](const auto& test) { return test.param ? "LosingPower" : "Killed"; });

/// A fault, and the rule that must notice; empty: only clients can, since the specification has no words for it.
struct Case {
  Switch fault;
  std::string rule;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.fault.name; }

class Faulty : public testing::TestWithParam<Case> {};

TEST_P(Faulty, IsNoticed) {
  const auto& [fault, rule] = GetParam();
  const auto [rules, by_clients] = tenet::system::who_notices(System(), fault);
  if (rule.empty()) {
    EXPECT_TRUE(by_clients);
    EXPECT_TRUE(rules.empty()) << rules.front();
  } else {
    EXPECT_TRUE(std::ranges::count(rules, rule) > 0) << testing::PrintToString(rules);
  }
}

INSTANTIATE_TEST_SUITE_P(Switches, Faulty,
                         testing::Values(Case{fault::acknowledges_early, "Primary.acknowledge.guard"},
                                         Case{fault::counts_old_answers, "Primary.receive_stored.guard"},
                                         Case{fault::keeps_old_answers, "Primary.update.effect"},
                                         Case{fault::takes_old_versions, "Backup.receive_replicate.guard"},
                                         Case{fault::forgets_the_value, "Backup.receive_replicate.effect"},
                                         Case{fault::primary_without_fsync, "Primary.version.grows"},
                                         Case{fault::backup_without_fsync, "Backup.version.grows"},
                                         Case{fault::answers_first, "Stored.sent"},
                                         Case{fault::off_by_one, "Replicate.sent"}, Case{fault::executes_again, ""},
                                         Case{fault::stale_cache, ""}),
                         [](const auto& test) { return std::string(test.param.fault.name); });

}  // namespace
}  // namespace mysystem_service
