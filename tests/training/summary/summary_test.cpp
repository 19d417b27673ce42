#include "tenet/training/summary.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Element>
tenet_summary of(const std::vector<Element>& values, tenet_dtype dtype, std::vector<std::int64_t> sizes,
                 std::vector<std::int64_t> strides = {}, int flags = 0) {
  tenet_summary summary{};
  EXPECT_EQ(TENET_SUMMARY_OK, tenet_summarise(values.data(), dtype, static_cast<int>(sizes.size()), sizes.data(),
                                              strides.empty() ? nullptr : strides.data(), flags, &summary));
  return summary;
}

std::vector<float> random_floats(std::size_t count, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& value : values) value = normal(generator);
  return values;
}

bool same(const tenet_summary& a, const tenet_summary& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

TEST(Summary, HashIsTheDocumentedOneAtEveryLength) {
  const auto values = random_floats(20000);
  for (std::int64_t count : {0, 1, 2, 3, 59, 60, 61, 255, 4095, 4096, 4097, 8192, 12288, 19999}) {
    const auto summary = of(values, TENET_FLOAT32, {count});
    EXPECT_EQ(XXH3_64bits(values.data(), static_cast<std::size_t>(count) * 4), summary.hash) << count;
    EXPECT_EQ(static_cast<std::uint64_t>(count), summary.count);
  }
}

TEST(Summary, StatisticsAgreeWithAPlainLoop) {
  for (std::size_t count : {1u, 7u, 16u, 17u, 4096u, 5000u, 100003u}) {
    const auto values = random_floats(count);
    long double squares = 0, sum = 0;
    double low = inf, high = -inf;
    for (float value : values) {
      squares += static_cast<long double>(value) * value;
      sum += value;
      low = std::min<double>(low, value);
      high = std::max<double>(high, value);
    }
    const auto summary = of(values, TENET_FLOAT32, {static_cast<std::int64_t>(count)});
    EXPECT_NEAR(static_cast<double>(std::sqrt(squares)), summary.norm, 1e-9 * summary.norm);
    EXPECT_NEAR(static_cast<double>(sum), summary.sum, 1e-9 * static_cast<double>(count));
    EXPECT_EQ(low, summary.min);
    EXPECT_EQ(high, summary.max);
  }
}

TEST(Summary, AnyChangedElementChangesTheHash) {
  auto values = random_floats(3 * 128 * 7);
  const auto before = of(values, TENET_FLOAT32, {3, 128, 7});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float kept = values[i];
    values[i] = std::nextafter(kept, 1000.0f);
    EXPECT_NE(before.hash, of(values, TENET_FLOAT32, {3, 128, 7}).hash) << i;
    values[i] = kept;
  }
  EXPECT_TRUE(same(before, of(values, TENET_FLOAT32, {3, 128, 7})));
}

TEST(Summary, LayoutDoesNotMatter) {
  const std::int64_t n = 3, c = 5, h = 70, w = 31;
  const auto plain = random_floats(static_cast<std::size_t>(n * c * h * w));
  std::vector<float> last(plain.size());
  std::vector<float> sliced(static_cast<std::size_t>(n * c * h * (2 * w + 3)), 7.0f);
  for (std::int64_t a = 0; a < n; ++a)
    for (std::int64_t b = 0; b < c; ++b)
      for (std::int64_t y = 0; y < h; ++y)
        for (std::int64_t x = 0; x < w; ++x) {
          const float value = plain[static_cast<std::size_t>(((a * c + b) * h + y) * w + x)];
          last[static_cast<std::size_t>(((a * h + y) * w + x) * c + b)] = value;
          sliced[static_cast<std::size_t>(((a * c + b) * h + y) * (2 * w + 3) + 2 * x)] = value;
        }
  const auto expected = of(plain, TENET_FLOAT32, {n, c, h, w});
  EXPECT_TRUE(same(expected, of(last, TENET_FLOAT32, {n, c, h, w}, {h * w * c, 1, w * c, c})));
  const std::int64_t row = 2 * w + 3;
  EXPECT_TRUE(same(expected, of(sliced, TENET_FLOAT32, {n, c, h, w}, {c * h * row, h * row, row, 2})));
  EXPECT_TRUE(same(expected, of(plain, TENET_FLOAT32, {n * c, 1, h * w}, {h * w, 12345, 1})));
}

