/// Messages in a stream of bytes: a frame is the length of a message (four bytes, the least first) and the message.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "message.h"

namespace curp {

[[nodiscard]] std::string frame(const Message& message);

/// Takes frames out of a stream of bytes.
class FrameParser {
 public:
  /// Calls `take` for every message that is complete; false: the stream is broken, and nothing more is taken.
  [[nodiscard]] bool feed(std::string_view bytes, const std::function<void(Message&&)>& take);

 private:
  std::string rest_;
};

}  // namespace curp
