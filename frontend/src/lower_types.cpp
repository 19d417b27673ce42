// Types: names to declarations, and what a type is called.
#include <fmt/format.h>

#include "lowering.h"
#include "tenet/ir/printer.h"

namespace tenet::frontend {

using ir::TypeKind;

std::string Lowering::type_name(TypeId id) const { return ir::to_source(p_, id); }

Lowering::TypeId Lowering::type(ast::TypeRef ref) {
  const ast::Type& t = (*tree_)[ref];
  std::vector<TypeId> args;
  for (const ast::TypeRef arg : t.args) args.push_back(type(arg));
  for (const TypeId arg : args) {
    if (!arg.valid()) return {};
  }
  switch (t.kind) {
    case ast::TypeKind::boolean:
      return p_.types.boolean();
    case ast::TypeKind::integer:
      return p_.types.integer();
    case ast::TypeKind::natural:
      return p_.types.natural();
    case ast::TypeKind::real:
      refuse(t.span, "'real'", "use 'int' or 'nat'");
      return {};
    case ast::TypeKind::seq:
      refuse(t.span, "'seq'", "use 'map<nat, T>' and a length");
      return {};
    case ast::TypeKind::option:
      return p_.types.option(args[0]);
    case ast::TypeKind::set:
      return p_.types.set(args[0]);
    case ast::TypeKind::map:
      return p_.types.map(args[0], args[1]);
    case ast::TypeKind::function:
      return p_.types.function(args[0], args[1]);
    case ast::TypeKind::named:
      return named_type(t.name);
  }
  return {};
}

Lowering::TypeId Lowering::named_type(const ast::Ident& name) {
  const Symbol* symbol = symbols_.find(name.text);
  if (symbol == nullptr) {
    unknown(name, "type", type_names(), "unknown-type");
    return {};
  }
  switch (symbol->kind) {
    case SymbolKind::role:
      return p_.types.host(ir::RoleId(symbol->index));
    case SymbolKind::enumeration:
      return p_.types.enumeration(ir::EnumId(symbol->index));
    case SymbolKind::sort:
      return p_.types.sort(ir::SortId(symbol->index));
    case SymbolKind::structure:
      return p_.types.structure(ir::StructId(symbol->index));
    default:
      report("unknown-type", name.span, fmt::format("'{}' is {}, not a type", name.text, describe(symbol->kind)));
      return {};
  }
}

Lowering::TypeId Lowering::wanted(TypeId id, TypeKind kind) const {
  while (id.valid()) {
    const ir::Type& t = p_.types[id];
    if (t.kind == kind) return id;
    if (t.kind == TypeKind::option) {
      id = t.first;
    } else if (t.kind == TypeKind::function) {
      id = t.second;
    } else {
      return {};
    }
  }
  return {};
}

}  // namespace tenet::frontend
