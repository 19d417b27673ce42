// Seeded schedules of the whole system, with the generated monitor watching. `store sweep` plays more of them.
#include "tenet/system/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "replica.h"
#include "tenet/system/testing.h"

namespace replicated {
namespace {

using tenet::system::Outcome;
using tenet::system::Schedule;

/// A system that sees how far its replicas come.
class Counted final : public System {
 public:
  [[nodiscard]] std::unique_ptr<tenet::system::Role> server(Context& context, Peer self) const override {
    class Life final : public Replica {
     public:
      Life(Context& context, const Cluster& cluster, Peer self, std::uint64_t& slots)
          : Replica(context, cluster, static_cast<std::uint32_t>(self)), slots_(slots) {}
      ~Life() override { slots_ = std::max(slots_, next()); }

     private:
      std::uint64_t& slots_;
    };
    return std::make_unique<Life>(context, cluster, self, slots);
  }

  mutable std::uint64_t slots = 0;  ///< that some replica has learned
};

struct Way {
  std::uint64_t replicas;
  bool power_loss;
};

class Healthy : public testing::TestWithParam<Way> {};

TEST_P(Healthy, NobodyHasAnythingToSay) {
  std::size_t died = 0;
  std::uint64_t slots = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const tenet::system::Folder folder;
    Counted system;
    system.cluster.replicas = GetParam().replicas;
    Schedule schedule;
    schedule.seed = seed;
    schedule.power_loss = GetParam().power_loss;
    const Outcome outcome = play(system, schedule, folder.path);
    EXPECT_TRUE(outcome.clean()) << "seed " << seed << ": " << tenet::system::complaints(outcome);
    EXPECT_EQ(outcome.watch.gaps, 0U);
    EXPECT_GT(outcome.watch.events, 1000U);
    died += outcome.died;
    slots += system.slots;
  }
  EXPECT_GT(died, 10U);
  EXPECT_GT(slots, 100U);
}

INSTANTIATE_TEST_SUITE_P(Schedules, Healthy, testing::Values(Way{3, false}, Way{3, true}, Way{5, true}),
                         [](const auto& test) {
                           return std::to_string(test.param.replicas) +
                                  (test.param.power_loss ? "LosingPower" : "Killed");
                         });

/// A fault, and the rule that must notice; empty: only clients can, since the specification has no words for it.
struct Case {
  Switch fault;
  std::string rule;
};

class Faulty : public testing::TestWithParam<Case> {};

/// In three schedules at most: a slice of the campaign.
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

INSTANTIATE_TEST_SUITE_P(
    Switches, Faulty,
    testing::Values(Case{fault::believes_old_news, "Leader.receive_preempt.guard"},
                    Case{fault::forgets_its_vote, "Acceptor.receive_propose.effect"},
                    Case{fault::insists_on_its_value, "Propose.sent"}, Case{fault::insists_on_its_value, "agreement"},
                    Case{fault::tries_the_same_number, "Leader.receive_preempt.effect"},
                    Case{fault::accepts_first, "Accept.sent"}, Case{fault::off_by_one_slot, "Accept.sent"},
                    Case{fault::counts_messages, "Leader.propose.guard"},
                    Case{fault::learner_without_fsync, "Learner.accepts.grows"}, Case{fault::lost_update, ""},
                    Case{fault::answers_first, ""}),
    [](const auto& test) {
      return std::string(test.param.fault.name) + (test.param.rule == "agreement" ? "_disagrees" : "");
    });

}  // namespace
}  // namespace replicated
