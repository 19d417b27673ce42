#include "json_lines.h"

#include <algorithm>
#include <cstring>

namespace tenet::training {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;
constexpr std::size_t kLongestLine = std::size_t{64} << 20U;

}  // namespace

bool JsonLines::refill() {
  if (offset_ >= input_->size() || filled_ - at_ > kLongestLine) return false;
  buffer_.erase(0, at_);
  filled_ -= at_;
  at_ = 0;
  buffer_.resize(filled_ + kPiece + simdjson::SIMDJSON_PADDING);
  const std::size_t got = input_->read(offset_, {reinterpret_cast<std::uint8_t*>(buffer_.data()) + filled_, kPiece});
  offset_ += got;
  filled_ += got;
  return got > 0;
}

bool JsonLines::next_line(std::size_t& begin, std::size_t& end) {
  std::size_t searched = at_;
  for (;;) {
    const void* found = filled_ > searched ? std::memchr(buffer_.data() + searched, '\n', filled_ - searched) : nullptr;
    if (found != nullptr) {
      begin = at_;
      end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      at_ = end + 1;
      return true;
    }
    searched = filled_ - at_;
    if (!refill()) break;
  }
  begin = at_;
  end = filled_;
  at_ = filled_;
  return begin != end;
}

bool JsonLines::next(simdjson::dom::object& out) {
  std::size_t begin = 0;
  std::size_t end = 0;
  while (next_line(begin, end)) {
    ++line_;
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (begin != end && is_space(buffer_[begin])) ++begin;
    if (begin == end) continue;
    const auto failed = parser_.parse(buffer_.data() + begin, end - begin, false).get_object().get(out);
    if (failed == simdjson::SUCCESS) return true;
    if (bad_++ == 0) first_bad_ = line_;
  }
  return false;
}

}  // namespace tenet::training
