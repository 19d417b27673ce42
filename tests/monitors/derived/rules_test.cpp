// From hooks through the rings to findings, in one process.
#include "tenet/derived/rules.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "tenet/derived/hook.h"

namespace tenet::derived {
namespace {

enum Op : std::uint16_t { kNew, kPut, kErase, kGet };

Schema schema() {
  Schema s;
  s.system = "map";
  s.stamp = "1";
  s.roles = {"key", "value", "at", "handle", "cursor", "valid", "scope", "fresh"};
  s.outcomes = {"ok", "not_found", "error"};
  s.ops = {{"new", OpKind::open, {}, {}, false, 0},
           {"put", OpKind::mutate, {kKey, kValue}, {}, false, 0},
           {"erase", OpKind::mutate, {kKey}, {}, false, 0},
           {"get", OpKind::query, {kKey}, {kValue}, true, 0}};
  return s;
}

std::vector<Checker> checkers() {
  Checker reads;
  reads.name = "get_after_put";
  reads.op = kGet;
  reads.given.change = kPut;
  Expected outcome;
  outcome.constant = number_value(0);
  Expected value;
  value.field = kValue;
  value.kind = Expected::Kind::of_change;
  reads.then = {outcome, value};
  reads.origins = {"MapTest.Reads map_test.cc:1"};
  Checker gone;
  gone.name = "get_after_erase";
  gone.op = kGet;
  gone.given.change = kErase;
  outcome.constant = number_value(1);
  gone.then = {outcome};
  Checker nothing = gone;
  nothing.name = "get_of_nothing";
  nothing.given.change = Given::kNothing;
  return {reads, gone, nothing};
}

/// A map whose hooks are written by hand as they are generated; `wrong` makes it return an old value now and then.
class Map {
 public:
  explicit Map(unsigned wrong_every = 0) : wrong_every_(wrong_every) { const Call call(kNew, this); }
  void put(const std::string& key, int value) {
    Call call(kPut, this);
    if (call.on()) {
      call.in(kKey, key, true);
      call.in(kValue, value);
    }
    const std::scoped_lock guard(lock_);
    values_[key] = value;
  }
  void erase(const std::string& key) {
    Call call(kErase, this);
    if (call.on()) call.in(kKey, key, true);
    const std::scoped_lock guard(lock_);
    values_.erase(key);
  }
  bool get(const std::string& key, int& value) {
    Call call(kGet, this);
    if (call.on()) call.in(kKey, key, true);
    const bool found = look(key, value);
    if (call.on()) {
      call.outcome(found ? 0 : 1, kNoEffect);
      if (found) call.out(kValue, value);
    }
    return found;
  }