TEST(Summary, AnExpandedTensorHashesAsItsElements) {
  const std::vector<float> one{2.5f};
  const std::vector<float> many(600, 2.5f);
  EXPECT_TRUE(same(of(many, TENET_FLOAT32, {20, 30}), of(one, TENET_FLOAT32, {20, 30}, {0, 0})));
}

TEST(Summary, NoDimensionsAndNoElements) {
  const std::vector<float> three{3.0f};
  const auto scalar = of(three, TENET_FLOAT32, {});
  EXPECT_EQ(1u, scalar.count);
  EXPECT_EQ(3.0, scalar.norm);
  EXPECT_EQ(3.0, scalar.min);

  const std::int64_t sizes[2] = {4, 0};
  tenet_summary empty{};
  ASSERT_EQ(TENET_SUMMARY_OK, tenet_summarise(nullptr, TENET_FLOAT32, 2, sizes, nullptr, 0, &empty));
  EXPECT_EQ(0u, empty.count);
  EXPECT_EQ(0.0, empty.norm);
  EXPECT_TRUE(std::isnan(empty.min));
  EXPECT_TRUE(std::isnan(empty.max));
  EXPECT_EQ(XXH3_64bits(nullptr, 0), empty.hash);
}

TEST(Summary, NanAndInfinityAreCountedAndKeptOutOfTheNorm) {
  std::vector<float> values(10000, 1.0f);
  values[17] = std::numeric_limits<float>::quiet_NaN();
  values[9000] = std::numeric_limits<float>::infinity();
  values[9999] = -std::numeric_limits<float>::infinity();
  const auto summary = of(values, TENET_FLOAT32, {10000});
  EXPECT_EQ(1u, summary.nan);
  EXPECT_EQ(2u, summary.inf);
  EXPECT_EQ(std::sqrt(9997.0), summary.norm);
  EXPECT_EQ(9997.0, summary.sum);
  EXPECT_EQ(-inf, summary.min);
  EXPECT_EQ(inf, summary.max);

  const std::vector<double> only{nan, nan};
  const auto none = of(only, TENET_FLOAT64, {2});
  EXPECT_EQ(2u, none.nan);
  EXPECT_TRUE(std::isnan(none.min));
  EXPECT_EQ(0.0, none.norm);
}

TEST(Summary, WhatTheFirstRowHashCannotTellApart) {
  const auto hash = [](double value) { return of(std::vector<double>(4, value), TENET_FLOAT64, {4}).hash; };
  EXPECT_NE(hash(nan), hash(inf));
  EXPECT_NE(hash(1e12), hash(2e12));
  EXPECT_NE(hash(0.0), hash(1e-300));
  EXPECT_NE(hash(0.0), hash(-0.0));
}

TEST(Summary, EveryHalfValueIsReadExactly) {
  // All 65,536 patterns, one at a time, against the definition.
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const std::vector<std::uint16_t> value{static_cast<std::uint16_t>(bits)};
    const unsigned exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
    const auto half = of(value, TENET_FLOAT16, {1});
    if (exponent == 31) {
      EXPECT_EQ(fraction != 0 ? 1u : 0u, half.nan) << bits;
      EXPECT_EQ(fraction == 0 ? 1u : 0u, half.inf) << bits;
    } else {
      EXPECT_EQ((bits & 0x8000) != 0 ? -magnitude : magnitude, half.min) << bits;
      EXPECT_EQ(half.min, half.max);
    }
  }
  std::vector<std::uint16_t> many(64);  // through the vector loop
  for (unsigned i = 0; i < 64; ++i) many[i] = static_cast<std::uint16_t>(0x0001 + i * 0x1e1);
  double high = 0;
  for (auto bits : many) high = std::max(high, of(std::vector<std::uint16_t>{bits}, TENET_FLOAT16, {1}).max);
  EXPECT_EQ(high, of(many, TENET_FLOAT16, {64}).max);
}

