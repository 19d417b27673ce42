#include "value_text.h"

#include <algorithm>

namespace tenet::result {
namespace {

using Changes = std::vector<TraceStep::Change>;

/// Beyond this a table is not listed argument by argument.
constexpr std::size_t kMaxTable = 4096;
constexpr const char* kAbsent = "absent";

/// The two values of one part, and where it is.
struct Part {
  ir::TypeId type;
  const ir::Value& before;
  const ir::Value& after;
  std::string path;
};

class Differences {
 public:
  Differences(const Words& words, const std::string& host, Changes& out) : words_(words), host_(host), out_(out) {}

  void add(const Part& part) {
    if (part.before == part.after) return;
    const ir::Type& type = words_.protocol[part.type];
    const bool same_shape = part.before.items.size() == part.after.items.size();
    if (type.kind == ir::TypeKind::structure && same_shape) {
      structure(part, words_.protocol[ir::StructId(type.declaration)]);
    } else if (type.kind == ir::TypeKind::function && same_shape) {
      function(part, type);
    } else if (type.kind == ir::TypeKind::map) {
      map(part, type);
    } else {
      leaf(part.path, words_.value(part.type, part.before), words_.value(part.type, part.after));
    }
  }

 private:
  void leaf(const std::string& path, std::string before, std::string after) {
    out_.push_back({host_, path, std::move(before), std::move(after)});
  }

  void structure(const Part& part, const ir::StructDecl& decl) {
    for (std::size_t i = 0; i < decl.fields.size(); ++i) {
      add({decl.fields[i].type, part.before.items[i], part.after.items[i], part.path + "." + decl.fields[i].name});
    }
  }

  void function(const Part& part, const ir::Type& type) {
    const auto domain = words_.instance.domain(words_.protocol, type.first, "", kMaxTable);
    if (!domain || domain->size() != part.before.items.size()) {
      leaf(part.path, words_.value(part.type, part.before), words_.value(part.type, part.after));
      return;
    }
    for (std::size_t i = 0; i < domain->size(); ++i) {
      add({type.second, part.before.items[i], part.after.items[i],
           part.path + "[" + words_.value(type.first, (*domain)[i]) + "]"});
    }
  }

  void map(const Part& part, const ir::Type& type) {
    // Both lists are key, value, key, value … with ascending keys: a merge.
    const auto& b = part.before.items;
    const auto& a = part.after.items;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i + 1 < b.size() || j + 1 < a.size()) {
      const bool only_before = j + 1 >= a.size() || (i + 1 < b.size() && b[i] < a[j]);
      const bool only_after = !only_before && (i + 1 >= b.size() || a[j] < b[i]);
      const std::string path = part.path + "[" + words_.value(type.first, only_after ? a[j] : b[i]) + "]";
      if (only_before) {
        leaf(path, words_.value(type.second, b[i + 1]), kAbsent);
      } else if (only_after) {
        leaf(path, kAbsent, words_.value(type.second, a[j + 1]));
      } else {
        add({type.second, b[i + 1], a[j + 1], path});
      }
      if (!only_after) i += 2;
      if (!only_before) j += 2;
    }
  }

  const Words& words_;
  const std::string& host_;
  Changes& out_;
};

/// "next(Node#1)" for every argument tuple of a relation or function, first
/// parameter slowest; empty if there are too many to list.
std::vector<std::string> argument_texts(const Words& words, const ir::ConstDecl& decl) {
  std::vector<std::string> texts{""};
  for (const ir::TypeId parameter : decl.parameters) {
    const auto domain = words.instance.domain(words.protocol, parameter, "", kMaxTable);
    if (!domain || domain->size() * texts.size() > kMaxTable) return {};
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      for (const ir::Value& value : *domain) {
        longer.push_back(text + (text.empty() ? "" : ", ") + words.value(parameter, value));
      }
    }
    texts = std::move(longer);
  }
  return texts;
}

void add_table(const Words& words, const ir::ConstDecl& decl, const std::vector<ir::Value>& table, Changes& out) {
  const auto arguments = argument_texts(words, decl);
  if (arguments.size() != table.size()) return;
  const bool relation = words.protocol[decl.type].kind == ir::TypeKind::boolean;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (relation && table[i].number == 0) continue;
    out.push_back({"", decl.name + "(" + arguments[i] + ")", "", words.value(decl.type, table[i])});
  }
}

}  // namespace

void add_differences(const Words& words, ir::TypeId type, const ir::Value& before, const ir::Value& after,
                     const std::string& host, const std::string& path, Changes& out) {
  Differences(words, host, out).add({type, before, after, path});
}

void add_constants(const Words& words, const ir::Constants& constants, Changes& out) {
  for (std::size_t c = 0; c < words.protocol.constants.size() && c < constants.values.size(); ++c) {
    const ir::ConstDecl& decl = words.protocol.constants[c];
    const auto& values = constants.values[c];
    // What lies between two nodes of a ring follows from `next`.
    if (decl.kind == ir::ConstKind::ring_between) continue;
    if (!decl.parameters.empty()) {
      add_table(words, decl, values, out);
    } else if (decl.role.valid()) {
      for (std::uint32_t h = 0; h < values.size(); ++h) {
        out.push_back({words.host({decl.role, h}), decl.name, "", words.value(decl.type, values[h])});
      }
    } else if (!values.empty()) {
      out.push_back({"", decl.name, "", words.value(decl.type, values.front())});
    }
  }
}

}  // namespace tenet::result