 private:
  bool look(const std::string& key, int& value) {
    const std::scoped_lock guard(lock_);
    const auto entry = values_.find(key);
    if (entry == values_.end()) return false;
    value = entry->second;
    if (wrong_every_ != 0 && ++reads_ % wrong_every_ == 0) --value;
    return true;
  }
  const unsigned wrong_every_;
  unsigned reads_ = 0;
  std::mutex lock_;
  std::map<std::string, int> values_;
};

class RulesTest : public ::testing::Test {
 protected:
  std::unique_ptr<monitor::Monitor> start(std::uint32_t one_in = 1, std::uint32_t reorder_ms = 60000) {
    monitor::Options options;
    options.file = ::testing::TempDir() + "tenet_derived_rules." + std::to_string(::getpid());
    std::remove(options.file.c_str());
    options.ring_bytes = 32u << 20;
    options.memory_bytes = std::size_t{1} << 30;  // for all that waits if the checker does not get to run either
    options.sample_one_in = one_in;
    options.reorder_ms = reorder_ms;  // long: a thread that does not get to run is no loss
    options.reveal = true;
    std::string error;
    auto monitor = monitor::Monitor::start(options, make_rules(schema(), checkers()), error);
    EXPECT_NE(monitor, nullptr) << error;
    std::remove(options.file.c_str());
    return monitor;
  }
  static void work(Map& map, unsigned seed, int operations) {
    std::mt19937 random(seed);
    int value = 0;
    for (int i = 0; i < operations; ++i) {
      const std::string key = "k" + std::to_string(random() % 200);
      switch (random() % 3) {
        case 0:
          map.put(key, static_cast<int>(random() % 1000) * 2);
          break;
        case 1:
          map.erase(key);
          break;
        default:
          (void)map.get(key, value);
      }
    }
  }
};

TEST_F(RulesTest, AFindingNamesTheCheckerItsTestAndTheKey) {
  const auto monitor = start();
  Map map(2);
  int value = 0;
  map.put("apple", 4);
  (void)map.get("apple", value);
  ASSERT_TRUE(settle(*monitor));
  EXPECT_EQ(monitor->summary().exit_status(), 0);
  (void)map.get("apple", value);  // the second read is wrong
  ASSERT_TRUE(settle(*monitor));
  EXPECT_EQ(monitor->summary().exit_status(), 1);
  ASSERT_EQ(monitor->findings().size(), 1u);
  const std::string finding = monitor->findings().front();
  for (const char* wanted :
       {"\"rule\":\"get_after_put\"", "MapTest.Reads map_test.cc:1", "expected value = 4", "seen 3", "apple"}) {
    EXPECT_NE(finding.find(wanted), std::string::npos) << wanted << " in " << finding;
  }
}

TEST_F(RulesTest, ThreadsNeverMakeAFalseAlarm) {
  const auto monitor = start();
  Map map;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back([&, t] { work(map, t, 20000); });
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(settle(*monitor, 60000));
  const monitor::Summary summary = monitor->summary();
  std::uint64_t passed = 0, violated = 0;
  for (const auto& rule : summary.rules) {
    passed += rule.passed;
    violated += rule.violated;
  }
  EXPECT_EQ(violated, 0u) << (monitor->findings().empty() ? "" : monitor->findings().front());
  EXPECT_GT(passed, 10000u);
}

TEST_F(RulesTest, WhatIsGivenUpAsLostMakesNoFalseAlarm) {
  const auto monitor = start(1, 1);
  Map map;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) threads.emplace_back([&, t] { work(map, t, 10000); });
  for (int i = 0; i < 20; ++i) (void)monitor->flush(100);  // gives up gaps while they are being filled
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(settle(*monitor, 60000));
  for (const auto& rule : monitor->summary().rules) EXPECT_EQ(rule.violated, 0u);
}

TEST_F(RulesTest, AWrongReadIsFoundAmongThreads) {
  const auto monitor = start();
  Map map(500);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back([&, t] { work(map, t, 20000); });
  for (std::thread& thread : threads) thread.join();
  ASSERT_TRUE(settle(*monitor, 60000));
  EXPECT_EQ(monitor->summary().exit_status(), 1) << to_text(monitor->summary());
}

TEST_F(RulesTest, WithSomeKeysOnlyTheOthersAreUnknownNotAbsent) {
  const auto monitor = start(8);
  Map map;
  for (unsigned t = 0; t < 4; ++t) work(map, t, 5000);
  ASSERT_TRUE(settle(*monitor, 60000));
  const monitor::Summary summary = monitor->summary();
  EXPECT_LT(summary.events, 6000u);  // of 20000
  std::uint64_t passed = 0, violated = 0;
  for (const auto& rule : summary.rules) {
    passed += rule.passed;
    violated += rule.violated;
  }
  EXPECT_EQ(violated, 0u);
  EXPECT_GT(passed, 100u);
}

TEST_F(RulesTest, ACallInsideACallIsNotTold) {
  const auto monitor = start();
  Map map;
  ASSERT_TRUE(settle(*monitor));
  const std::uint64_t before = monitor->summary().events;
  {
    const Call outer(kPut, &map);
    map.put("inner", 1);
  }
  ASSERT_TRUE(settle(*monitor));
  EXPECT_EQ(monitor->summary().events, before + 1);
}

}  // namespace
}  // namespace tenet::derived
