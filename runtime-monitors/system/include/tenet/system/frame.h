/// Messages in a stream of bytes: a frame is the length of a message (four bytes, the least first) and the message.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tenet::system {

/// Longer frames are refused before anything is read of them.
constexpr std::size_t kLongestFrame = std::size_t{16} << 20;

[[nodiscard]] std::string frame(std::string_view body);

/// Takes frames out of a stream of bytes.
class FrameParser {
 public:
  /// Calls `take` for the body of every frame that is complete; false from it: that is no message. False: the stream is
  /// broken, and nothing more is to be taken from it.
  [[nodiscard]] bool feed(std::string_view bytes, const std::function<bool(std::string_view)>& take);

 private:
  std::string rest_;
};

}  // namespace tenet::system
