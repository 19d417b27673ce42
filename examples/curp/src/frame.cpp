#include "frame.h"

namespace curp {

std::string frame(const Message& message) {
  const std::string body = encode(message);
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(body.size() >> shift));
  return bytes + body;
}

bool FrameParser::feed(std::string_view bytes, const std::function<void(Message&&)>& take) {
  rest_ += bytes;
  std::string_view rest = rest_;
  while (rest.size() >= 4) {
    std::size_t size = 0;
    for (unsigned i = 0; i < 4; ++i) size |= std::size_t{static_cast<unsigned char>(rest[i])} << (8 * i);
    if (size > kLongestFrame) return false;
    if (rest.size() < 4 + size) break;
    Message message;
    if (!decode(rest.substr(4, size), message)) return false;
    rest.remove_prefix(4 + size);
    take(std::move(message));
  }
  rest_.erase(0, rest_.size() - rest.size());
  return true;
}

}  // namespace curp
