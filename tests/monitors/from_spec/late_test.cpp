// Events that come later than what follows from them: of a reducer that took a report in, and died before it told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "../core/toy.h"
#include "tally_monitor.h"

namespace {

using namespace tally_monitor;
using tenet::monitor::Monitor;
using tenet::monitor::Options;

class Late : public testing::Test {
 protected:
  Late() {
    Options options;
    options.file = folder_ / "rings";
    options.inline_mode = true;
    std::string error;
    monitor_ = Monitor::start(options, make_rules(Topology()), error);
    EXPECT_NE(monitor_, nullptr) << error;
    worker_.emplace(0);
    worker_->begins({{1, {}}}, {none});
    reducer_.emplace();
    reducer_->begins({{}, {0, {}}, none});
    // It has got the report, which the worker has told to a monitor that reads slowly.
    reducer_.emplace();
    reducer_->recovers({reported_, {0, totals_}, none});
    const MessageId step = reducer_->finish({reported_, {0, totals_}, std::int64_t{2}});
    reducer_->sends_done(step, WorkerId(0), 2);
    monitor_->poll();
  }
  std::set<std::string> violated() const {
    std::set<std::string> names;
    for (const auto& rule : monitor_->rules()) {
      if (rule.count.violated > 0) names.insert(rule.info.name);
    }
    return names;
  }

  const std::set<std::uint32_t> reported_ = {0};
  const std::map<std::uint32_t, std::int64_t> totals_ = {{0, 2}};
  toy::Folder folder_;
  std::unique_ptr<Monitor> monitor_;
  std::optional<WorkerMonitor> worker_;
  std::optional<ReducerMonitor> reducer_;
};

TEST_F(Late, AreWaitedFor) {
  EXPECT_THAT(violated(), testing::IsEmpty());
  worker_->add_up({std::int64_t{2}});
  worker_->sends_report(worker_->report({std::int64_t{2}}), ReducerId(0), 2);
  monitor_->flush();
  EXPECT_THAT(violated(), testing::IsEmpty());
}

TEST_F(Late, AreMissedWhenTheyDoNotCome) {
  for (int round = 0; round < 3; ++round) monitor_->poll();
  worker_->add_up({std::int64_t{2}});
  monitor_->flush();
  EXPECT_THAT(violated(), testing::Contains("done_after_reports"));
}

}  // namespace
