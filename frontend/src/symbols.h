/// What the names of a protocol stand for.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ast.h"
#include "tenet/ir/protocol.h"

namespace tenet::frontend {

enum class SymbolKind { role, enumeration, sort, structure, message, constant, variable, member };

/// `a role`, `an enum` …
[[nodiscard]] std::string_view describe(SymbolKind kind);

struct Symbol {
  SymbolKind kind = SymbolKind::role;
  std::uint32_t index = 0;  ///< into the protocol's table of that kind; an enum for a member
  Span span;
  [[nodiscard]] bool is_type() const {
    return kind == SymbolKind::role || kind == SymbolKind::enumeration || kind == SymbolKind::sort ||
           kind == SymbolKind::structure;
  }
};

/// Names by scope. Views point into the source text.
struct Symbols {
  std::map<std::string_view, Symbol> global;
  /// A member's name may belong to several enums.
  struct Member {
    ir::EnumId owner;
    std::size_t index = 0;
    Span span;
  };
  std::map<std::string_view, std::vector<Member>> members;
  std::vector<std::map<std::string_view, Symbol>> of_role;  ///< by RoleId

  [[nodiscard]] const Symbol* find(std::string_view name) const {
    const auto found = global.find(name);
    return found == global.end() ? nullptr : &found->second;
  }
  [[nodiscard]] const Symbol* find(ir::RoleId role, std::string_view name) const {
    if (!role.valid()) return nullptr;
    const auto found = of_role[role.index()].find(name);
    return found == of_role[role.index()].end() ? nullptr : &found->second;
  }
};

}  // namespace tenet::frontend
