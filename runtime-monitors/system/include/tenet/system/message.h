/// Messages that a monitor knows by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "tenet/monitor/hook.h"
#include "tenet/system/wire.h"

namespace tenet::monitor {

void fields(auto& archive, MessageId& name) { tenet::system::each(archive, name.host, name.sequence); }

}  // namespace tenet::monitor

namespace tenet::system {

/// `Body` is a variant of structs that say by `fields` what they consist of (wire.h).
template <class Body>
struct Message {
  tenet::monitor::MessageId name;  ///< that the monitor gave it when it was sent; not known if it gave none
  Body body;
};

template <class Body>
[[nodiscard]] std::string encode(const Message<Body>& message) {
  Writer writer;
  writer(message.name);
  write_variant(writer, message.body);
  return std::move(writer.bytes);
}

/// False: these bytes are none of a message. Never throws, reads only `bytes`, needs memory in proportion to them.
template <class Body>
[[nodiscard]] bool decode(std::string_view bytes, Message<Body>& message) {
  Reader reader(bytes);
  reader(message.name);
  read_variant(reader, message.body);
  return reader.done();
}

}  // namespace tenet::system
