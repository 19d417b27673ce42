#include <gtest/gtest.h>

#include "arguments.h"

namespace tenet::cli {
namespace {

TEST(Size, ReadsUnitsInPowersOf1024) {
  const std::pair<const char*, std::uint64_t> good[] = {
      {"1048576", 1048576}, {"1b", 1},           {"2k", 2048},         {"512M", 512ULL << 20},
      {"4G", 4ULL << 30},   {"4GB", 4ULL << 30}, {"4GiB", 4ULL << 30}, {"1t", 1ULL << 40},
  };
  for (const auto& [text, wanted] : good) {
    std::uint64_t bytes = 0;
    EXPECT_TRUE(parse_size(text, bytes)) << text;
    EXPECT_EQ(bytes, wanted) << text;
  }
}

TEST(Size, RefusesWhatIsNone) {
  for (const char* text :
       {"", "G", "-1G", "1.5G", "1 G", "1GG", "1Gi", "1iB", "0x10", "99999999999999999999", "99999999999T"}) {
    std::uint64_t bytes = 7;
    EXPECT_FALSE(parse_size(text, bytes)) << text;
    EXPECT_EQ(bytes, 7U) << text;
  }
}

}  // namespace
}  // namespace tenet::cli
