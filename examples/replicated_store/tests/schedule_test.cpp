// Seeded schedules of the whole system, with the generated monitor watching. `store_sweep` plays more of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim.h"
#include "tenet/system/testing.h"

namespace replicated {
namespace {

std::string told(const Outcome& outcome) {
  std::string text = outcome.history.because + (outcome.finished ? "" : " not finished");
  for (const tenet::system::Violated& one : outcome.watch.violated) text += " " + one.rule;
  return text + "\n" + outcome.watch.first_finding;
}

struct Way {
  std::uint32_t replicas;
  bool power_loss;
};

class Healthy : public testing::TestWithParam<Way> {};

TEST_P(Healthy, NobodyHasAnythingToSay) {
  std::size_t died = 0;
  std::uint64_t slots = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const tenet::system::Folder folder;
    Cluster cluster;
    cluster.replicas = GetParam().replicas;
    Schedule schedule;
    schedule.seed = seed;
    schedule.power_loss = GetParam().power_loss;
    const Outcome outcome = play(cluster, schedule, folder.path);
    EXPECT_TRUE(outcome.clean()) << "seed " << seed << ": " << told(outcome);
    EXPECT_EQ(outcome.watch.gaps, 0U);
    EXPECT_GT(outcome.watch.events, 1000U);
    died += outcome.died;
    slots += outcome.slots;
  }
  EXPECT_GT(died, 10U);
  EXPECT_GT(slots, 100U);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Healthy, testing::Values(Way{3, false}, Way{3, true}, Way{5, true}),
                         [](const auto& test) {
                           return std::to_string(test.param.replicas) +
                                  (test.param.power_loss ? "LosingPower" : "Killed");
                         });

/// Faults, and the rule that must notice, or none if only clients can.
struct Case {
  Fault fault;
  std::string rule;
  bool power_loss = false;
};

class Faulty : public testing::TestWithParam<Case> {};

/// In three schedules at most: a slice of the campaign.
TEST_P(Faulty, IsNoticed) {
  std::vector<std::string> rules;
  bool by_clients = false;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const tenet::system::Folder folder;
    Schedule schedule;
    schedule.seed = seed;
    schedule.fault = GetParam().fault;
    schedule.power_loss = GetParam().power_loss;
    const Outcome outcome = play({}, schedule, folder.path);
    for (const tenet::system::Violated& one : outcome.watch.violated) rules.push_back(one.rule);
    by_clients = by_clients || !outcome.history.linearizable;
  }
  if (GetParam().rule.empty()) {
    EXPECT_TRUE(by_clients);
    EXPECT_TRUE(rules.empty()) << "the specification has no words for it: " << rules.front();
  } else {
    EXPECT_TRUE(std::ranges::count(rules, GetParam().rule) > 0) << testing::PrintToString(rules);
  }
}

INSTANTIATE_TEST_SUITE_P(Switches, Faulty,
                         testing::Values(Case{Fault::believes_old_news, "Leader.receive_preempt.guard"},
                                         Case{Fault::forgets_its_vote, "Acceptor.receive_propose.effect"},
                                         Case{Fault::insists_on_its_value, "Propose.sent"},
                                         Case{Fault::insists_on_its_value, "agreement"},
                                         Case{Fault::tries_the_same_number, "Leader.receive_preempt.effect"},
                                         Case{Fault::accepts_first, "Accept.sent"},
                                         Case{Fault::off_by_one_slot, "Accept.sent"},
                                         Case{Fault::counts_messages, "Leader.propose.guard"},
                                         Case{Fault::learner_without_fsync, "Learner.accepts.grows", true},
                                         Case{Fault::lost_update, ""}, Case{Fault::answers_first, ""}),
                         [](const auto& test) {
                           std::string name;
                           for (const FaultInfo& fault : all_faults()) {
                             if (fault.fault == test.param.fault) name = fault.name;
                           }
                           return name + (test.param.rule == "agreement" ? "_disagrees" : "");
                         });

}  // namespace
}  // namespace replicated
