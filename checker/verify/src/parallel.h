/// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace tenet::verify {

/// Calls `work(0)` … `work(count - 1)`, each once, on up to `jobs` threads.
/// The order is free: results belong into slots by index.
template <class Work>
void parallel_for(std::size_t count, unsigned jobs, const Work& work) {
  const std::size_t threads = std::min<std::size_t>(std::max(1U, jobs), count);
  if (threads <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> pool;
  for (std::size_t t = 0; t < threads; ++t) {
    pool.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
  }
}

}  // namespace tenet::verify
