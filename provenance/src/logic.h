/// The solver's vocabulary for one protocol: its sorts and a term manager.
#pragma once

#include <string>
#include <vector>

#include "tenet/ir/protocol.h"
#include "tenet/smt/term_manager.h"

namespace tenet::provenance {

using smt::Term;

/// Owns the terms of one question. Not thread-safe.
///
/// Names taken from the text contain no space (`R.x`, `c`); names made for the
/// proof do, so that no identifier of a protocol can ever mean one of them.
class Logic {
 public:
  explicit Logic(const ir::Protocol& protocol) : protocol_(&protocol) {}

  /// Sort of a scalar type. Ordered sorts are integers: only their order is
  /// used, and any finite part of a total order embeds into the integers.
  [[nodiscard]] smt::Sort sort(ir::TypeId type) {
    const ir::Type& t = (*protocol_)[type];
    switch (t.kind) {
      case ir::TypeKind::boolean:
        return terms.boolean_sort();
      case ir::TypeKind::real:
        return terms.real_sort();
      case ir::TypeKind::enumeration: {
        const ir::EnumDecl& decl = protocol_->enums[t.declaration];
        return terms.enumeration(decl.name, decl.members);
      }
      case ir::TypeKind::sort:
        if (!protocol_->sorts[t.declaration].ordered) return terms.uninterpreted(protocol_->sorts[t.declaration].name);
        return terms.integer_sort();
      case ir::TypeKind::host:
        return role_sort(ir::RoleId(t.declaration));
      default:
        return terms.integer_sort();
    }
  }
  [[nodiscard]] smt::Sort role_sort(ir::RoleId role) { return terms.uninterpreted((*protocol_)[role].name); }

  Term number(std::int64_t value) { return terms.integer(value); }
  Term next(Term time) { return terms.add({time, terms.integer(1)}); }
  Term all(const std::vector<Term>& args) { return terms.and_(args); }
  Term any(const std::vector<Term>& args) { return terms.or_(args); }

  smt::TermManager terms;

 private:
  const ir::Protocol* protocol_;
};

}  // namespace tenet::provenance
