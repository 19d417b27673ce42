/// Reads IR text: the counterpart of print.cpp, construct by construct.
#include "read.h"

#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "ir_text.h"
#include "op_names.h"
#include "tenet/ir/printer.h"
#include "tenet/ir/verifier.h"

namespace tenet::ir {

void IrReader::bad(const Sexp& where, std::string_view what) {
  throw BadText{fmt::format("line {}: {}", where.line, what)};
}

const Sexp& IrReader::at(const Sexp& list, std::size_t i) {
  if (!list.is_list || i >= list.items.size()) bad(list, "something is missing here");
  return list.items[i];
}

const std::string& IrReader::word(const Sexp& tree) {
  if (tree.is_list) bad(tree, "a word is expected, not a list");
  return tree.word;
}

std::int64_t IrReader::number(const Sexp& tree) {
  const std::string& text = word(tree);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) bad(tree, "a number is expected");
  return value;
}

std::uint32_t IrReader::small_number(const Sexp& tree) {
  const std::int64_t value = number(tree);
  if (value < 0 || value > 1'000'000) bad(tree, "a small number is expected");
  return static_cast<std::uint32_t>(value);
}

TypeId IrReader::type(const Sexp& tree) {
  const std::string& kind = word(tree.is_list ? at(tree, 0) : tree);
  const auto is = [&](TypeKind k) { return kind == type_word(k); };
  TypeTable& types = p_.types;
  if (!tree.is_list) {
    if (is(TypeKind::boolean)) return types.boolean();
    if (is(TypeKind::integer)) return types.integer();
    if (is(TypeKind::natural)) return types.natural();
    if (is(TypeKind::real)) return types.real();
    bad(tree, "a type is expected");
  }
  const Sexp& first = at(tree, 1);
  if (is(TypeKind::enumeration)) return types.enumeration(named<EnumId>(p_.enums, first));
  if (is(TypeKind::sort)) return types.sort(named<SortId>(p_.sorts, first));
  if (is(TypeKind::host)) return types.host(named<RoleId>(p_.roles, first));
  if (is(TypeKind::structure)) return types.structure(named<StructId>(p_.structs, first));
  const TypeId part = type(first);
  if (is(TypeKind::option)) return types.option(part);
  if (is(TypeKind::set)) return types.set(part);
  if (is(TypeKind::sequence)) return types.sequence(part);
  const TypeId second = type(at(tree, 2));
  if (is(TypeKind::map)) return types.map(part, second);
  if (is(TypeKind::function)) return types.function(part, second);
  bad(tree, "a type is expected");
}

std::vector<FieldDecl> IrReader::fields(const Sexp& tree) {
  std::vector<FieldDecl> result;
  for (std::size_t i = 1; i < tree.items.size(); ++i) {
    result.push_back({word(at(tree.items[i], 0)), type(at(tree.items[i], 1)), {}});
  }
  return result;
}

LocalId IrReader::binder(const Sexp& tree) {
  const LocalId id = p_.add(LocalDecl{word(at(tree, 1)), type(at(tree, 2)), {}});
  locals_[word(at(tree, 0))] = id;
  return id;
}

ExprId IrReader::expr(const Sexp& tree) {
  Expr e;
  if (!tree.is_list) {
    e.type = p_.types.boolean();
    e.value = tree.word == "true" ? 1 : 0;
    if (tree.word == "true" || tree.word == "false") return p_.add(std::move(e));
    const auto local = locals_.find(tree.word);
    if (local == locals_.end()) bad(tree, fmt::format("'{}' is bound nowhere", tree.word));
    e.op = Op::local;
    e.ref = local->second.value;
    e.type = p_[local->second].type;
    return p_.add(std::move(e));
  }
  const std::optional<Op> op = op_of(word(at(tree, 0)));
  if (!op) bad(tree, fmt::format("'{}' is no operation", tree.items[0].word));
  e.op = *op;
  std::size_t next = 1;  // the first item that is not read yet
  if (reference(e, tree, next)) {
    args(e, tree, next);
  } else if (*op == Op::forall || *op == Op::exists || *op == Op::sum || *op == Op::set_build ||
             *op == Op::function_build) {
    bound(e, tree);
  } else {
    generic(e, tree);
  }
  return p_.add(std::move(e));
}

void IrReader::args(Expr& e, const Sexp& tree, std::size_t from) {
  for (std::size_t i = from; i < tree.items.size(); ++i) {
    const bool missing = e.op == Op::sent && !tree.items[i].is_list && tree.items[i].word == "_";
    e.args.push_back(missing ? ExprId{} : expr(tree.items[i]));
  }
}

