// What survives of files when the process dies, and when the power fails.
#include "disk.h"

#include "folder.h"

namespace curp {
namespace {

TEST(Disk, KeepsWhatWasFsyncedWhenThePowerFails) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Folder folder;
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
    const Folder folder;
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
  const Folder folder;
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

TEST(Disk, TearsBlocksThatWereNotFsynced) {
  std::size_t changed = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Folder folder;
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
}  // namespace curp
