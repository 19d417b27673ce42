// Declarations: first all names, then all types, then all formulas.
#include <fmt/format.h>

#include <algorithm>

#include "lowering.h"

namespace tenet::frontend {

using ir::TypeKind;

namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

Lowering::Lowering(const SourceFile& file, const ast::Tree& tree, Diagnostics& diagnostics, EditPlan* plan)
    : file_(&file), tree_(&tree), diagnostics_(&diagnostics), plan_(plan) {}

ir::Protocol Lowering::run() {
  p_.name = std::string(tree_->name.text);
  p_.doc = tree_->doc;
  declare_all();
  resolve_types();
  check_recursion();
  check_orders();
  define();
  if (!diagnostics_->has_errors()) warn_unused();
  return std::move(p_);
}

bool Lowering::clash(const ast::Ident& name, Span earlier, std::string_view what) {
  Diagnostic& d =
      diagnostics_->error("duplicate-name", name.span, fmt::format("'{}' is already the name of {}", name.text, what),
                          "every name that is visible here must be different");
  d.notes.push_back({earlier, "declared here"});
  return false;
}

bool Lowering::declare_global(const ast::Ident& name, SymbolKind kind, std::size_t index) {
  if (const Symbol* earlier = symbols_.find(name.text)) return clash(name, earlier->span, describe(earlier->kind));
  const auto member = symbols_.members.find(name.text);
  if (member != symbols_.members.end()) {
    return clash(name, member->second.front().span, describe(SymbolKind::member));
  }
  constexpr std::string_view kBuiltIn[] = {"bool", "int", "nat",  "real", "option", "set",
                                           "map",  "seq", "keys", "once", "sum"};
  if (std::find(std::begin(kBuiltIn), std::end(kBuiltIn), name.text) != std::end(kBuiltIn)) {
    report("duplicate-name", name.span, fmt::format("'{}' is built in and cannot be declared", name.text));
    return false;
  }
  symbols_.global.emplace(name.text, Symbol{kind, static_cast<std::uint32_t>(index), name.span});
  return true;
}

bool Lowering::declare_member(ir::RoleId role, const ast::Ident& name, SymbolKind kind, std::size_t index) {
  const Symbol* earlier = symbols_.find(role, name.text);
  if (earlier == nullptr) earlier = symbols_.find(name.text);
  if (earlier != nullptr) return clash(name, earlier->span, describe(earlier->kind));
  const auto owners = symbols_.members.find(name.text);
  if (owners != symbols_.members.end()) {
    return clash(name, owners->second.front().span, describe(SymbolKind::member));
  }
  symbols_.of_role[role.index()].emplace(name.text, Symbol{kind, static_cast<std::uint32_t>(index), name.span});
  return true;
}

void Lowering::declare_all() {
  // Roles first, so that an import finds its role wherever it stands.
  for (const ast::Decl& decl : tree_->decls) {
    refuse_unsupported(decl);
    if (const auto* role = std::get_if<ast::RoleDecl>(&decl)) declare_role(*role);
  }
  for (const ast::Decl& decl : tree_->decls) declare(decl);
  for (const ast::Decl& decl : tree_->decls) {
    const auto* role = std::get_if<ast::RoleDecl>(&decl);
    if (role == nullptr || index_of_.count(role) == 0) continue;
    const ir::RoleId id(index_of_.at(role));
    for (const ast::RoleItem& item : role->items) {
      if (const auto* constant = std::get_if<ast::ConstDecl>(&item)) declare_const(*constant, id);
      if (const auto* var = std::get_if<ast::VarDecl>(&item)) declare_var(*var, id);
    }
  }
}

void Lowering::declare_role(const ast::RoleDecl& decl) {
  if (!declare_global(decl.name, SymbolKind::role, p_.roles.size())) return;
  index_of_[&decl] = static_cast<std::uint32_t>(p_.roles.size());
  ir::RoleDecl role;
  role.name = std::string(decl.name.text);
  role.single = decl.single;
  role.doc = decl.doc;
  role.span = decl.span;
  p_.roles.push_back(std::move(role));
  symbols_.of_role.emplace_back();
}

void Lowering::declare(const ast::Decl& decl) {
  std::visit(Overloaded{
                 [this](const ast::ImportDecl& d) { declare_import(d); },
                 [this](const ast::EnumDecl& d) {
                   if (!declare_global(d.name, SymbolKind::enumeration, p_.enums.size())) return;
                   ir::EnumDecl out{std::string(d.name.text), {}, d.span};
                   const ir::EnumId id(p_.enums.size());
                   for (const ast::Ident& member : d.members) {
                     if (const Symbol* earlier = symbols_.find(member.text)) {
                       clash(member, earlier->span, describe(earlier->kind));
                       continue;
                     }
                     std::vector<Symbols::Member>& owners = symbols_.members[member.text];
                     if (!owners.empty() && owners.back().owner == id) {
                       clash(member, owners.back().span, "a member of this enum");
                       continue;
                     }
                     owners.push_back({id, out.members.size(), member.span});
                     out.members.emplace_back(member.text);
                   }
                   p_.enums.push_back(std::move(out));
                 },
                 [this](const ast::SortDecl& d) {
                   if (!declare_global(d.name, SymbolKind::sort, p_.sorts.size())) return;
                   p_.sorts.push_back({std::string(d.name.text), d.ordered, d.span});
                 },
                 [this](const ast::StructDecl& d) {
                   if (!declare_global(d.name, SymbolKind::structure, p_.structs.size())) return;
                   index_of_[&d] = static_cast<std::uint32_t>(p_.structs.size());
                   p_.structs.push_back({std::string(d.name.text), {}, d.ordered, d.span});
                 },
                 [this](const ast::MessageDecl& d) {
                   if (!declare_global(d.name, SymbolKind::message, p_.messages.size())) return;
                   index_of_[&d] = static_cast<std::uint32_t>(p_.messages.size());
                   ir::MessageDecl out;
                   out.name = std::string(d.name.text);
                   if (d.delivery == ast::Delivery::at_most_once) out.delivery = ir::Delivery::at_most_once;
                   out.doc = d.doc;
                   out.span = d.span;
                   p_.messages.push_back(std::move(out));
                 },
                 [this](const ast::ConstDecl& d) { declare_const(d, {}); },
                 [this](const ast::DeadlockDecl&) { p_.deadlock_ok = true; },
                 [](const auto&) {},
             },
             decl);
}

void Lowering::declare_import(const ast::ImportDecl& decl) {
  if (decl.library.text != "ring") {
    unknown(decl.library, "library", {"ring"}, "unknown-import");
    not_declared_.insert({"next", "between"});
    return;
  }
  const Symbol* symbol = symbols_.find(decl.argument.text);
  if (symbol == nullptr || symbol->kind != SymbolKind::role) {
    unknown(decl.argument, "role", names_of(SymbolKind::role), "unknown-role");
    not_declared_.insert({"next", "between"});
    return;
  }
  const TypeId host = p_.types.host(ir::RoleId(symbol->index));
  const auto bring = [&](std::string_view name, ir::ConstKind kind, std::vector<TypeId> parameters, TypeId result) {
    if (!declare_global({name, decl.span}, SymbolKind::constant, p_.constants.size())) return;
    ir::ConstDecl out;
    out.name = std::string(name);
    out.kind = kind;
    out.parameters = std::move(parameters);
    out.type = result;
    out.span = decl.span;
    p_.constants.push_back(std::move(out));
  };
  bring("next", ir::ConstKind::ring_next, {host}, host);
  bring("between", ir::ConstKind::ring_between, {host, host, host}, p_.types.boolean());
}

void Lowering::declare_const(const ast::ConstDecl& decl, ir::RoleId role) {
  const std::size_t index = p_.constants.size();
  const bool free_name = role.valid() ? declare_member(role, decl.name, SymbolKind::constant, index)
                                      : declare_global(decl.name, SymbolKind::constant, index);
  if (!free_name) return;
  index_of_[&decl] = static_cast<std::uint32_t>(index);
  ir::ConstDecl out;
  out.name = std::string(decl.name.text);
  out.role = role;
  out.unique = decl.unique;
  out.doc = decl.doc;
  out.span = decl.span;
  if (decl.unique && !role.valid()) {
    report("not-allowed-here", decl.name.span, "'unique' is for constants of a role: they differ from host to host");
  }
  p_.constants.push_back(std::move(out));
  if (role.valid()) p_.roles[role.index()].constants.push_back(ir::ConstId(index));
}

void Lowering::declare_var(const ast::VarDecl& decl, ir::RoleId role) {
  if (!declare_member(role, decl.name, SymbolKind::variable, p_.variables.size())) return;
  index_of_[&decl] = static_cast<std::uint32_t>(p_.variables.size());
  ir::VarDecl out;
  out.name = std::string(decl.name.text);
  out.role = role;
  out.is_volatile = decl.is_volatile;
  out.doc = decl.doc;
  out.span = decl.span;
  p_.roles[role.index()].variables.push_back(ir::VarId(p_.variables.size()));
  p_.variables.push_back(std::move(out));
}

std::vector<ir::FieldDecl> Lowering::resolve_fields(const std::vector<ast::Field>& fields, std::string_view what) {
  std::vector<ir::FieldDecl> out;
  std::map<std::string_view, Span> names;
  for (const ast::Field& field : fields) {
    const auto [earlier, added] = names.emplace(field.name.text, field.name.span);
    if (!added) clash(field.name, earlier->second, fmt::format("a field of this {}", what));
    out.push_back({std::string(field.name.text), type(field.type), field.name.span});
  }
  return out;
}

void Lowering::resolve_item_types(const ast::RoleDecl& decl) {
  for (const ast::RoleItem& item : decl.items) {
    if (const auto* constant = std::get_if<ast::ConstDecl>(&item)) {
      const TypeId t = type(constant->type);
      if (index_of_.count(constant) > 0) p_.constants[index_of_.at(constant)].type = t;
    }
    const auto* var = std::get_if<ast::VarDecl>(&item);
    if (var != nullptr && var->type.valid()) {
      const TypeId t = type(var->type);
      if (index_of_.count(var) > 0) p_.variables[index_of_.at(var)].type = t;
    }
  }
}

void Lowering::resolve_types() {
  for (const ast::Decl& decl : tree_->decls) {
    if (const auto* structure = std::get_if<ast::StructDecl>(&decl)) {
      std::vector<ir::FieldDecl> fields = resolve_fields(structure->fields, "struct");
      if (index_of_.count(structure) > 0) p_.structs[index_of_.at(structure)].fields = std::move(fields);
    } else if (const auto* message = std::get_if<ast::MessageDecl>(&decl)) {
      std::vector<ir::FieldDecl> fields = resolve_fields(message->fields, "message");
      if (index_of_.count(message) == 0) continue;
      p_.messages[index_of_.at(message)].fields = std::move(fields);
      finish_message_edits(*message, ir::MessageId(index_of_.at(message)));
    } else if (const auto* constant = std::get_if<ast::ConstDecl>(&decl)) {
      const TypeId t = type(constant->type);
      if (index_of_.count(constant) > 0) p_.constants[index_of_.at(constant)].type = t;
    } else if (const auto* role = std::get_if<ast::RoleDecl>(&decl)) {
      resolve_item_types(*role);
    }
  }
  const_used_.resize(p_.constants.size());
  var_read_.resize(p_.variables.size());
  var_written_.resize(p_.variables.size());
  message_sent_.resize(p_.messages.size());
  message_received_.resize(p_.messages.size());
  message_named_.resize(p_.messages.size());
}

void Lowering::check_recursion() {
  enum class Seen : std::uint8_t { no, open, done };
  std::vector<Seen> seen(p_.structs.size(), Seen::no);
  // A field holds a struct directly or inside options, sets, maps …
  std::function<void(std::size_t)> visit;
  std::function<void(TypeId, Span)> follow = [&](TypeId id, Span span) {
    if (!id.valid()) return;
    const ir::Type t = shape(id);
    follow(t.first, span);
    follow(t.second, span);
    if (t.kind != TypeKind::structure) return;
    if (seen[t.declaration] == Seen::open) {
      report("recursive-struct", span, fmt::format("struct '{}' contains itself", p_.structs[t.declaration].name),
             "values are finite: refer to other values by a name or a number");
    } else if (seen[t.declaration] == Seen::no) {
      visit(t.declaration);
    }
  };
  visit = [&](std::size_t index) {
    seen[index] = Seen::open;
    for (const ir::FieldDecl& field : p_.structs[index].fields) follow(field.type, field.span);
    seen[index] = Seen::done;
  };
  for (std::size_t i = 0; i < p_.structs.size(); ++i) {
    if (seen[i] == Seen::no) visit(i);
  }
}

/// The fields of an ordered struct have an order themselves.
void Lowering::check_orders() {
  if (diagnostics_->has_errors()) return;  // a struct may contain itself
  for (const ir::StructDecl& decl : p_.structs) {
    for (const ir::FieldDecl& field : decl.fields) {
      if (!decl.ordered || ir::has_order(p_, field.type)) continue;
      report("no-order", field.span,
             fmt::format("struct '{}' is ordered, and its field '{}' of type {} has no order", decl.name, field.name,
                         type_name(field.type)),
             "numbers, ordered types and ordered structs have one");
    }
  }
}

}  // namespace tenet::frontend
