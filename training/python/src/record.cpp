#include "record.hpp"

#include <unordered_map>

namespace tenet::training::collect {

Trace& trace() {
  static Trace instance;
  return instance;
}

void Name::intern() const {
  epoch_ = trace().epoch;
  id_ = tenet_trace_string(trace().handle, text_.data(), text_.size());
}

std::uint32_t Fields::layout() const {
  if (count_ == 0) return 0;
  std::uint64_t signature = count_;
  for (std::size_t i = 0; i < count_; ++i) {
    signature = (signature ^ (std::uint64_t{keys_[i]} << 8 | types_[i])) * 0x9e3779b97f4a7c15u;
    signature ^= signature >> 29;
  }
  // Signatures of 64 bits: among a million layouts, a clash has a chance of one in tens of millions.
  static std::unordered_map<std::uint64_t, std::uint32_t> known;
  static std::uint32_t epoch = 0;
  if (epoch != trace().epoch) {
    known.clear();
    epoch = trace().epoch;
  }
  const auto found = known.find(signature);
  if (found != known.end()) return found->second;
  const std::uint32_t id = tenet_trace_layout(trace().handle, keys_, types_, count_);
  if (id != 0) known.emplace(signature, id);
  return id;
}

}  // namespace tenet::training::collect
