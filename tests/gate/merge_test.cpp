#include <gmock/gmock.h>

#include "scratch.h"
#include "tenet/gate/gate.h"

namespace tenet::gate {
namespace {

using ::testing::HasSubstr;
using testing::kTwoLocks;
using testing::with;

class Merge : public testing::Scratch {
 protected:
  void SetUp() override {
    Scratch::SetUp();
    if (HasFatalFailure()) return;
    for (const char* name : {"one", "two", "three"}) {
      write(std::string("specs/") + name + ".tenet",
            with(with(kTwoLocks, "protocol lock", std::string("protocol ") + name), "free = false  send", "send"));
    }
    change("specs/lock.tenet", kTwoLocks + "// touched\n");
  }
  [[nodiscard]] ShardFile shard(std::size_t index, std::size_t count) const {
    Options part = options();
    part.shard = {index, count};
    const auto outcome = gate::run(part);
    EXPECT_TRUE(outcome);
    return {"shard-" + std::to_string(index), outcome ? shard_text(*outcome) : ""};
  }
  /// The error of merging; empty if there is none.
  [[nodiscard]] std::string error(const std::vector<ShardFile>& files) const {
    const auto merged = gate::merge(options(), files);
    if (merged) return "";
    EXPECT_EQ(merged.error().kind, ErrorKind::bad_input);
    return merged.error().message;
  }
};

TEST_F(Merge, IsTheSameAsOneRun) {
  const Outcome whole = run();
  EXPECT_EQ(whole.units.size(), 5U);
  EXPECT_EQ(exit_status(whole), 1);
  for (const std::size_t count : {1U, 2U, 3U, 7U}) {
    std::vector<ShardFile> files;
    for (std::size_t i = count; i >= 1; --i) files.push_back(shard(i, count));
    const auto merged = gate::merge(options(), files);
    ASSERT_TRUE(merged) << merged.error().message;
    EXPECT_EQ(text(*merged), text(whole));
    EXPECT_EQ(markdown(*merged), markdown(whole));
    EXPECT_EQ(exit_status(*merged), exit_status(whole));
    if (count == 1) {
      EXPECT_EQ(sarif(*merged), sarif(whole));
    }
  }
}

TEST_F(Merge, RefusesMissingAndDuplicateShards) {
  const ShardFile first = shard(1, 2);
  const ShardFile second = shard(2, 2);
  EXPECT_THAT(error({first}), HasSubstr("shard 2 of 2 is missing"));
  EXPECT_THAT(error({first, second, first}), HasSubstr("shard 1 of 2 is in shard-1 already"));
  EXPECT_THAT(error({first, shard(2, 3)}), HasSubstr("foreign"));
  EXPECT_NE(error({}), "");
  EXPECT_EQ(error({first, second}), "");
}

TEST_F(Merge, RefusesForeignShards) {
  const ShardFile first = shard(1, 2);
  const ShardFile second = shard(2, 2);
  change("README.md", "one commit more\n");
  EXPECT_THAT(error({first, second}), HasSubstr("a foreign shard, of another head"));
}

TEST_F(Merge, RefusesResultsThatAreNotOfTheShard) {
  const ShardFile first = shard(1, 2);
  const ShardFile second = shard(2, 2);
  EXPECT_THAT(error({first, {"renumbered", with(first.text, "\"index\": 1", "\"index\": 2")}}),
              HasSubstr("its results are not those of shard 2 of 2"));
  EXPECT_NE(error({first, {"none", ""}}), "");
  EXPECT_NE(error({first, {"list", "[]"}}), "");
  EXPECT_NE(error({first, {"cut", second.text.substr(0, second.text.size() / 2)}}), "");
  EXPECT_NE(error({first, {"typed", with(second.text, "\"internal\": false", "\"internal\": 3")}}), "");
  EXPECT_NE(error({first, {"newer", with(second.text, "\"formatVersion\": 1", "\"formatVersion\": 2")}}), "");
  EXPECT_NE(error({first, {"zero", with(second.text, "\"count\": 2", "\"count\": 0")}}), "");
}

}  // namespace
}  // namespace tenet::gate
