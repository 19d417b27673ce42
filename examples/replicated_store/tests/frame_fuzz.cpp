// Bytes of a connection: whatever they are, they are taken or refused, and what is taken can be said again.
#include <cstdint>
#include <cstdlib>

#include "message.h"
#include "tenet/system/cluster.h"
#include "tenet/system/frame.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  tenet::system::FrameParser parser;
  std::string taken;
  // In two pieces, as they may come.
  const auto take = [&](std::string_view body) {
    tenet::system::Reader reader(body);
    tenet::system::Peer from = 0;
    reader(from);
    replicated::Message message;
    if (!reader.good || !decode(reader.rest, message)) return false;
    taken += tenet::system::enveloped(from, encode(message));
    return true;
  };
  const bool good = parser.feed(bytes.substr(0, size / 2), take) && parser.feed(bytes.substr(size / 2), take);
  if (good && bytes.substr(0, taken.size()) != taken) std::abort();
  return 0;
}
