// Names: locals, the acting host's own, the protocol's; fields, indices, calls.
#include <fmt/format.h>

#include <algorithm>

#include "lowering.h"

namespace tenet::frontend {

using ir::TypeKind;

std::string_view describe(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::role:
      return "a role";
    case SymbolKind::enumeration:
      return "an enum";
    case SymbolKind::sort:
      return "a type";
    case SymbolKind::structure:
      return "a struct";
    case SymbolKind::message:
      return "a message";
    case SymbolKind::constant:
      return "a constant";
    case SymbolKind::variable:
      return "a variable";
    case SymbolKind::member:
      break;
  }
  return "a member of an enum";
}

const Lowering::Local* Lowering::find_local(std::string_view name) const {
  const auto found = std::find_if(locals_.rbegin(), locals_.rend(), [&](const Local& l) { return l.name == name; });
  return found == locals_.rend() ? nullptr : &*found;
}

std::vector<std::string> Lowering::names_of(SymbolKind kind) const {
  std::vector<std::string> names;
  for (const auto& [name, symbol] : symbols_.global) {
    if (symbol.kind == kind) names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> Lowering::type_names() const {
  std::vector<std::string> names{"bool", "int", "nat", "option", "set", "map"};
  for (const auto& [name, symbol] : symbols_.global) {
    if (symbol.is_type()) names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> Lowering::visible_names() const {
  std::vector<std::string> names;
  for (const Local& local : locals_) names.emplace_back(local.name);
  if (place_.role.valid()) {
    for (const auto& [name, symbol] : symbols_.of_role[place_.role.index()]) names.emplace_back(name);
  }
  for (const auto& [name, symbol] : symbols_.global) {
    const bool single = symbol.kind == SymbolKind::role && p_.roles[symbol.index].single;
    if (symbol.kind == SymbolKind::constant || symbol.kind == SymbolKind::structure || single) names.emplace_back(name);
  }
  for (const auto& [name, owners] : symbols_.members) names.emplace_back(name);
  return names;
}

void Lowering::unknown(const ast::Ident& written, std::string_view what, const std::vector<std::string>& candidates,
                       std::string_view id) {
  // What an unreadable declaration may have declared is not reported again.
  if (tree_->unread.count(written.text) > 0 || not_declared_.count(written.text) > 0) return;
  const std::string guess = did_you_mean(written.text, candidates);
  report(id, written.span, fmt::format("unknown {} '{}'", what, written.text),
         guess.empty() ? "" : fmt::format("did you mean '{}'?", guess));
}

void Lowering::use(const Symbol& symbol) {
  if (symbol.kind == SymbolKind::constant) const_used_[symbol.index] = true;
  if (symbol.kind == SymbolKind::variable) var_read_[symbol.index] = true;
}

Lowering::ExprId Lowering::self(Span span) {
  if (!place_.role.valid()) {
    report("not-allowed-here", span, fmt::format("'self' has no meaning in {}", place_.name),
           "bind a host with 'forall' or 'exists'");
    return {};
  }
  return place_.acting.valid() ? make(span).local(place_.acting) : make(span).self(place_.role);
}

Lowering::ExprId Lowering::name(const ast::Expr& e, TypeId hint) {
  const ast::Ident& written = e.name;
  if (const Local* local = find_local(written.text)) {
    if (!local->id.valid() || !p_[local->id].type.valid()) return {};
    make(e.span);
    return narrowed(b_.local(local->id));
  }
  if (const Symbol* member = symbols_.find(place_.role, written.text)) {
    return role_member(*member, self(e.span), written, true);
  }
  if (const Symbol* symbol = symbols_.find(written.text)) return global(*symbol, written);
  if (symbols_.members.count(written.text) > 0) return enum_member(written, hint);
  if (std::string hint = owned_by(written.text); !hint.empty()) {
    report("unknown-name", written.span, fmt::format("unknown name '{}'", written.text), std::move(hint));
    return {};
  }
  unknown(written, "name", visible_names());
  return {};
}

std::string Lowering::owned_by(std::string_view name) const {
  for (std::size_t r = 0; r < p_.roles.size(); ++r) {
    const Symbol* symbol = symbols_.find(ir::RoleId(r), name);
    if (symbol == nullptr) continue;
    const std::string& role = p_.roles[r].name;
    const std::string what = fmt::format("it is {} of role {}: ", describe(symbol->kind), role);
    if (symbol->kind == SymbolKind::variable && !place_.others) {
      return what + "a host learns of others by messages only";
    }
    if (p_.roles[r].single) return fmt::format("{}write '{}.{}'", what, role, name);
    return fmt::format("{}write 'h.{}' for a host h, as after 'forall h: {} ::'", what, name, role);
  }
  return {};
}

Lowering::ExprId Lowering::role_member(const Symbol& symbol, ExprId host, const ast::Ident& written, bool own) {
  use(symbol);
  if (!host.valid()) return {};
  if (symbol.kind == SymbolKind::constant) {
    const ir::ConstId id(symbol.index);
    if (!p_[id].type.valid() || !readable(id, written)) return {};
    make(written.span);
    return narrowed(b_.host_const(id, host));
  }
  const ir::VarId id(symbol.index);
  if (!place_.variables) {
    report("not-allowed-here", written.span,
           fmt::format("'{}' is a variable, and {} speaks of constants only", written.text, place_.name));
    return {};
  }
  if (!own && !place_.others) {
    report("not-allowed-here", written.span,
           fmt::format("'{}' is a variable of another host, which {} cannot read", written.text, place_.name),
           "a host learns of others by messages only");
    return {};
  }
  if (!p_[id].type.valid()) return {};
  make(written.span);
  return narrowed(b_.state_var(id, host));
}

bool Lowering::readable(ir::ConstId id, const ast::Ident& written) {
  if (!defining_ || id.index() < *defining_) return true;
  report("not-allowed-here", written.span,
         id.index() == *defining_ ? fmt::format("'{}' is defined by itself", written.text)
                                  : fmt::format("'{}' is declared later", written.text),
         "the value of a constant reads only constants declared before it");
  return false;
}

Lowering::ExprId Lowering::global(const Symbol& symbol, const ast::Ident& written) {
  if (symbol.kind == SymbolKind::role && p_.roles[symbol.index].single) {
    return make(written.span).single_host(ir::RoleId(symbol.index));
  }
  if (symbol.kind == SymbolKind::constant) {
    use(symbol);
    const ir::ConstId id(symbol.index);
    if (!p_[id].type.valid() || !readable(id, written)) return {};
    if (!p_[id].parameters.empty()) {
      report("argument-count", written.span,
             fmt::format("'{}' needs {} argument{}", written.text, p_[id].parameters.size(),
                         p_[id].parameters.size() == 1 ? "" : "s"));
      return {};
    }
    make(written.span);
    return narrowed(b_.global_const(id));
  }
  std::string hint;
  if (symbol.kind == SymbolKind::role)
    hint = fmt::format("'all {0}' is the set of its hosts, '|{0}|' their number", written.text);
  if (symbol.kind == SymbolKind::structure) hint = fmt::format("make one with '{}(…)'", written.text);
  if (symbol.kind == SymbolKind::message) hint = fmt::format("'sent {}(…)' asks whether one was sent", written.text);
  report("not-a-value", written.span, fmt::format("'{}' is {}, not a value", written.text, describe(symbol.kind)),
         hint);
  return {};
}

Lowering::ExprId Lowering::enum_member(const ast::Ident& written, TypeId hint) {
  const std::vector<Symbols::Member>& owners = symbols_.members.at(written.text);
  const TypeId expected = wanted(hint, TypeKind::enumeration);
  for (const Symbols::Member& owner : owners) {
    const bool fits = expected.valid() && shape(expected).declaration == owner.owner.value;
    if (fits || owners.size() == 1) return make(written.span).enum_literal(owner.owner, owner.index);
  }
  std::string enums;
  for (const Symbols::Member& owner : owners) {
    enums += fmt::format("{}'{}'", enums.empty() ? "" : ", ", p_[owner.owner].name);
  }
  report("ambiguous-name", written.span,
         fmt::format("'{}' belongs to several enums ({}), and nothing here says which", written.text, enums),
         "compare it with, or assign it to, something of that enum");
  return {};
}

Lowering::ExprId Lowering::field(const ast::Expr& e) {
  const ExprId base = infer(e.args[0]);
  if (!base.valid()) return {};
  const ir::Type t = shape(p_[base].type);
  if (t.kind == TypeKind::host) {
    const ir::RoleId role(t.declaration);
    if (const Symbol* member = symbols_.find(role, e.name.text)) {
      const bool own = p_[base].op == Op::self || (p_[base].op == Op::single_host && place_.role == role);
      return role_member(*member, base, e.name, own);
    }
    std::vector<std::string> names;
    for (const auto& [name, symbol] : symbols_.of_role[role.index()]) names.emplace_back(name);
    unknown(e.name, fmt::format("variable or constant of role {}", p_[role].name), names, "unknown-field");
    return {};
  }
  if (t.kind == TypeKind::structure) {
    const ir::StructDecl& decl = p_[ir::StructId(t.declaration)];
    std::vector<std::string> names;
    for (std::size_t i = 0; i < decl.fields.size(); ++i) {
      if (decl.fields[i].name == e.name.text) {
        if (!decl.fields[i].type.valid()) return {};
        make(e.span);
        return narrowed(b_.field(base, i));
      }
      names.push_back(decl.fields[i].name);
    }
    unknown(e.name, fmt::format("field of struct {}", decl.name), names, "unknown-field");
    return {};
  }
  if (t.kind == TypeKind::option) {
    may_be_none(base, at(e.args[0]).span);
  } else {
    report("type-mismatch", e.name.span, fmt::format("{} has no fields", type_name(p_[base].type)));
  }
  return {};
}

Lowering::ExprId Lowering::index(const ast::Expr& e) {
  const ExprId base = infer(e.args[0]);
  if (!base.valid()) {
    infer(e.args[1]);
    return {};
  }
  const ir::Type t = shape(p_[base].type);
  if (t.kind == TypeKind::map || t.kind == TypeKind::function) {
    const ExprId key = check(e.args[1], t.first);
    if (!key.valid()) return {};
    make(e.span);
    return narrowed(b_.binary(t.kind == TypeKind::map ? Op::map_get : Op::apply, base, key));
  }
  if (t.kind == TypeKind::option) {
    may_be_none(base, at(e.args[0]).span);
  } else {
    report("type-mismatch", e.span,
           fmt::format("only a function or a map takes an index, and this is {}", type_name(p_[base].type)),
           t.kind == TypeKind::set ? "'x in s' asks whether x is in the set" : "");
  }
  return {};
}

std::vector<Lowering::ExprId> Lowering::arguments(const std::vector<ast::ExprRef>& args,
                                                  const std::vector<TypeId>& types, const ast::Ident& callee,
                                                  std::string_view what, Span span) {
  std::vector<ExprId> lowered;
  bool ok = true;
  for (std::size_t i = 0; i < args.size() && i < types.size(); ++i) {
    const ExprId id = types[i].valid() ? check(args[i], types[i]) : ExprId{};
    ok = ok && id.valid();
    lowered.push_back(id);
  }
  if (args.size() != types.size()) {
    report("argument-count", span,
           fmt::format("{} '{}' takes {} argument{}, {} given", what, callee.text, types.size(),
                       types.size() == 1 ? "" : "s", args.size()));
    ok = false;
  }
  return ok ? lowered : std::vector<ExprId>(types.size() + 1);
}

Lowering::ExprId Lowering::call(const ast::Expr& e) {
  const Symbol* symbol = find_local(e.name.text) == nullptr ? symbols_.find(e.name.text) : nullptr;
  if (symbol != nullptr && symbol->kind == SymbolKind::structure) {
    const ir::StructId id(symbol->index);
    std::vector<TypeId> types;
    for (const ir::FieldDecl& field : p_[id].fields) types.push_back(field.type);
    std::vector<ExprId> args = arguments(e.args, types, e.name, "struct", e.span);
    if (args.size() != types.size()) return {};
    return make(e.span).make_struct(id, std::move(args));
  }
  if (symbol != nullptr && symbol->kind == SymbolKind::constant && !p_.constants[symbol->index].parameters.empty()) {
    use(*symbol);
    const ir::ConstId id(symbol->index);
    const std::vector<TypeId> types = p_[id].parameters;
    std::vector<ExprId> args = arguments(e.args, types, e.name, "function", e.span);
    if (args.size() != types.size()) return {};
    return make(e.span).global_const(id, std::move(args));
  }
  if (symbol != nullptr && symbol->kind == SymbolKind::message) {
    report("not-a-value", e.name.span, fmt::format("'{}' is a message, not a value", e.name.text),
           fmt::format("'send {0}(…) to …' sends it, 'sent {0}(…)' asks whether it was sent", e.name.text));
    return {};
  }
  const bool known = find_local(e.name.text) != nullptr || symbol != nullptr ||
                     symbols_.find(place_.role, e.name.text) != nullptr || symbols_.members.count(e.name.text) > 0;
  if (known) {
    report("not-a-value", e.name.span, fmt::format("'{}' cannot be called", e.name.text),
           fmt::format("functions and maps are read with '{}[…]'", e.name.text));
    return {};
  }
  std::vector<std::string> names = names_of(SymbolKind::structure);
  names.insert(names.end(), {"majority", "keys", "some", "old"});
  for (const ir::ConstDecl& decl : p_.constants) {
    if (!decl.parameters.empty()) names.push_back(decl.name);
  }
  unknown(e.name, "struct or function", names);
  return {};
}

bool Lowering::bindable(const ast::Ident& name) {
  const auto taken = [&](Span earlier, std::string_view what) {
    Diagnostic& d =
        diagnostics_->error("duplicate-name", name.span, fmt::format("'{}' is already the name of {}", name.text, what),
                            "every name that is visible here must be different");
    // A name of the protocol cannot be shown beside the text of an edit.
    if (edit_span_.empty()) d.notes.push_back({earlier, "declared here"});
    return false;
  };
  if (const Local* local = find_local(name.text)) return taken(local->span, "something bound here");
  if (const Symbol* member = symbols_.find(place_.role, name.text)) return taken(member->span, describe(member->kind));
  if (const Symbol* symbol = symbols_.find(name.text)) return taken(symbol->span, describe(symbol->kind));
  const auto owners = symbols_.members.find(name.text);
  if (owners != symbols_.members.end()) return taken(owners->second.front().span, describe(SymbolKind::member));
  return true;
}

Lowering::LocalId Lowering::bind(const ast::Ident& name, TypeId type) {
  if (locals_.size() >= kMaxLocals) {
    report("file-too-complex", name.span, fmt::format("more than {} names are bound here", kMaxLocals));
    return {};
  }
  if (name.text != "_") bindable(name);
  LocalId id;
  if (type.valid()) id = p_.add(ir::LocalDecl{std::string(name.text), type, where(name.span)});
  if (name.text != "_") locals_.push_back({name.text, id, name.span});
  return id;
}

}  // namespace tenet::frontend
