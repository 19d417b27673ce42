#include "message.h"

#include <array>

#include "tenet/system/wire.h"

namespace curp {

using tenet::system::each;

// What each struct consists of, for both directions.
void fields(auto& a, Op& v) { each(a, v.client, v.number, v.key); }
void fields(auto& a, Request& v) { each(a, v.op, v.value); }
void fields(auto& a, Entry& v) { each(a, v.request, v.version); }
void fields(auto& a, Node& v) { each(a, v.kind, v.index); }
void fields(auto& a, Name& v) { each(a, v.host, v.sequence); }
void fields(auto& a, Update& v) { each(a, v.request, v.list, v.sync); }
void fields(auto& a, Record& v) { each(a, v.request, v.list); }
void fields(auto& a, Accepted& v) { each(a, v.op, v.list); }
void fields(auto& a, Result& v) { each(a, v.op, v.version, v.list, v.synced); }
void fields(auto& a, Read& v) { each(a, v.number, v.key); }
void fields(auto& a, Value& v) { each(a, v.number, v.key, v.value, v.version, v.list); }
void fields(auto& a, Replicate& v) { each(a, v.start, v.entries); }
void fields(auto& a, Replicated& v) { each(a, v.count); }
void fields(auto& a, Collect& v) { each(a, v.list, v.op); }
void fields(auto& a, Promote& v) { each(a, v.boot, v.list, v.backup, v.witness); }
void fields(auto&, Fetch&) {}
void fields(auto& a, Backlog& v) { each(a, v.entries); }
void fields(auto& a, Freeze& v) { each(a, v.list); }
void fields(auto& a, Saved& v) { each(a, v.list, v.requests); }
void fields(auto& a, Install& v) { each(a, v.list, v.witnesses); }
void fields(auto& a, Start& v) { each(a, v.list); }
void fields(auto& a, Installed& v) { each(a, v.list); }
void fields(auto& a, Config& v) { each(a, v.list, v.process, v.witnesses); }
void fields(auto& a, Refused& v) { each(a, v.op, v.list, v.why); }
void fields(auto& a, Lacks& v) { each(a, v.count); }
void fields(auto&, Deposed&) {}
void fields(auto&, Recovered&) {}
void fields(auto&, AskConfig&) {}
void fields(auto& a, Heartbeat& v) { each(a, v.boot, v.sent); }
void fields(auto& a, Lease& v) { each(a, v.sent); }
void fields(auto& a, Stuck& v) { each(a, v.op); }

std::string to_string(Node node) {
  static constexpr std::array<const char*, 5> kNames = {"client", "coordinator", "master", "backup", "witness"};
  return kNames.at(static_cast<std::size_t>(node.kind)) + std::to_string(node.index);
}

std::string encode(const Message& message) {
  tenet::system::Writer writer;
  writer(message.from);
  writer(message.epoch);
  writer(message.name);
  tenet::system::write_variant(writer, message.body);
  return std::move(writer.bytes);
}

bool decode(std::string_view bytes, Message& message) {
  tenet::system::Reader reader(bytes);
  reader(message.from);
  reader(message.epoch);
  reader(message.name);
  tenet::system::read_variant(reader, message.body);
  return reader.done();
}

std::string encode(const Entry& entry) { return tenet::system::encoded(entry); }
bool decode(std::string_view bytes, Entry& entry) { return tenet::system::decoded(bytes, entry); }
std::string encode(const Request& request) { return tenet::system::encoded(request); }
bool decode(std::string_view bytes, Request& request) { return tenet::system::decoded(bytes, request); }

}  // namespace curp
