// What survives of files when the process dies, and when the power fails.
#include <gtest/gtest.h>

#include "tenet/system/disk.h"

#include "tenet/system/testing.h"

namespace tenet::system {
namespace {

TEST(Disk, KeepsWhatWasFsyncedWhenThePowerFails) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const tenet::system::Folder folder;
    Disk disk(folder.path);
    {
      Store store;
      ASSERT_EQ(store.open(disk, "db"), "");
      ASSERT_EQ(store.write({{"kept", "1"}}, true), "");
      ASSERT_EQ(store.write({{"lost", "2"}}, false), "");
    }
    disk.lose_power(seed);
    Store store;
    ASSERT_EQ(store.open(disk, "db"), "");
    const auto pairs = store.read("");
    ASSERT_FALSE(pairs.empty());
    EXPECT_EQ(pairs[0], (std::pair<std::string, std::string>("kept", "1")));
    // A torn record is left out, not misread.
    EXPECT_LE(pairs.size(), 2U);
  }
}

TEST(Disk, LosesWhatWasNotFsynced) {
  std::size_t lost = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const tenet::system::Folder folder;
    Disk disk(folder.path);
    {
      Store store;
      ASSERT_EQ(store.open(disk, "db"), "");
      ASSERT_EQ(store.write({{"a", "1"}}, true), "");
      ASSERT_EQ(store.write({{"b", "2"}}, false), "");
    }
    disk.lose_power(seed);
    Store store;
    ASSERT_EQ(store.open(disk, "db"), "");
    if (store.read("b").empty()) ++lost;
  }
  EXPECT_GT(lost, 0U);
}

TEST(Disk, KeepsEverythingWhenOnlyTheProcessDies) {
  const tenet::system::Folder folder;
  Disk disk(folder.path);
  {
    Store store;
    ASSERT_EQ(store.open(disk, "db"), "");
    ASSERT_EQ(store.write({{"a", "1"}, {"b", "2"}}, false), "");
  }
  Disk again(folder.path);
  Store store;
  ASSERT_EQ(store.open(again, "db"), "");
  EXPECT_EQ(store.read("").size(), 2U);
  Store second;
  EXPECT_NE(second.open(again, "db"), "") << "two processes with one database";
}

TEST(Disk, LosesDirectoryEntriesThatWereNotFsynced) {
  std::size_t gone = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const tenet::system::Folder folder;
    Disk disk(folder.path);
    {
      Store store;
      ASSERT_EQ(store.open(disk, "db"), "");
      // Enough for LevelDB to write tables and to remove logs.
      for (int i = 0; i < 40; ++i) {
        ASSERT_EQ(store.write({{"key" + std::to_string(i), std::string(100'000, 'x')}}, i < 30), "");
      }
    }
    disk.lose_power(seed);
    Store store;
    ASSERT_EQ(store.open(disk, "db"), "") << seed;
    const auto pairs = store.read("");
    EXPECT_GE(pairs.size(), 30U) << seed;
    if (pairs.size() < 40) ++gone;
  }
  EXPECT_GT(gone, 0U);
}

TEST(Disk, ForgetsADatabaseThatWasNeverFsynced) {
  std::size_t gone = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const tenet::system::Folder folder;
    Disk disk(folder.path);
    {
      Store store;
      ASSERT_EQ(store.open(disk, "db"), "");
      ASSERT_EQ(store.write({{"a", "1"}}, false), "");
    }
    disk.lose_power(seed);
    Store store;
    ASSERT_EQ(store.open(disk, "db"), "");
    if (store.read("").empty()) ++gone;
  }
  EXPECT_GT(gone, 0U);
}

TEST(Disk, CanBeFull) {
  const tenet::system::Folder folder;
  Disk disk(folder.path);
  {
    Store store;
    ASSERT_EQ(store.open(disk, "db"), "");
    ASSERT_EQ(store.write({{"a", "1"}}, true), "");
    disk.fill(50);
    EXPECT_NE(store.write({{"b", std::string(100, 'x')}}, true), "");
  }
  disk.fill({});
  Store store;
  ASSERT_EQ(store.open(disk, "db"), "");
  EXPECT_EQ(store.get("a"), "1");
  EXPECT_EQ(store.get("b"), std::nullopt);
}

TEST(Disk, ChangesNothingAfterThePowerWasLost) {
  const tenet::system::Folder folder;
  Disk disk(folder.path);
  Store store;
  ASSERT_EQ(store.open(disk, "db"), "");
  disk.lose_power(1);
  EXPECT_NE(store.write({{"a", "1"}}, true), "");
}

TEST(Disk, TearsBlocksThatWereNotFsynced) {
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const tenet::system::Folder folder;
    Disk disk(folder.path);
    BlockFile file;
    ASSERT_EQ(file.open(disk, "table", 64, 4), "");
    ASSERT_EQ(file.write(1, std::string(64, 'a'), true), "");
    ASSERT_EQ(file.write(2, std::string(64, 'b'), false), "");
    disk.lose_power(seed);
    EXPECT_EQ(file.read(1), std::string(64, 'a'));
    if (file.read(2) != std::string(64, 'b')) ++changed;
  }
  EXPECT_GT(changed, 0U);
}

}  // namespace
}  // namespace tenet::system
