#include "tenet/gate/shard.h"

#include <gmock/gmock.h>

#include <map>

namespace tenet::gate {
namespace {

using Variables = std::map<std::string, std::string>;

Result<Shard> read(const std::string& text, const Variables& variables = {}) {
  return read_shard(text, [&](const std::string& name) {
    const auto at = variables.find(name);
    return at == variables.end() ? std::string() : at->second;
  });
}

TEST(Shards, AreWrittenAsPartOfHowMany) {
  EXPECT_EQ(read("2/5"), (Shard{2, 5}));
  for (const char* wrong :
       {"", "2", "0/5", "6/5", "1/0", "a/5", "1/", "/5", "-1/5", "1/5/6", "1/99999999999999999999"}) {
    EXPECT_FALSE(read(wrong)) << wrong;
  }
}

TEST(Shards, TakeEveryPieceOnce) {
  for (std::size_t position = 0; position < 20; ++position) {
    int takers = 0;
    for (std::size_t index = 1; index <= 3; ++index) takers += Shard{index, 3}.takes(position) ? 1 : 0;
    EXPECT_EQ(takers, 1);
  }
}

TEST(Shards, ComeFromGitLab) {
  EXPECT_EQ(read("auto", {{"CI_NODE_INDEX", "3"}, {"CI_NODE_TOTAL", "4"}}), (Shard{3, 4}));
  EXPECT_FALSE(read("auto", {{"CI_NODE_INDEX", "3"}}));
  EXPECT_FALSE(read("auto", {{"CI_NODE_INDEX", "x"}, {"CI_NODE_TOTAL", "4"}}));
  EXPECT_FALSE(read("auto/5", {{"CI_NODE_INDEX", "3"}, {"CI_NODE_TOTAL", "4"}}));
}

TEST(Shards, ComeFromSlurm) {
  Variables task{{"SLURM_ARRAY_TASK_ID", "14"},
                 {"SLURM_ARRAY_TASK_MIN", "10"},
                 {"SLURM_ARRAY_TASK_COUNT", "3"},
                 {"SLURM_ARRAY_TASK_STEP", "2"}};
  EXPECT_EQ(read("auto", task), (Shard{3, 3}));
  task["SLURM_ARRAY_TASK_ID"] = "13";
  EXPECT_FALSE(read("auto", task)) << "between two steps";
  task["SLURM_ARRAY_TASK_ID"] = "16";
  EXPECT_FALSE(read("auto", task)) << "beyond the last";
}

TEST(Shards, ComeFromKubernetesThatDoesNotCount) {
  EXPECT_EQ(read("auto/4", {{"JOB_COMPLETION_INDEX", "0"}}), (Shard{1, 4}));
  EXPECT_EQ(read("auto/4", {{"JOB_COMPLETION_INDEX", "3"}}), (Shard{4, 4}));
  EXPECT_FALSE(read("auto/4", {{"JOB_COMPLETION_INDEX", "4"}}));
  EXPECT_FALSE(read("auto", {{"JOB_COMPLETION_INDEX", "0"}}));
}

TEST(Shards, AreNotGuessed) {
  EXPECT_FALSE(read("auto"));
  EXPECT_FALSE(read("auto/2", {{"JOB_COMPLETION_INDEX", "0"}, {"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "2"}}));
}

}  // namespace
}  // namespace tenet::gate