TEST(Summary, BrainFloatBoolIntegersAndComplex) {
  const std::vector<std::uint16_t> brain{0x3f80, 0xc000, 0x7fc0, 0x7f80};  // 1, -2, NaN, inf
  const auto b = of(brain, TENET_BFLOAT16, {4});
  EXPECT_EQ(std::sqrt(5.0), b.norm);
  EXPECT_EQ(1u, b.nan);
  EXPECT_EQ(1u, b.inf);
  EXPECT_EQ(-2.0, b.min);

  const std::vector<std::uint8_t> truth{0, 1, 1, 0, 1};
  const auto t = of(truth, TENET_BOOL, {5});
  EXPECT_EQ(3.0, t.sum);
  EXPECT_EQ(0.0, t.min);
  EXPECT_EQ(1.0, t.max);

  const std::vector<std::int8_t> small{-128, 127, 0};
  EXPECT_EQ(-128.0, of(small, TENET_INT8, {3}).min);
  EXPECT_EQ(255.0, of(std::vector<std::uint8_t>{255, 1}, TENET_UINT8, {2}).max);
  EXPECT_EQ(-300.0, of(std::vector<std::int16_t>{-300}, TENET_INT16, {1}).sum);
  EXPECT_EQ(-2147483648.0, of(std::vector<std::int32_t>{INT32_MIN, 5}, TENET_INT32, {2}).min);
  EXPECT_EQ(3.0, of(std::vector<std::int64_t>{1, 2}, TENET_INT64, {2}).sum);

  const std::vector<float> parts{3, 4, std::numeric_limits<float>::quiet_NaN(), 1};
  const auto c = of(parts, TENET_COMPLEX64, {2});
  EXPECT_EQ(2u, c.count);
  EXPECT_EQ(1u, c.nan);
  EXPECT_EQ(std::sqrt(26.0), c.norm);
  EXPECT_EQ(4.0, c.max);
  EXPECT_EQ(5.0, of(std::vector<double>{3, 4}, TENET_COMPLEX128, {1}).norm);
}

TEST(Summary, LazyConjugateAndNegationAreSummarisedAsMeant) {
  const std::vector<float> stored{1, 2, 3, -4}, conjugate{1, -2, 3, 4}, negated{-1, -2, -3, 4};
  EXPECT_TRUE(same(of(conjugate, TENET_COMPLEX64, {2}), of(stored, TENET_COMPLEX64, {2}, {}, TENET_SUMMARY_CONJUGATE)));
  EXPECT_TRUE(same(of(negated, TENET_FLOAT32, {4}), of(stored, TENET_FLOAT32, {4}, {}, TENET_SUMMARY_NEGATE)));
  const std::vector<float> both{-1, 2, -3, -4};
  EXPECT_TRUE(same(of(both, TENET_COMPLEX64, {2}),
                   of(stored, TENET_COMPLEX64, {2}, {}, TENET_SUMMARY_CONJUGATE | TENET_SUMMARY_NEGATE)));
}

TEST(Summary, BadInputIsRefused) {
  tenet_summary out{};
  const float value = 1;
  const std::int64_t negative = -1, one = 1, huge[2] = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  EXPECT_EQ(TENET_SUMMARY_EINVAL, tenet_summarise(nullptr, TENET_FLOAT32, 1, &one, nullptr, 0, &out));
  EXPECT_EQ(TENET_SUMMARY_EINVAL, tenet_summarise(&value, TENET_FLOAT32, 1, &negative, nullptr, 0, &out));
  EXPECT_EQ(TENET_SUMMARY_EINVAL, tenet_summarise(&value, TENET_DTYPE_COUNT, 1, &one, nullptr, 0, &out));
  EXPECT_EQ(TENET_SUMMARY_EINVAL, tenet_summarise(&value, TENET_FLOAT32, 1, nullptr, nullptr, 0, &out));
  EXPECT_EQ(TENET_SUMMARY_EINVAL, tenet_summarise(&value, TENET_FLOAT32, 1, &one, nullptr, 0, nullptr));
  EXPECT_EQ(TENET_SUMMARY_ETOOBIG, tenet_summarise(&value, TENET_FLOAT32, 2, huge, nullptr, 0, &out));
  EXPECT_EQ(TENET_SUMMARY_ETOOBIG, tenet_summarise(&value, TENET_FLOAT32, 65, huge, nullptr, 0, &out));
}

}  // namespace
