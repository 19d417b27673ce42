#include <gmock/gmock.h>

#include <optional>

#include "report_codec.h"
#include "tenet/report/report.h"
#include "workspace.h"

namespace tenet::verify {
namespace {

class Cached : public testing::Workspace {
 protected:
  cache::Cache& open() {
    auto opened = cache::Cache::open((folder_ / "cache").string());
    EXPECT_TRUE(opened) << opened.error().message;
    cache_.emplace(std::move(*opened));
    return *cache_;
  }
  [[nodiscard]] Options options() {
    Options options;
    options.cache = &*cache_;
    options.build = "build 1";
    return options;
  }
  static bool all_cached(const result::RunResult& run) {
    bool any = false;
    for (const auto& file : run.files) {
      for (const auto& numbers : file.runs) {
        any = true;
        if (!numbers.cached) return false;
      }
    }
    return any;
  }
  static std::string shown(const result::RunResult& run) {
    report::Style style;
    style.deterministic = true;
    return report::json(run, style);
  }
  std::optional<cache::Cache> cache_;
};

TEST_F(Cached, SecondRunsGiveTheSameReportFromTheCache) {
  std::string wrong = testing::kLock;
  wrong.replace(wrong.find("free = false  "), 14, "");
  write("a.tenet", wrong);
  write("b.tenet", testing::kLock);
  open();
  const result::RunResult first = verify({folder_.string()}, options());
  EXPECT_FALSE(all_cached(first));
  const result::RunResult second = verify({folder_.string()}, options());
  EXPECT_TRUE(all_cached(second));
  EXPECT_EQ(shown(first), shown(second));
}

TEST_F(Cached, AnyChangeOfInputOptionsOrBuildIsAMiss) {
  const std::string path = write("lock.tenet", testing::kLock);
  open();
  (void)verify({path}, options());
  Options other = options();
  other.build = "build 2";
  EXPECT_FALSE(all_cached(verify({path}, other)));
  other = options();
  other.max_violations = 2;
  EXPECT_FALSE(all_cached(verify({path}, other)));
  other = options();
  other.properties = {"exclusive"};
  EXPECT_FALSE(all_cached(verify({path}, other)));
  std::string text = testing::kLock;
  text.replace(text.find("Client = 2"), 10, "Client = 3");
  EXPECT_FALSE(all_cached(verify({write("lock.tenet", text)}, options())));
  EXPECT_TRUE(all_cached(verify({write("lock.tenet", testing::kLock)}, options())));
}

TEST_F(Cached, UnfinishedRunsAreNotKept) {
  const std::string path = write("lock.tenet", testing::kLock);
  open();
  StopFlag stop;
  stop.request();
  Options stopped = options();
  stopped.stop = &stop;
  (void)verify({path}, stopped);
  EXPECT_FALSE(all_cached(verify({path}, options())));
}

TEST(ReportCodec, RefusesEverythingButWhatItWrote) {
  const ir::Protocol protocol;
  explore::Report report;
  report.states = 7;
  const std::string bytes = encode(report);
  ASSERT_TRUE(decode(bytes, protocol));
  EXPECT_EQ(decode(bytes, protocol)->states, 7U);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(decode(std::string_view(bytes).substr(0, length), protocol)) << length;
  }
  // Ids that the protocol does not have.
  report.never_enabled = {ir::StepId(3)};
  EXPECT_FALSE(decode(encode(report), protocol));
  EXPECT_FALSE(decode("garbage", protocol));
}

}  // namespace
}  // namespace tenet::verify
