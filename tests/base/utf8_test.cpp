#include "tenet/base/utf8.h"

#include <gtest/gtest.h>

namespace tenet {
namespace {

TEST(Utf8, OnlyWhatIsWellFormedHasASize) {
  EXPECT_EQ(decode_utf8("a").size, 1U);
  EXPECT_EQ(decode_utf8("\u2264").value, 0x2264U);
  EXPECT_EQ(decode_utf8("\U0010FFFF").size, 4U);
  EXPECT_EQ(decode_utf8("\xC0\x80").size, 0U) << "overlong";
  EXPECT_EQ(decode_utf8("\xE0\x9F\xBF").size, 0U) << "overlong";
  EXPECT_EQ(decode_utf8("\xED\xA0\x80").size, 0U) << "a surrogate";
  EXPECT_EQ(decode_utf8("\xF4\x90\x80\x80").size, 0U) << "beyond U+10FFFF";
  EXPECT_EQ(decode_utf8("\xE2\x89").size, 0U) << "cut off";
  EXPECT_EQ(first_invalid_utf8("a\u2264\x80"), 4U);
  EXPECT_EQ(first_invalid_utf8("a\u2264"), std::string_view::npos);
}

TEST(Utf8, PrintableTextHasNoControls) {
  EXPECT_EQ(printable("a\tb\x1b[0m\x07"), "a\tb\uFFFD[0m\uFFFD");
  EXPECT_EQ(printable("\xc2\x9b"), "\uFFFD") << "C1 controls act on terminals too";
  EXPECT_EQ(printable("\xff!"), "\uFFFD!");
  EXPECT_EQ(printable("a\nb\x7f"), "a\uFFFDb\uFFFD");
}

TEST(Utf8, PrintableTextReadsInTheOrderOfItsBytes) {
  EXPECT_EQ(printable("\u202Eevil\u2066\u200B"), "\uFFFDevil\uFFFD\uFFFD");
  EXPECT_EQ(printable("\u05D0\U0001F468\u200D\U0001F4BB \u2264"), "\u05D0\U0001F468\u200D\U0001F4BB \u2264");
}

}  // namespace
}  // namespace tenet
