// All vector widths give the same bits. Reaches into the library, since the public function picks one by itself.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernel.hpp"

namespace tenet::training::summary {
namespace {

class Memory final : public Blocks {
 public:
  Memory(const std::vector<std::byte>& bytes, std::size_t length) : rest_(bytes.data(), length) {}
  std::span<const std::byte> next() override {
    const auto block = rest_.first(std::min(rest_.size(), block_bytes));
    rest_ = rest_.subspan(block.size());
    return block;
  }

 private:
  std::span<const std::byte> rest_;
};

tenet_summary run(Kernel kernel, const std::vector<std::byte>& bytes, std::size_t length, tenet_dtype dtype) {
  tenet_summary out{};
  Memory blocks(bytes, length);
  kernel(blocks, dtype, 0, out);
  return out;
}

TEST(Instructions, AllWidthsAgreeBitForBit) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  std::vector<Kernel> others;
  if (__builtin_cpu_supports("avx2")) others.push_back(avx2_kernel);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    others.push_back(avx512_kernel);
  }
  if (others.empty()) GTEST_SKIP() << "this processor has only the baseline";
  std::mt19937_64 generator(7);
  std::vector<std::byte> bytes(50000);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(generator());  // random bits: NaN, Inf, subnormals
  for (int dtype = 0; dtype < TENET_DTYPE_COUNT; ++dtype) {
    for (std::size_t length : {0u, 16u, 160u, 4096u, 16384u, 16400u, 49984u}) {
      const auto expected = run(baseline_kernel, bytes, length, static_cast<tenet_dtype>(dtype));
      for (Kernel kernel : others) {
        const auto actual = run(kernel, bytes, length, static_cast<tenet_dtype>(dtype));
        EXPECT_EQ(0, std::memcmp(&expected, &actual, sizeof expected)) << dtype << ' ' << length;
      }
    }
  }
  std::normal_distribution<float> normal;
  std::vector<std::byte> finite(40000);
  for (std::size_t i = 0; i < finite.size(); i += 4) {
    const float value = normal(generator);
    std::memcpy(finite.data() + i, &value, 4);
  }
  const auto expected = run(baseline_kernel, finite, finite.size(), TENET_FLOAT32);
  for (Kernel kernel : others) {
    const auto actual = run(kernel, finite, finite.size(), TENET_FLOAT32);
    EXPECT_EQ(0, std::memcmp(&expected, &actual, sizeof expected));
  }
#else
  GTEST_SKIP() << "one instruction set only";
#endif
}

}  // namespace
}  // namespace tenet::training::summary
