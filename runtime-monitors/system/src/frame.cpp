#include "tenet/system/frame.h"

namespace tenet::system {

std::string frame(std::string_view body) {
  std::string bytes;
  bytes.reserve(4 + body.size());
  for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(body.size() >> shift));
  return bytes += body;
}

bool FrameParser::feed(std::string_view bytes, const std::function<bool(std::string_view)>& take) {
  rest_ += bytes;
  std::string_view rest = rest_;
  while (rest.size() >= 4) {
    std::size_t size = 0;
    for (unsigned i = 0; i < 4; ++i) size |= std::size_t{static_cast<unsigned char>(rest[i])} << (8 * i);
    if (size > kLongestFrame) return false;
    if (rest.size() < 4 + size) break;
    if (!take(rest.substr(4, size))) return false;
    rest.remove_prefix(4 + size);
  }
  rest_.erase(0, rest_.size() - rest.size());
  return true;
}

}  // namespace tenet::system
