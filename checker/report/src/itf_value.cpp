#include "itf_value.h"

#include <nlohmann/json.hpp>

#include "tenet/ir/printer.h"

namespace tenet::report {
namespace {

using Json = nlohmann::ordered_json;

/// Functions over more arguments are not written out.
constexpr std::size_t kMaxArguments = 65536;

Json unit() { return {{"#tup", Json::array()}}; }
Json variant(const std::string& tag, Json value) { return {{"tag", tag}, {"value", std::move(value)}}; }

class Writer {
 public:
  Writer(const ir::Protocol& protocol, const ir::Instance& instance) : protocol_(protocol), instance_(instance) {}

  Json value(ir::TypeId id, const ir::Value& v) const {
    const ir::Type& type = protocol_[id];
    switch (type.kind) {
      case ir::TypeKind::boolean:
        return v.number != 0;
      case ir::TypeKind::integer:
      case ir::TypeKind::natural:
        return {{"#bigint", std::to_string(v.number)}};
      case ir::TypeKind::option:
        return v.number == 0 || v.items.empty() ? variant("none", unit())
                                                : variant("some", value(type.first, v.items.front()));
      case ir::TypeKind::set:
        return {{"#set", list(type.first, v)}};
      case ir::TypeKind::sequence:
        return list(type.first, v);
      case ir::TypeKind::map:
        return map(type, v);
      case ir::TypeKind::function:
        return function(id, type, v);
      case ir::TypeKind::structure:
        return structure(protocol_[ir::StructId(type.declaration)], v);
      case ir::TypeKind::real:
        return {{"#unserializable", text(id, v)}};
      case ir::TypeKind::enumeration:
      case ir::TypeKind::sort:
      case ir::TypeKind::host:
        break;
    }
    return text(id, v);
  }

 private:
  [[nodiscard]] std::string text(ir::TypeId id, const ir::Value& v) const {
    return ir::to_source(protocol_, instance_, id, v);
  }
  [[nodiscard]] Json list(ir::TypeId element, const ir::Value& v) const {
    Json json = Json::array();
    for (const ir::Value& item : v.items) json.push_back(value(element, item));
    return json;
  }
  [[nodiscard]] Json map(const ir::Type& type, const ir::Value& v) const {
    Json json = Json::array();
    for (std::size_t i = 0; i + 1 < v.items.size(); i += 2) {
      json.push_back(Json::array({value(type.first, v.items[i]), value(type.second, v.items[i + 1])}));
    }
    return {{"#map", std::move(json)}};
  }
  [[nodiscard]] Json function(ir::TypeId id, const ir::Type& type, const ir::Value& v) const {
    const auto domain = instance_.domain(protocol_, type.first, "", kMaxArguments);
    if (!domain || domain->size() != v.items.size()) return {{"#unserializable", text(id, v)}};
    Json json = Json::array();
    for (std::size_t i = 0; i < domain->size(); ++i) {
      json.push_back(Json::array({value(type.first, (*domain)[i]), value(type.second, v.items[i])}));
    }
    return {{"#map", std::move(json)}};
  }
  [[nodiscard]] Json structure(const ir::StructDecl& decl, const ir::Value& v) const {
    Json json = Json::object();
    for (std::size_t i = 0; i < decl.fields.size() && i < v.items.size(); ++i) {
      json[decl.fields[i].name] = value(decl.fields[i].type, v.items[i]);
    }
    return json;
  }

  const ir::Protocol& protocol_;
  const ir::Instance& instance_;
};

}  // namespace

Json itf_value(const ir::Protocol& protocol, const ir::Instance& instance, ir::TypeId type, const ir::Value& value) {
  return Writer(protocol, instance).value(type, value);
}

Json itf_packet(const ir::Protocol& protocol, const ir::Instance& instance, const ir::Packet& packet) {
  const ir::MessageDecl& decl = protocol[packet.message];
  Json fields = Json::object();
  for (std::size_t i = 0; i < decl.fields.size() && i < packet.args.size(); ++i) {
    fields[decl.fields[i].name] = itf_value(protocol, instance, decl.fields[i].type, packet.args[i]);
  }
  return {{"from", ir::to_source(protocol, packet.sender)},
          {"to", ir::to_source(protocol, packet.addressee)},
          {"message", variant(decl.name, decl.fields.empty() ? unit() : std::move(fields))}};
}

}  // namespace tenet::report
