#include "tenet/training/summary.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "kernel.hpp"

namespace tenet::training::summary {
namespace {

constexpr std::size_t most_dimensions = 64;
constexpr std::int64_t most_elements = std::int64_t{1} << 60;

struct Shape {
  std::size_t dimensions = 0;
  std::array<std::int64_t, most_dimensions> sizes;
  std::array<std::int64_t, most_dimensions> strides;
};

// The same elements in the same order with as few dimensions as possible.
Shape coalesced(std::size_t dimensions, const std::int64_t* sizes, const std::int64_t* strides) {
  Shape shape;
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (sizes[i] == 1) continue;
    if (shape.dimensions > 0 && shape.strides[shape.dimensions - 1] == sizes[i] * strides[i]) {
      shape.sizes[shape.dimensions - 1] *= sizes[i];
      shape.strides[shape.dimensions - 1] = strides[i];
    } else {
      shape.sizes[shape.dimensions] = sizes[i];
      shape.strides[shape.dimensions] = strides[i];
      ++shape.dimensions;
    }
  }
  return shape;
}

class Contiguous final : public Blocks {
 public:
  Contiguous(const std::byte* data, std::size_t bytes) : rest_(data, bytes) {}

  std::span<const std::byte> next() override {
    const auto block = rest_.first(std::min(rest_.size(), block_bytes));
    rest_ = rest_.subspan(block.size());
    return block;
  }

 private:
  std::span<const std::byte> rest_;
};

// Copies the elements of a strided tensor together, one block at a time.
template <class Element>
class Gathered final : public Blocks {
 public:
  Gathered(const std::byte* data, const Shape& shape, std::int64_t count)
      : data_(data), shape_(shape), left_(count), inner_(shape.sizes[shape.dimensions - 1]) {
    index_.fill(0);
  }

  std::span<const std::byte> next() override {
    constexpr auto room = static_cast<std::int64_t>(block_bytes / sizeof(Element));
    const std::int64_t wanted = std::min(left_, room);
    const std::size_t last = shape_.dimensions - 1;
    std::int64_t filled = 0;
    while (filled < wanted) {
      const std::int64_t run = std::min(wanted - filled, inner_ - index_[last]);
      copy(row_ + index_[last] * shape_.strides[last], shape_.strides[last], run, filled);
      filled += run;
      index_[last] += run;
      if (index_[last] == inner_) advance();
    }
    left_ -= wanted;
    return {reinterpret_cast<const std::byte*>(block_.data()), static_cast<std::size_t>(wanted) * sizeof(Element)};
  }

 private:
  static constexpr auto element_bytes = std::int64_t{sizeof(Element)};

  void copy(std::int64_t from, std::int64_t stride, std::int64_t run, std::int64_t to) {
    const std::byte* source = data_ + from * element_bytes;
    Element* target = block_.data() + to;
    if (stride == 1) {
      std::memcpy(target, source, static_cast<std::size_t>(run) * sizeof(Element));
      return;
    }
    const std::int64_t step = stride * element_bytes;
    for (std::int64_t i = 0; i < run; ++i, source += step) std::memcpy(target + i, source, sizeof(Element));
  }

  void advance() {
    std::size_t dimension = shape_.dimensions - 1;
    index_[dimension] = 0;
    while (dimension-- > 0) {
      row_ += shape_.strides[dimension];
      if (++index_[dimension] < shape_.sizes[dimension]) return;
      row_ -= index_[dimension] * shape_.strides[dimension];
      index_[dimension] = 0;
    }
  }

  const std::byte* data_;
  Shape shape_;
  std::int64_t left_;
  std::int64_t inner_;
  std::int64_t row_ = 0;
  std::array<std::int64_t, most_dimensions> index_;
  alignas(64) std::array<Element, block_bytes / sizeof(Element)> block_;
};

struct Bytes16 {
  std::uint64_t first, second;
};

template <class Element>
void gather(Kernel kernel, const std::byte* data, const Shape& shape, std::int64_t count, tenet_dtype dtype, int flags,
            tenet_summary& out) {
  Gathered<Element> blocks(data, shape, count);
  kernel(blocks, dtype, flags, out);
}

struct Choice {
  Kernel kernel;
  const char* name;
};

Choice choose() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool fma = __builtin_cpu_supports("avx2") != 0;
  if (fma && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0) {
    return {avx512_kernel, "avx512"};
  }
  if (fma) return {avx2_kernel, "avx2"};
#endif
  return {baseline_kernel, "baseline"};
}

