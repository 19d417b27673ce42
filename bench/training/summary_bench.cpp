// Bytes per second of one summary (hash and statistics) by element type, for a tensor that fits in the second-level
// cache, one that does not, and the layouts that have to be gathered.
#include <benchmark/benchmark.h>

#include <vector>

#include "tenet/training/summary.h"

namespace {

void contiguous(benchmark::State& state, tenet_dtype dtype) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::vector<unsigned char> memory(bytes + 64);
  for (std::size_t i = 0; i < bytes; ++i) memory[i] = static_cast<unsigned char>((i * 2654435761u >> 13) & 0x3f);
  const std::int64_t size = static_cast<std::int64_t>(bytes) / tenet_dtype_size(dtype);
  tenet_summary summary;
  for (auto _ : state) {
    tenet_summarise(memory.data(), dtype, 1, &size, nullptr, 0, &summary);
    benchmark::DoNotOptimize(summary);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
}

void channels_last(benchmark::State& state) {
  const std::int64_t channels = state.range(0);
  const std::int64_t sizes[4] = {4, channels, 28, 28};
  const std::int64_t strides[4] = {channels * 784, 1, channels * 28, channels};
  std::vector<float> memory(static_cast<std::size_t>(4 * channels * 784), 1.5f);
  tenet_summary summary;
  for (auto _ : state) {
    tenet_summarise(memory.data(), TENET_FLOAT32, 4, sizes, strides, 0, &summary);
    benchmark::DoNotOptimize(summary);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * memory.size() * 4));
}

constexpr std::int64_t tiny = 64, cached = 512 << 10, large = 64 << 20;
BENCHMARK_CAPTURE(contiguous, float32, TENET_FLOAT32)->Arg(tiny)->Arg(4096)->Arg(cached)->Arg(large);
BENCHMARK_CAPTURE(contiguous, float64, TENET_FLOAT64)->Arg(cached);
BENCHMARK_CAPTURE(contiguous, float16, TENET_FLOAT16)->Arg(cached);
BENCHMARK_CAPTURE(contiguous, bfloat16, TENET_BFLOAT16)->Arg(cached);
BENCHMARK_CAPTURE(contiguous, int64, TENET_INT64)->Arg(cached);
BENCHMARK_CAPTURE(contiguous, uint8, TENET_UINT8)->Arg(cached);
BENCHMARK(channels_last)->Arg(3)->Arg(64);

}  // namespace

BENCHMARK_MAIN();
