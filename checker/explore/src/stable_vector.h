/// A growing table that can be read without a lock while it grows.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tenet::explore {

/// Appending needs a lock of the caller's; elements never move. An element may
/// be read by whoever learned its index through something synchronised (the
/// size itself, a message, a published pointer).
template <class T>
class StableVector {
 public:
  StableVector() = default;
  StableVector(const StableVector&) = delete;
  StableVector& operator=(const StableVector&) = delete;
  ~StableVector() {
    for (auto& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
  }

  [[nodiscard]] std::uint32_t size() const { return size_.load(std::memory_order_acquire); }
  [[nodiscard]] T& operator[](std::uint32_t index) const {
    const auto [chunk, place] = locate(index);
    return chunks_[chunk].load(std::memory_order_acquire)[place];
  }
  /// The next element, to be filled in before `publish`.
  T& next() {
    const auto [chunk, place] = locate(size_.load(std::memory_order_relaxed));
    T* elements = chunks_[chunk].load(std::memory_order_relaxed);
    if (elements == nullptr) {
      elements = new T[std::size_t{kFirst} << chunk]();
      chunks_[chunk].store(elements, std::memory_order_release);
    }
    return elements[place];
  }
  std::uint32_t publish() { return size_.fetch_add(1, std::memory_order_release); }

 private:
  static constexpr std::uint32_t kFirst = 16;
  struct Place {
    unsigned chunk;
    std::size_t index;
  };
  /// Chunk c holds kFirst << c elements.
  static Place locate(std::uint32_t index) {
    const std::uint64_t shifted = std::uint64_t{index} + kFirst;
    const auto chunk = static_cast<unsigned>(std::bit_width(shifted / kFirst)) - 1;
    return {chunk, static_cast<std::size_t>(shifted - (std::uint64_t{kFirst} << chunk))};
  }
  std::array<std::atomic<T*>, 28> chunks_{};
  std::atomic<std::uint32_t> size_{0};
};

}  // namespace tenet::explore