const Choice& chosen() {
  static const Choice choice = choose();
  return choice;
}

int summarise(const void* data, tenet_dtype dtype, std::size_t dimensions, const std::int64_t* sizes,
              const std::int64_t* strides, int flags, Kernel kernel, tenet_summary& out) {
  if (dimensions > most_dimensions) return TENET_SUMMARY_ETOOBIG;
  if (dimensions > 0 && sizes == nullptr) return TENET_SUMMARY_EINVAL;
  const std::int64_t element = tenet_dtype_size(dtype);
  if (element == 0) return TENET_SUMMARY_EINVAL;

  std::int64_t count = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (sizes[i] < 0) return TENET_SUMMARY_EINVAL;
    if (sizes[i] == 0) count = 0;
  }
  for (std::size_t i = 0; i < dimensions && count != 0; ++i) {
    if (sizes[i] > most_elements / count) return TENET_SUMMARY_ETOOBIG;
    count *= sizes[i];
  }
  if (count > 0 && data == nullptr) return TENET_SUMMARY_EINVAL;
  out.count = static_cast<std::uint64_t>(count);

  const auto* bytes = static_cast<const std::byte*>(data);
  std::array<std::int64_t, most_dimensions> packed;
  if (strides == nullptr) {
    std::int64_t stride = 1;
    for (std::size_t i = dimensions; i-- > 0;) {
      packed[i] = stride;
      stride *= std::max<std::int64_t>(sizes[i], 1);
    }
    strides = packed.data();
  }
  const Shape shape = count == 0 ? Shape{} : coalesced(dimensions, sizes, strides);
  if (shape.dimensions == 0 || (shape.dimensions == 1 && shape.strides[0] == 1)) {
    Contiguous blocks(bytes, static_cast<std::size_t>(count * element));
    kernel(blocks, dtype, flags, out);
    return TENET_SUMMARY_OK;
  }
  switch (element) {
    case 1:
      gather<std::uint8_t>(kernel, bytes, shape, count, dtype, flags, out);
      break;
    case 2:
      gather<std::uint16_t>(kernel, bytes, shape, count, dtype, flags, out);
      break;
    case 4:
      gather<std::uint32_t>(kernel, bytes, shape, count, dtype, flags, out);
      break;
    case 8:
      gather<std::uint64_t>(kernel, bytes, shape, count, dtype, flags, out);
      break;
    default:
      gather<Bytes16>(kernel, bytes, shape, count, dtype, flags, out);
      break;
  }
  return TENET_SUMMARY_OK;
}

}  // namespace
}  // namespace tenet::training::summary

extern "C" {

int tenet_summarise(const void* data, tenet_dtype dtype, int dimensions, const int64_t* sizes, const int64_t* strides,
                    int flags, tenet_summary* out) {
  if (out == nullptr || dimensions < 0) return TENET_SUMMARY_EINVAL;
  using namespace tenet::training::summary;
  return summarise(data, dtype, static_cast<std::size_t>(dimensions), sizes, strides, flags, chosen().kernel, *out);
}

int tenet_dtype_size(tenet_dtype dtype) {
  switch (dtype) {
    case TENET_INT8:
    case TENET_UINT8:
    case TENET_BOOL:
      return 1;
    case TENET_FLOAT16:
    case TENET_BFLOAT16:
    case TENET_INT16:
      return 2;
    case TENET_FLOAT32:
    case TENET_INT32:
    case TENET_COMPLEX32:
      return 4;
    case TENET_FLOAT64:
    case TENET_INT64:
    case TENET_COMPLEX64:
      return 8;
    case TENET_COMPLEX128:
      return 16;
    case TENET_DTYPE_COUNT:
      break;
  }
  return 0;
}

const char* tenet_summary_instructions(void) { return tenet::training::summary::chosen().name; }

}  // extern "C"
