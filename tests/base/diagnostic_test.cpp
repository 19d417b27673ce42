#include "tenet/base/diagnostic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tenet/base/diagnostic_ids.h"

namespace tenet {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Source, CountsLinesAndCodePoints) {
  const SourceFile file("f", "ab\n\u2264x\r\nlast");
  EXPECT_EQ(file.position(0), (LineColumn{1, 1}));
  EXPECT_EQ(file.position(6), (LineColumn{2, 2}));  // behind a sign of three bytes
  EXPECT_EQ(file.line(2), "\u2264x");
  EXPECT_EQ(file.line(4), "");
  EXPECT_EQ(file.position(1000), (LineColumn{3, 5}));
  EXPECT_EQ(file.text({2000, 3000}), "");
}

TEST(Diagnostics, AreSortedAndSaidOnce) {
  Diagnostics all;
  all.error("b", {5, 6}, "second");
  all.warning("a", {1, 2}, "first");
  all.error("b", {5, 6}, "again");
  all.error("c", {5, 6}, "same place");
  const auto sorted = all.sorted();
  ASSERT_EQ(sorted.size(), 3u);
  EXPECT_EQ(sorted[0].message, "first");
  EXPECT_EQ(sorted[1].message, "second");
  EXPECT_EQ(sorted[2].message, "same place");
  EXPECT_TRUE(all.has_errors());
}

TEST(Render, UnderlinesTheSpan) {
  const SourceFile file("dir/f.tenet", "one\n\ttwo \u2264 three\n");
  Diagnostic d{"some-id", Severity::error, {5, 8}, "what is wrong", "what to do", {{{0, 3}, "see here"}}};
  EXPECT_EQ(render(d, file, false),
            "dir/f.tenet:2:2: error: what is wrong [some-id]\n"
            "   2 |  two \u2264 three\n"
            "     |  ^~~\n"
            "     hint: what to do\n"
            "dir/f.tenet:1:1: note: see here\n"
            "   1 | one\n"
            "     | ^~~\n");
  EXPECT_THAT(render(d, file, true), HasSubstr("\x1b[1;31merror:\x1b[0m"));
}

TEST(Render, StaysOnOneLineAndInsideLongOnes) {
  const SourceFile file("f", std::string(5000, 'x') + "\nsecond");
  const std::string text = render({"id", Severity::warning, {2500, 4900}, "m", "", {}}, file, false);
  EXPECT_THAT(text, HasSubstr("f:1:2501: warning"));
  EXPECT_LT(text.size(), 600u);
  const std::string over = render({"id", Severity::error, {4999, 5004}, "m", "", {}}, file, false);
  EXPECT_THAT(over, Not(HasSubstr("second")));
}

TEST(Render, BearsEmptyTextsAndControlCharacters) {
  EXPECT_THAT(render({"id", Severity::error, {0, 1}, "m", "", {}}, SourceFile("f", ""), false), HasSubstr("f:1:1"));
  EXPECT_THAT(render({"id", Severity::error, {0, 1}, "m", "", {}}, SourceFile("f", "\x1b[31m"), false),
              HasSubstr("| \uFFFD[31m"));
}

TEST(DidYouMean, FindsSlipsOfThePen) {
  const std::vector<std::string> names{"ballot", "vote", "Vote", "promised", "x"};
  EXPECT_EQ(did_you_mean("balot", names), "ballot");
  EXPECT_EQ(did_you_mean("promsied", names), "promised");
  EXPECT_EQ(did_you_mean("Ballot", names), "ballot");
  EXPECT_EQ(did_you_mean("vtoe", names), "vote");
  EXPECT_EQ(did_you_mean("y", names), "");
  EXPECT_EQ(did_you_mean("something", names), "");
  EXPECT_EQ(did_you_mean("", names), "");
  EXPECT_EQ(did_you_mean(std::string(100000, 'a'), names), "");
}

TEST(DiagnosticIds, AreFoundByName) {
  ASSERT_NE(find_diagnostic_id("syntax-error"), nullptr);
  EXPECT_EQ(find_diagnostic_id("syntax-errors"), nullptr);
  for (const DiagnosticId& entry : diagnostic_ids()) {
    EXPECT_EQ(find_diagnostic_id(entry.id), &entry);
    EXPECT_FALSE(entry.meaning.empty());
  }
}

}  // namespace
}  // namespace tenet
