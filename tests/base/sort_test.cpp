#include "tenet/base/sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tenet {
namespace {

using testing::ElementsAre;

TEST(StableSort, KeepsTheOrderOfEqualsAndWhatStandsBefore) {
  std::vector<std::string> words{"zebra", "bb", "a", "aa", "b", "cc"};
  stable_sort_by(words, 1, [](const std::string& word) { return word.size(); });
  EXPECT_THAT(words, ElementsAre("zebra", "a", "b", "bb", "aa", "cc"));
}

TEST(StableSort, MovesWhatCannotBeCopied) {
  std::vector<std::unique_ptr<int>> numbers;
  for (const int n : {3, 1, 2}) numbers.push_back(std::make_unique<int>(n));
  stable_sort_by(numbers, 0, [](const std::unique_ptr<int>& number) { return *number; });
  ASSERT_TRUE(numbers[0] && numbers[1] && numbers[2]);
  EXPECT_EQ(*numbers[0] + 10 * *numbers[1] + 100 * *numbers[2], 321);
}

TEST(StableSort, BearsNothing) {
  std::vector<int> none;
  stable_sort_by(none, 0, [](int n) { return n; });
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace tenet
