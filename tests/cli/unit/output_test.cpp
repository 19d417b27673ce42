#include "output.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "scratch_folder.h"

namespace tenet::cli {
namespace {

namespace fs = std::filesystem;

class WriteFile : public ::testing::Test {
 protected:
  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  const testing::ScratchFolder scratch_;
  const fs::path folder_ = scratch_.path();
};

TEST_F(WriteFile, MakesAndReplaces) {
  const fs::path path = folder_ / "report.json";
  ASSERT_TRUE(write_file(path.string(), "one"));
  EXPECT_EQ(content(path), "one");
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(write_file(path.string(), "two"));
  EXPECT_EQ(content(path), "two");
  EXPECT_EQ(files(), 1U) << "a temporary file was left behind";
  struct stat info = {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0640U);
}

TEST_F(WriteFile, FollowsALink) {
  const fs::path target = folder_ / "target";
  ASSERT_TRUE(write_file(target.string(), "old"));
  fs::create_symlink(target, folder_ / "link");
  ASSERT_TRUE(write_file((folder_ / "link").string(), "new"));
  EXPECT_EQ(content(target), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
}

TEST_F(WriteFile, SaysWhatWentWrong) {
  const auto missing = write_file((folder_ / "no" / "where").string(), "x");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::io);
  EXPECT_NE(missing.error().message.find("no/where: No such file or directory"), std::string::npos);

  const auto folder = write_file(folder_.string(), "x");
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("Is a directory"), std::string::npos);
  EXPECT_EQ(files(), 0U);
}

TEST_F(WriteFile, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP();
  const auto full = write_file("/dev/full", "x");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("No space left on device"), std::string::npos);
}

}  // namespace
}  // namespace tenet::cli
