#include "message.h"

#include "fields.h"

namespace replicated {

std::string to_string(Node node) {
  return (node.kind == Kind::replica ? "replica" : "client") + std::to_string(node.index);
}

std::string encode(const Message& message) {
  tenet::system::Writer writer;
  writer(message.from);
  writer(message.name);
  tenet::system::write_variant(writer, message.body);
  return std::move(writer.bytes);
}

bool decode(std::string_view bytes, Message& message) {
  tenet::system::Reader reader(bytes);
  reader(message.from);
  reader(message.name);
  tenet::system::read_variant(reader, message.body);
  return reader.done() && message.from.index < kClients;
}

std::string encode(const Batch& batch) { return tenet::system::encoded(batch); }
bool decode(std::string_view bytes, Batch& batch) { return tenet::system::decoded(bytes, batch); }

}  // namespace replicated
