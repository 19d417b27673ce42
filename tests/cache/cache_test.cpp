#include "tenet/cache/cache.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "scratch_folder.h"

namespace tenet::cache {
namespace {

namespace fs = std::filesystem;

class CacheTest : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path file() const { return folder_ / "results.sqlite"; }
  const testing::ScratchFolder scratch_;
  const fs::path folder_ = scratch_.path();
};

const Key kOne = key({"one"});

TEST_F(CacheTest, GivesBackBitForBitAlsoToALaterRun) {
  const std::string bytes("a\0b\xff", 4);
  {
    auto cache = Cache::open(folder_.string());
    ASSERT_TRUE(cache) << cache.error().message;
    EXPECT_FALSE(cache->get(kOne));
    cache->put(kOne, bytes);
    EXPECT_EQ(cache->get(kOne), bytes);
    cache->put(kOne, "");
    EXPECT_EQ(cache->get(kOne), "");
    cache->put(kOne, bytes);
  }
  auto later = Cache::open(folder_.string());
  ASSERT_TRUE(later);
  EXPECT_EQ(later->get(kOne), bytes);
  EXPECT_FALSE(later->get(key({"two"})));
  EXPECT_EQ(later->trouble(), "");
}

TEST_F(CacheTest, KeysTellListsOfPartsApart) {
  EXPECT_NE(key({"ab", "c"}), key({"a", "bc"}));
  EXPECT_NE(key({"a"}), key({"a", ""}));
  EXPECT_EQ(key({"a", "b"}), key({"a", "b"}));
}

TEST_F(CacheTest, TwoProcessesMayShareIt) {
  auto one = Cache::open(folder_.string());
  auto two = Cache::open(folder_.string());
  ASSERT_TRUE(one && two);
  one->put(kOne, "x");
  EXPECT_EQ(two->get(kOne), "x");
}

TEST_F(CacheTest, ADamagedFileIsRefusedOrMissesButNeverLies) {
  {
    auto cache = Cache::open(folder_.string());
    ASSERT_TRUE(cache);
    for (int i = 0; i < 50; ++i)
      cache->put(key({std::to_string(i)}), std::string(500, static_cast<char>('a' + i % 26)));
  }
  std::ifstream in(file(), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  for (std::size_t at = 0; at < good.size(); at += 997) {
    std::string bad = good;
    for (std::size_t i = at; i < std::min(at + 40, bad.size()); ++i) bad[i] = static_cast<char>(bad[i] ^ 0x55);
    for (const char* suffix : {"-wal", "-shm"}) fs::remove(file().string() + suffix);
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bad;
    auto cache = Cache::open(folder_.string());
    if (!cache) continue;
    for (int i = 0; i < 50; ++i) {
      const auto value = cache->get(key({std::to_string(i)}));
      if (value) {
        EXPECT_EQ(*value, std::string(500, static_cast<char>('a' + i % 26)));
      }
    }
  }
}

TEST_F(CacheTest, SomebodyElsesFileIsLeftAlone) {
  std::ofstream(file(), std::ios::binary) << "this is no database, and it is longer than a header of one hundred bytes "
                                             "so that SQLite looks at it as one, which it must refuse to do here";
  EXPECT_FALSE(Cache::open(folder_.string()));
  EXPECT_GT(fs::file_size(file()), 100U);
}

TEST_F(CacheTest, AFolderThatCannotBeMadeIsAnError) {
  std::ofstream(folder_ / "plain") << "x";
  const auto cache = Cache::open((folder_ / "plain" / "sub").string());
  ASSERT_FALSE(cache);
  EXPECT_EQ(cache.error().kind, ErrorKind::io);
}

}  // namespace
}  // namespace tenet::cache
