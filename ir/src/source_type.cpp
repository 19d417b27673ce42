/// Types, hosts, values and packets in the protocol language's own words.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tenet/ir/printer.h"

namespace tenet::ir {

namespace {

/// Values of one instance. Functions show the most frequent result as `else`.
class ValueText {
 public:
  ValueText(const Protocol& protocol, const Instance& instance) : p_(protocol), instance_(instance) {}

  std::string text(TypeId id, const Value& value) const;

 private:
  std::string list(TypeId element, const std::vector<Value>& items) const;
  std::string map(const Type& type, const Value& value) const;
  std::string function(const Type& type, const Value& value) const;
  std::string structure(const StructDecl& decl, const Value& value) const;

  const Protocol& p_;
  const Instance& instance_;
};

std::string ValueText::list(TypeId element, const std::vector<Value>& items) const {
  std::string result;
  for (const Value& item : items) {
    if (!result.empty()) result += ", ";
    result += text(element, item);
  }
  return result;
}

std::string ValueText::map(const Type& type, const Value& value) const {
  std::string result;
  for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
    if (!result.empty()) result += ", ";
    result += fmt::format("{}: {}", text(type.first, value.items[i]), text(type.second, value.items[i + 1]));
  }
  return "{" + result + "}";
}

std::string ValueText::function(const Type& type, const Value& value) const {
  std::map<Value, std::size_t> counts;
  for (const Value& item : value.items) ++counts[item];
  if (counts.empty()) return "{}";
  // Of the most frequent results the least, so that the text is the same every time.
  const auto usual =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string result;
  constexpr std::size_t kMostArguments = 1u << 16;
  const Result<std::vector<Value>> arguments = instance_.domain(p_, type.first, "", kMostArguments);
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (value.items[i] == usual->first) continue;
    const std::string argument =
        arguments && i < arguments->size() ? text(type.first, (*arguments)[i]) : fmt::format("argument {}", i + 1);
    result += fmt::format("{}: {}, ", argument, text(type.second, value.items[i]));
  }
  return fmt::format("{{{}else {}}}", result, text(type.second, usual->first));
}

std::string ValueText::structure(const StructDecl& decl, const Value& value) const {
  std::string result;
  for (std::size_t i = 0; i < decl.fields.size() && i < value.items.size(); ++i) {
    if (i > 0) result += ", ";
    result += text(decl.fields[i].type, value.items[i]);
  }
  return fmt::format("{}({})", decl.name, result);
}

std::string ValueText::text(TypeId id, const Value& value) const {
  const Type& type = p_[id];
  switch (type.kind) {
    case TypeKind::boolean:
      return value.number != 0 ? "true" : "false";
    case TypeKind::integer:
    case TypeKind::natural:
    case TypeKind::real:
      return std::to_string(value.number);
    case TypeKind::enumeration: {
      const std::vector<std::string>& members = p_.enums[type.declaration].members;
      const auto index = static_cast<std::size_t>(value.number);
      return index < members.size() ? members[index] : std::to_string(value.number);
    }
    case TypeKind::sort:
      return fmt::format("{}#{}", p_.sorts[type.declaration].name, value.number + 1);
    case TypeKind::host:
      return to_source(p_, HostRef{RoleId(type.declaration), static_cast<std::uint32_t>(value.number)});
    case TypeKind::option:
      return value.items.empty() ? "none" : fmt::format("some({})", text(type.first, value.items.front()));
    case TypeKind::set:
      return "{" + list(type.first, value.items) + "}";
    case TypeKind::sequence:
      return "[" + list(type.first, value.items) + "]";
    case TypeKind::map:
      return map(type, value);
    case TypeKind::function:
      return function(type, value);
    case TypeKind::structure:
      return structure(p_.structs[type.declaration], value);
  }
  return "";
}

}  // namespace

std::string to_source(const Protocol& protocol, TypeId id) {
  const Type& type = protocol[id];
  switch (type.kind) {
    case TypeKind::boolean:
      return "bool";
    case TypeKind::integer:
      return "int";
    case TypeKind::natural:
      return "nat";
    case TypeKind::real:
      return "real";
    case TypeKind::enumeration:
      return protocol.enums[type.declaration].name;
    case TypeKind::sort:
      return protocol.sorts[type.declaration].name;
    case TypeKind::host:
      return protocol.roles[type.declaration].name;
    case TypeKind::structure:
      return protocol.structs[type.declaration].name;
    case TypeKind::option:
      return fmt::format("option<{}>", to_source(protocol, type.first));
    case TypeKind::set:
      return fmt::format("set<{}>", to_source(protocol, type.first));
    case TypeKind::sequence:
      return fmt::format("seq<{}>", to_source(protocol, type.first));
    case TypeKind::map:
      return fmt::format("map<{}, {}>", to_source(protocol, type.first), to_source(protocol, type.second));
    case TypeKind::function: {
      // `->` associates to the right; only a function as argument needs its own brackets.
      const bool nested = protocol[type.first].kind == TypeKind::function;
      const std::string argument = to_source(protocol, type.first);
      return fmt::format("{} -> {}", nested ? "(" + argument + ")" : argument, to_source(protocol, type.second));
    }
  }
  return "";
}

std::string to_source(const Protocol& protocol, const Instance& instance, TypeId type, const Value& value) {
  return ValueText(protocol, instance).text(type, value);
}

std::string to_source(const Protocol& protocol, HostRef host) {
  const RoleDecl& role = protocol[host.role];
  return role.single ? role.name : fmt::format("{}#{}", role.name, host.index + 1);
}

std::string to_source(const Protocol& protocol, const Instance& instance, const Packet& packet) {
  const MessageDecl& message = protocol[packet.message];
  std::string args;
  for (std::size_t i = 0; i < packet.args.size() && i < message.fields.size(); ++i) {
    if (i > 0) args += ", ";
    args += to_source(protocol, instance, message.fields[i].type, packet.args[i]);
  }
  return args.empty() ? message.name : fmt::format("{}({})", message.name, args);
}

std::string place(const Protocol& protocol, StepId id) {
  const Step& step = protocol[id];
  const std::string& role = protocol[step.role].name;
  if (!step.receive) return fmt::format("{}, step {}", role, step.name);
  const std::string plain = "receive " + protocol[step.receive->message].name;
  if (step.name == plain) return fmt::format("{}, {}", role, plain);
  return fmt::format("{}, {} as {}", role, plain, step.name);
}

}  // namespace tenet::ir
