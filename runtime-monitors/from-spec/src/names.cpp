#include "names.h"

#include <cctype>

namespace tenet::from_spec {
namespace {

const std::set<std::string>& keywords() {
  static const std::set<std::string> kNames{
      "alignas",  "alignof",   "and",      "asm",      "auto",      "bool",     "break",     "case",      "catch",
      "char",     "class",     "compl",    "const",    "constexpr", "continue", "decltype",  "default",   "delete",
      "do",       "double",    "else",     "enum",     "explicit",  "export",   "extern",    "false",     "float",
      "for",      "friend",    "goto",     "if",       "inline",    "int",      "long",      "mutable",   "namespace",
      "new",      "noexcept",  "not",      "nullptr",  "operator",  "or",       "private",   "protected", "public",
      "register", "return",    "short",    "signed",   "sizeof",    "static",   "struct",    "switch",    "template",
      "this",     "throw",     "true",     "try",      "typedef",   "typeid",   "typename",  "union",     "unsigned",
      "using",    "virtual",   "void",     "volatile", "wchar_t",   "while",    "xor",       "concept",   "requires",
      "co_await", "co_return", "co_yield", "char8_t",  "char16_t",  "char32_t", "consteval", "constinit", "errno",
      "stdin",    "stdout",    "stderr",   "unix",     "linux",     "NULL",     "EOF"};
  return kNames;
}

// What the generated code itself says.
const std::set<std::string>& reserved() {
  static const std::set<std::string> kNames{
      "self",      "me",        "m",        "sent",          "host",     "in",        "out",         "event",
      "sink",      "after",     "before",   "guard",         "effect",   "message",   "from",        "value",
      "has",       "subset",    "unite",    "without",       "common",   "count",     "majority",    "keys",
      "put",       "removed",   "updated",  "with",          "chosen",   "tabulated", "plus",        "minus",
      "times",     "divided",   "modulo",   "natural_minus", "forall",   "exists",    "exists_seen", "at",
      "nothing",   "begin",     "sum",      "judge",         "verdict",  "undefined", "witness",     "state",
      "old_state", "constants", "next",     "between",       "id",       "read",      "write",       "show",
      "key",       "step",      "to",       "joined",        "seen",     "refresh",   "collect",     "std",
      "tenet",     "model",     "Run",      "Messages",      "Topology", "Checker",   "Rule",        "Event",
      "Sink",      "Reader",    "RunBase",  "Joined",        "HostId",   "MessageId", "Knowledge",   "Format",
      "Tracked",   "Function",  "Option",   "Range",         "Entries",  "Writer",    "Verdict",     "Base",
      "Part",      "begins",    "recovers", "make_rules",    "main"};
  return kNames;
}

}  // namespace

std::string snake(std::string_view name) {
  std::string out;
  char last = '_';
  for (const char c : name) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    if (c == ' ') {
      out += '_';
    } else {
      if (upper && last != '_' && last != ' ' && std::isupper(static_cast<unsigned char>(last)) == 0) out += '_';
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    last = c;
  }
  return out;
}

std::string camel(std::string_view name) {
  std::string out;
  bool up = true;
  for (const char c : name) {
    if (c == '_' || c == ' ') {
      up = true;
      continue;
    }
    out += up ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    up = false;
  }
  return out;
}

namespace {
std::string other(const std::string& name) {
  return std::isupper(static_cast<unsigned char>(name[0])) != 0 ? name + "Value" : "the_" + name;
}
}  // namespace

std::string member(const std::string& name) { return keywords().count(name) != 0 ? other(name) : name; }
std::string safe(const std::string& name) { return reserved().count(name) != 0 ? other(name) : member(name); }

std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += ' ';
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string Types::name(ir::TypeId id, bool hook) const {
  const ir::Type& type = p_[id];
  const std::string space = hook ? "tenet::monitor::" : "";
  switch (type.kind) {
    case ir::TypeKind::boolean:
      return "bool";
    case ir::TypeKind::integer:
    case ir::TypeKind::natural:
      return "std::int64_t";
    case ir::TypeKind::enumeration:
      return safe(p_.enums[type.declaration].name);
    case ir::TypeKind::sort:
      return safe(p_.sorts[type.declaration].name);
    case ir::TypeKind::host:
      return p_.roles[type.declaration].name + "Id";
    case ir::TypeKind::structure:
      return (hook ? "" : "model::") + safe(p_.structs[type.declaration].name);
    case ir::TypeKind::option:
      return (hook ? space + "Option<" : "std::optional<") + name(type.first, hook) + ">";
    case ir::TypeKind::set:
      return (hook ? space + "Range<" : "std::set<") + name(type.first, hook) + ">";
    case ir::TypeKind::map:
      return (hook ? space + "Entries<" : "std::map<") + name(type.first, hook) + ", " + name(type.second, hook) + ">";
    case ir::TypeKind::function:
      return (hook ? space : "spec::") + std::string("Function<") + name(type.first, hook) + ", " +
             name(type.second, hook) + ">";
    case ir::TypeKind::real:
    case ir::TypeKind::sequence:
      break;
  }
  return "void";
}

bool Types::open(ir::TypeId id) const {
  const ir::Type& type = p_[id];
  return type.kind != ir::TypeKind::boolean && type.kind != ir::TypeKind::enumeration &&
         type.kind != ir::TypeKind::host;
}

bool Types::supported(ir::TypeId id) const {
  const ir::Type& type = p_[id];
  if (type.kind == ir::TypeKind::real || type.kind == ir::TypeKind::sequence) return false;
  if (type.first.valid() && !supported(type.first)) return false;
  if (type.second.valid() && !supported(type.second)) return false;
  if (type.kind == ir::TypeKind::structure) {
    for (const ir::FieldDecl& field : p_.structs[type.declaration].fields) {
      if (!supported(field.type)) return false;
    }
  }
  return true;
}

const std::string& Locals::operator[](ir::LocalId local) {
  std::string& name = names_[local];
  if (!name.empty()) return name;
  std::string wanted = p_[local].name == "_" ? "ignored" : safe(p_[local].name);
  std::string free = wanted;
  for (int i = 2; !taken_.insert(free).second; ++i) free = wanted + "_" + std::to_string(i);
  return name = free;
}

}  // namespace tenet::from_spec
