// The judge of histories: known cases, and brute force.
#include "tenet/system/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tenet::system {
namespace {

Operation put(std::string value, std::uint64_t version, std::uint64_t called, std::optional<std::uint64_t> returned) {
  return {0, "k", true, std::move(value), version, called, returned};
}
Operation get(std::string value, std::uint64_t version, std::uint64_t called, std::uint64_t returned) {
  return {0, "k", false, std::move(value), version, called, returned};
}

TEST(History, OfOneAfterTheOther) {
  EXPECT_TRUE(judge({put("a", 1, 0, 1), get("a", 1, 2, 3), put("b", 2, 4, 5), get("b", 2, 6, 7)}).linearizable);
  EXPECT_FALSE(judge({put("a", 1, 0, 1), get("", 0, 2, 3)}).linearizable) << "a read from before a finished update";
  EXPECT_FALSE(judge({put("a", 1, 0, 1), put("b", 1, 2, 3)}).linearizable) << "two first updates";
  EXPECT_FALSE(judge({get("a", 1, 0, 1), put("a", 1, 2, 3)}).linearizable) << "a read from the future";
  EXPECT_FALSE(judge({put("a", 2, 0, 1)}).linearizable) << "a second update without a first";
}

TEST(History, WhereOperationsOverlap) {
  EXPECT_TRUE(judge({put("a", 2, 0, 10), put("b", 1, 1, 9), get("b", 1, 2, 8)}).linearizable);
  EXPECT_FALSE(judge({put("a", 2, 0, 10), put("b", 1, 1, 9), get("a", 1, 2, 8)}).linearizable);
}

TEST(History, WhereSomethingNeverReturned) {
  EXPECT_TRUE(judge({put("a", 0, 0, {}), get("a", 1, 5, 6)}).linearizable) << "it was done";
  EXPECT_TRUE(judge({put("a", 0, 0, {}), get("", 0, 5, 6)}).linearizable) << "or not yet";
  EXPECT_FALSE(judge({put("a", 0, 0, {}), get("a", 1, 5, 6), get("", 0, 7, 8)}).linearizable);
}

/// Every order that respects time, tried one by one.
bool brute_force(const std::vector<Operation>& history) {
  std::vector<std::size_t> order(history.size());
  std::iota(order.begin(), order.end(), 0);
  do {
    bool good = true;
    for (std::size_t i = 0; i < order.size() && good; ++i) {
      for (std::size_t j = i + 1; j < order.size() && good; ++j) {
        good = *history[order[j]].returned >= history[order[i]].called;
      }
    }
    std::uint64_t version = 0;
    std::string value;
    for (std::size_t i = 0; i < order.size() && good; ++i) {
      const Operation& operation = history[order[i]];
      if (operation.put) {
        good = operation.version == ++version;
        value = operation.value;
      } else {
        good = operation.version == version && operation.value == value;
      }
    }
    if (good) return true;
  } while (std::ranges::next_permutation(order).found);
  return false;
}

TEST(History, AgreesWithBruteForce) {
  std::mt19937 random(7);
  std::size_t linearizable = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Operation> history;
    std::uint64_t clock = 0;
    for (std::uint64_t i = 0; i < 5; ++i) {
      const std::uint64_t called = clock + random() % 4;
      clock = called + random() % 3;
      const bool writes = random() % 2 == 0;
      // Values are told apart, and mostly fit their versions.
      const std::uint64_t version = random() % 3 + (writes ? 1 : 0);
      const std::string value = writes         ? "v" + std::to_string(version)
                                : version == 0 ? ""
                                               : "v" + std::to_string(version);
      history.push_back({0, "k", writes, value, version, called, called + random() % 9});
    }
    const bool expected = brute_force(history);
    EXPECT_EQ(judge(history).linearizable, expected) << round;
    if (expected) ++linearizable;
  }
  EXPECT_GT(linearizable, 30U);
}

}  // namespace
}  // namespace tenet::system
