#include "column.h"

#include <gtest/gtest.h>

#include <random>

namespace tenet::training {
namespace {

void expect_round_trip(const std::vector<std::uint64_t>& values, ColumnKind kind) {
  Bytes bytes;
  encode_column(values, kind, bytes);
  ByteReader in(bytes);
  std::vector<std::uint64_t> back(values.size());
  ASSERT_TRUE(decode_column(in, kind, back));
  EXPECT_EQ(back, values);
  EXPECT_EQ(in.remaining(), 0U);
}

TEST(Column, RoundTripsEveryShape) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> any(1000);
  for (auto& value : any) value = random();
  std::vector<std::uint64_t> rising(1000);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = 1'000'000'000'000 + 37 * i;
  for (const ColumnKind kind : {ColumnKind::integers, ColumnKind::words}) {
    expect_round_trip({}, kind);
    expect_round_trip({7}, kind);
    expect_round_trip({5, 5, 5, 5}, kind);
    expect_round_trip({0, UINT64_MAX, 1, UINT64_MAX - 1, 1ULL << 63U}, kind);
    expect_round_trip(any, kind);
    expect_round_trip(rising, kind);
  }
}

TEST(Column, ConstantsTakeAFewBytes) {
  Bytes bytes;
  encode_column(std::vector<std::uint64_t>(100'000, 3), ColumnKind::integers, bytes);
  EXPECT_LE(bytes.size(), 3U);
}

TEST(Column, RejectsEveryTruncation) {
  Bytes bytes;
  encode_column(std::vector<std::uint64_t>{1, 900, 77, 1ULL << 40U}, ColumnKind::integers, bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader in({bytes.data(), size});
    std::vector<std::uint64_t> back(4);
    EXPECT_FALSE(decode_column(in, ColumnKind::integers, back)) << size;
  }
}

}  // namespace
}  // namespace tenet::training
