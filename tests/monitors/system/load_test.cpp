#include "tenet/system/load.h"

#include <gtest/gtest.h>

namespace tenet::system {
namespace {

/// A workload whose clock is set by hand.
struct Timed {
  explicit Timed(const Load& load) : work(load, [this] { return now; }) {}
  Microseconds now = 0;
  Workload work;
};

TEST(Load, CountsLatencyFromWhenAnOperationFellDue) {
  Load load;
  load.operations = 2;
  load.rate = 100;
  Timed timed(load);
  timed.now = 5'000;
  const auto waited = timed.work.begin(0, 1'000);
  timed.now = 7'000;
  timed.work.finish(*waited, 1, "");
  const auto at_once = timed.work.begin(0);
  timed.now = 8'000;
  timed.work.finish(*at_once, 2, "");
  const Report report = timed.work.report();
  EXPECT_EQ(report.history[0].called, 5'000u) << "a history tells calls, not what fell due";
  EXPECT_EQ(report.put_latency, (std::vector<Microseconds>{1'000, 6'000}));
  EXPECT_EQ(report.quantile_all(1), 6'000);
  EXPECT_FALSE(timed.work.begin(0).has_value());
}

TEST(Load, FallsDueAtItsRateAndTheSameForASeed) {
  Load load;
  load.rate = 1'000;
  Timed one(load);
  Timed other(load);
  constexpr int kGaps = 20'000;
  double sum = 0;
  for (int i = 0; i < kGaps; ++i) {
    const Microseconds gap = one.work.gap();
    ASSERT_EQ(gap, other.work.gap());
    sum += static_cast<double>(gap);
  }
  EXPECT_NEAR(sum / kGaps, 1'000, 30);
}

TEST(Load, DrawsTheSameOperationsWithAndWithoutARate) {
  Load closed;
  closed.operations = 50;
  closed.reads = 30;
  Load open = closed;
  open.rate = 10;
  Timed one(closed);
  Timed other(open);
  for (std::uint32_t i = 0; i < closed.operations; ++i) {
    (void)other.work.gap();
    const auto a = one.work.begin(i);
    const auto b = other.work.begin(i, 1);
    ASSERT_EQ(one.work.operation(*a).key, other.work.operation(*b).key);
    ASSERT_EQ(one.work.operation(*a).put, other.work.operation(*b).put);
  }
}

}  // namespace
}  // namespace tenet::system