/// Nodes that name a declaration, from which their type follows.
bool IrReader::reference(Expr& e, const Sexp& tree, std::size_t& next) {
  const auto name = [&]() -> const Sexp& { return at(tree, next++); };
  switch (e.op) {
    case Op::enum_literal: {
      const EnumId decl = named<EnumId>(p_.enums, name());
      const Sexp& member = name();
      e.type = p_.types.enumeration(decl);
      e.value = -1;
      const std::vector<std::string>& members = p_[decl].members;
      for (std::size_t i = 0; i < members.size(); ++i) {
        if (members[i] == word(member)) e.value = static_cast<std::int64_t>(i);
      }
      if (e.value < 0) bad(member, "the enum has no such member");
      return true;
    }
    case Op::role_size:
    case Op::single_host: {
      const RoleId role = named<RoleId>(p_.roles, name());
      e.ref = role.value;
      e.type = e.op == Op::role_size ? p_.types.natural() : p_.types.host(role);
      return true;
    }
    case Op::state_var:
    case Op::host_const: {
      const RoleId role = named<RoleId>(p_.roles, name());
      const Sexp& member = name();
      e.ref = e.op == Op::state_var ? of_role<VarId>(p_.variables, role, member).value
                                    : of_role<ConstId>(p_.constants, role, member).value;
      e.type = e.op == Op::state_var ? p_.variables[e.ref].type : p_.constants[e.ref].type;
      return true;
    }
    case Op::global_const:
      e.ref = of_role<ConstId>(p_.constants, RoleId{}, name()).value;
      e.type = p_.constants[e.ref].type;
      return true;
    case Op::sent:
      e.ref = named<MessageId>(p_.messages, name()).value;
      e.type = p_.types.boolean();
      if (next < tree.items.size() && !tree.items[next].is_list && tree.items[next].word == "hosts") {
        e.value = 1;
        ++next;
      }
      return true;
    default:
      return false;
  }
}

void IrReader::bound(Expr& e, const Sexp& tree) {
  std::size_t next = 1;
  e.type = always_boolean(e.op) ? p_.types.boolean() : type(at(tree, next++));
  ExprId domain;
  if (at(tree, next).starts("over")) domain = expr(at(tree.items[next++], 1));
  for (const Sexp& one : at(tree, next).items) e.binders.push_back(binder(one));
  const ExprId body = expr(at(tree, next + 1));
  if (e.op == Op::set_build) {
    e.args = {domain, body};
  } else {
    e.args = {body};
    if (domain.valid()) e.args.push_back(domain);
  }
}

void IrReader::generic(Expr& e, const Sexp& tree) {
  std::size_t next = 1;
  e.type = always_boolean(e.op) ? p_.types.boolean() : type(at(tree, next++));
  if (e.op == Op::get && next < tree.items.size() && tree.items[next].word == "narrowed") {
    e.value = 1;
    ++next;
  }
  if (e.op == Op::field || e.op == Op::with_field) e.ref = small_number(at(tree, next++));
  if (e.op == Op::int_literal || e.op == Op::real_literal) e.value = number(at(tree, next++));
  if (e.op == Op::real_literal) e.ref = small_number(at(tree, next++));
  args(e, tree, next);
}

std::vector<StmtId> IrReader::block(const Sexp& tree, RoleId role) {
  std::vector<StmtId> result;
  for (std::size_t i = 1; i < tree.items.size(); ++i) result.push_back(stmt(tree.items[i], role));
  return result;
}

StmtId IrReader::stmt(const Sexp& tree, RoleId role) {
  const std::string& kind = word(at(tree, 0));
  Stmt s;
  if (kind == "assign") {
    s.var = of_role<VarId>(p_.variables, role, at(tree, 1));
    s.value = expr(at(tree, 2));
  } else if (kind == "if") {
    s.kind = StmtKind::if_;
    s.value = expr(at(tree, 1));
    s.then_branch = block(at(tree, 2), role);
    if (tree.items.size() > 3) s.else_branch = block(tree.items[3], role);
  } else if (kind == "send") {
    send(s, tree);
  } else if (kind == "choose") {
    s.kind = StmtKind::choose;
    s.local = binder(at(tree, 1));
    if (tree.items.size() > 2) s.value = expr(tree.items[2]);
  } else if (kind == "let") {
    s.kind = StmtKind::let;
    s.value = expr(at(tree, 2));
    s.local = binder(at(tree, 1));
  } else {
    bad(tree, fmt::format("'{}' is no statement", kind));
  }
  return p_.add(std::move(s));
}

void IrReader::send(Stmt& s, const Sexp& tree) {
  s.kind = StmtKind::send;
  s.message = named<MessageId>(p_.messages, at(tree, 1));
  for (std::size_t i = 2; i < tree.items.size(); ++i) {
    const Sexp& part = tree.items[i];
    if (part.starts("to")) {
      s.target = expr(at(part, 1));
    } else if (part.starts("each")) {
      s.local = binder(at(part, 1));
    } else if (part.starts("arg")) {
      s.args.push_back(expr(at(part, 1)));
    } else {
      bad(part, "a send has a target and arguments only");
    }
  }
}

Result<Protocol> read(std::string_view text) {
  const Result<Sexp> tree = parse_sexp(text);
  if (!tree) return tl::unexpected<Error>(tree.error());
  Protocol protocol;
  try {
    protocol = IrReader(*tree).run();
  } catch (const BadText& bad) {
    return failure(ErrorKind::bad_input, bad.message);
  }
  const std::vector<std::string> breaches = verify_ir(protocol);
  if (!breaches.empty()) return failure(ErrorKind::bad_input, breaches.front());
  return protocol;
}

}  // namespace tenet::ir
