#include "tenet/base/line_difference.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace tenet {
namespace {

constexpr std::size_t kAll = 1000000;

TEST(LineDifference, ShowsWhatChangedWithThreeLinesAround) {
  const std::string before = "a\nb\nc\nd\ne\nf\ng\nh\ni\n";
  EXPECT_EQ(unified_difference(before, "a\nb\nc\nd\nE\nf\ng\nh\ni\n", kAll),
            "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n");
  EXPECT_EQ(unified_difference(before, before, kAll), "");
}

TEST(LineDifference, ChangesFarApartAreHunksOfTheirOwn) {
  const std::string before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  EXPECT_EQ(unified_difference(before, "2\n3\n4\n5\n6\n7\n8\n9\n10\n", kAll),
            "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -7,3 +6,4 @@\n 7\n 8\n 9\n+10\n");
}

TEST(LineDifference, KnowsEmptyTextsAndLastLinesWithoutNewline) {
  EXPECT_EQ(unified_difference("", "a\n", kAll), "@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(unified_difference("a\n", "", kAll), "@@ -1 +0,0 @@\n-a\n");
  EXPECT_EQ(unified_difference("a", "a\n", kAll), "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

TEST(LineDifference, SaysHowMuchItLeavesOut) {
  EXPECT_EQ(unified_difference("a\nb\n", "c\nd\n", 2), "@@ -1,2 +1,2 @@\n-a\n… and 3 more lines\n");
  EXPECT_EQ(unified_difference("a\n", "b\n", 2), "@@ -1 +1 @@\n-a\n… and 1 more line\n");
}

TEST(LineDifference, NamesTheFirstDifferentLine) {
  EXPECT_EQ(first_different_line("a\nb\n", "a\nc\n"), 2U);
  EXPECT_EQ(first_different_line("a\n", "a\nc\n"), 2U);
  EXPECT_EQ(first_different_line("a", "a\n"), 1U);
  EXPECT_EQ(first_different_line("a\n", "a\n"), 0U);
}

/// What `patch` makes of a text and hunks that name every line.
std::string patched(const std::string& before, const std::string& hunks) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < before.size();) {
    const std::size_t end = before.find('\n', at) + 1;
    lines.push_back(before.substr(at, end - at));
    at = end;
  }
  std::string after;
  std::size_t next = 0;
  for (std::size_t at = 0; at < hunks.size();) {
    const std::size_t end = hunks.find('\n', at) + 1;
    const std::string line = hunks.substr(at, end - at);
    at = end;
    if (line.starts_with("@@ -")) {
      const std::size_t first = std::stoul(line.substr(4));
      const bool empty = line.substr(4, line.find(' ', 4) - 4).ends_with(",0");
      for (const std::size_t until = empty ? first : first - 1; next < until; ++next) after += lines[next];
      continue;
    }
    if (line[0] != '+') {
      EXPECT_EQ(lines.at(next++), line.substr(1));
    }
    if (line[0] != '-') after += line.substr(1);
  }
  for (; next < lines.size(); ++next) after += lines[next];
  return after;
}

TEST(LineDifference, APatchWithItMakesTheOtherText) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    const auto text = [&] {
      std::string lines;
      for (std::size_t n = random() % 30; n > 0; --n)
        lines += std::string(1, static_cast<char>('a' + random() % 4)) + "\n";
      return lines;
    };
    const std::string before = text();
    const std::string after = text();
    EXPECT_EQ(patched(before, unified_difference(before, after, kAll)), after);
  }
}

TEST(LineDifference, VeryLongTextsAreOneBlock) {
  std::string before;
  std::string after;
  for (int i = 0; i < 3000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(patched(before, unified_difference(before, after, kAll)), after);
}

}  // namespace
}  // namespace tenet
