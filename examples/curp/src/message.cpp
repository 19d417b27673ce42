#include "message.h"

#include <array>

namespace curp {

namespace {

/// Appends values; the mirror image of `Reader`.
class Writer {
 public:
  void operator()(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(value >> shift));
  }
  void operator()(std::uint32_t value) { (*this)(std::uint64_t{value}); }
  void operator()(bool value) { bytes.push_back(value ? 1 : 0); }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(E value) {
    bytes.push_back(static_cast<char>(value));
  }
  void operator()(const std::string& text) {
    (*this)(std::uint64_t{text.size()});
    bytes += text;
  }
  template <class T>
  void operator()(const std::vector<T>& all) {
    (*this)(std::uint64_t{all.size()});
    for (const T& one : all) (*this)(one);
  }
  template <class T>
    requires std::is_class_v<T>
  void operator()(const T& value) {
    // `fields` visits reading and writing alike, so it takes what it visits by reference.
    fields(*this, const_cast<T&>(value));
  }

  std::string bytes;
};

/// Takes values from bytes; after the first that is not there, `good` is false and nothing more is taken.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  void operator()(std::uint64_t& value) {
    value = 0;
    if (!has(8)) return;
    for (unsigned i = 0; i < 8; ++i) value |= std::uint64_t{static_cast<unsigned char>(rest[i])} << (8 * i);
    rest.remove_prefix(8);
  }
  void operator()(std::uint32_t& value) {
    std::uint64_t wide = 0;
    (*this)(wide);
    if (wide > UINT32_MAX) good = false;
    value = static_cast<std::uint32_t>(wide);
  }
  void operator()(bool& value) { value = byte(1) != 0; }
  void operator()(Kind& value) { value = static_cast<Kind>(byte(static_cast<unsigned char>(Kind::witness))); }
  void operator()(Why& value) { value = static_cast<Why>(byte(static_cast<unsigned char>(Why::no_room))); }
  void operator()(std::string& text) {
    std::uint64_t size = 0;
    (*this)(size);
    if (!has(size)) return;
    text.assign(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  template <class T>
  void operator()(std::vector<T>& all) {
    std::uint64_t size = 0;
    (*this)(size);
    // Every element takes at least eight bytes, so a wrong size costs no memory.
    if (size > rest.size() / 8) good = false;
    for (std::uint64_t i = 0; i < size && good; ++i) (*this)(all.emplace_back());
  }
  template <class T>
    requires std::is_class_v<T>
  void operator()(T& value) {
    fields(*this, value);
  }

  std::string_view rest;
  bool good = true;

 private:
  bool has(std::uint64_t bytes) { return good = good && bytes <= rest.size(); }
  unsigned char byte(unsigned char most) {
    if (!has(1)) return 0;
    const auto value = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    if (value > most) good = false;
    return good ? value : 0;
  }
};

// What each struct consists of, for both directions.
template <class... F>
void each(auto& archive, F&... field) {
  (archive(field), ...);
}
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

/// Reads the body that is number `index` of the variant.
template <std::size_t I = 0>
bool read_body(Reader& reader, std::size_t index, Body& body) {
  if constexpr (I < std::variant_size_v<Body>) {
    if (index != I) return read_body<I + 1>(reader, index, body);
    reader(body.emplace<I>());
    return true;
  } else {
    return false;
  }
}

template <class T>
std::string encode_alone(const T& value) {
  Writer writer;
  writer(value);
  return std::move(writer.bytes);
}
template <class T>
bool decode_alone(std::string_view bytes, T& value) {
  Reader reader(bytes);
  reader(value);
  return reader.good && reader.rest.empty();
}

}  // namespace

std::string to_string(Node node) {
  static constexpr std::array<const char*, 5> kNames = {"client", "coordinator", "master", "backup", "witness"};
  return kNames.at(static_cast<std::size_t>(node.kind)) + std::to_string(node.index);
}

std::string encode(const Message& message) {
  Writer writer;
  writer.bytes.push_back(static_cast<char>(message.body.index()));
  writer(message.from);
  writer(message.epoch);
  writer(message.name);
  std::visit(writer, message.body);
  return std::move(writer.bytes);
}

bool decode(std::string_view bytes, Message& message) {
  if (bytes.empty()) return false;
  const std::size_t index = static_cast<unsigned char>(bytes.front());
  Reader reader(bytes.substr(1));
  reader(message.from);
  reader(message.epoch);
  reader(message.name);
  return reader.good && read_body(reader, index, message.body) && reader.good && reader.rest.empty();
}

std::string encode(const Entry& entry) { return encode_alone(entry); }
bool decode(std::string_view bytes, Entry& entry) { return decode_alone(bytes, entry); }
std::string encode(const Request& request) { return encode_alone(request); }
bool decode(std::string_view bytes, Request& request) { return decode_alone(bytes, request); }

}  // namespace curp
