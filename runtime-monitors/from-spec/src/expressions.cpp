#include "expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "tenet/ir/printer.h"

namespace tenet::from_spec {

using ir::Expr;
using ir::ExprId;
using ir::Op;

namespace {

std::string bracketed(std::string text, int mine, int around) {
  return mine <= around ? "(" + std::move(text) + ")" : text;
}

}  // namespace

std::set<ir::RoleId> senders(const ir::Protocol& p, ir::MessageId message) {
  std::set<ir::RoleId> roles;
  for (const ir::Step& step : p.steps) {
    const std::function<void(const std::vector<ir::StmtId>&)> look = [&](const std::vector<ir::StmtId>& stmts) {
      for (const ir::StmtId id : stmts) {
        const ir::Stmt& stmt = p[id];
        if (stmt.kind == ir::StmtKind::send && stmt.message == message) roles.insert(step.role);
        look(stmt.then_branch);
        look(stmt.else_branch);
      }
    };
    look(step.body);
  }
  return roles;
}

std::string seen_member(const ir::Protocol& p, ir::TypeId type) {
  std::string name = "seen_";
  for (const char c : ir::to_source(p, type)) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return snake(name);
}

std::string Expressions::fail(const std::string& what) {
  if (unsupported_.empty()) unsupported_ = what;
  return "false";
}

std::string Expressions::call(const char* name, const Expr& e) {
  std::string out = std::string(name) + "(";
  for (std::size_t i = 0; i < e.args.size(); ++i) out += (i == 0 ? "" : ", ") + write(e.args[i]);
  return out + ")";
}

std::string Expressions::order(const Expr& e, const char* op) {
  if (p_[p_[e.args[0]].type].kind != ir::TypeKind::structure) return comparison(e, op);
  // Structs have only `<`.
  const std::string a = write(e.args[0], kCompare);
  const std::string b = write(e.args[1], kCompare);
  if (e.op == Op::lt) return fmt::format("{} < {}", a, b);
  if (e.op == Op::gt) return fmt::format("{} < {}", b, a);
  return e.op == Op::le ? fmt::format("!({} < {})", b, a) : fmt::format("!({} < {})", a, b);
}

std::string Expressions::comparison(const Expr& e, const char* op) {
  return fmt::format("{} {} {}", write(e.args[0], kCompare), op, write(e.args[1], kCompare));
}

std::string Expressions::equality(const Expr& e, bool equal) {
  for (const int side : {0, 1}) {
    const Expr& one = p_[e.args[static_cast<std::size_t>(side)]];
    const ExprId other = e.args[static_cast<std::size_t>(1 - side)];
    if (one.op == Op::none) return (equal ? "!" : "") + operand(other) + ".has_value()";
    if (one.op == Op::set_literal && one.args.empty()) return (equal ? "" : "!") + operand(other) + ".empty()";
    if (one.op == Op::some && p_[other].op != Op::some) {  // an optional compares with its payload
      return fmt::format("{} {} {}", write(other, kCompare), equal ? "==" : "!=", write(one.args[0], kCompare));
    }
  }
  return comparison(e, equal ? "==" : "!=");
}

std::optional<ExprId> Expressions::bounding_set(ExprId body, ir::LocalId binder, bool universal) const {
  const Expr& e = p_[body];
  if (universal) {
    return e.op == Op::implies ? bounding_set(e.args[0], binder, false) : std::nullopt;
  }
  if (e.op == Op::and_) return bounding_set(e.args[0], binder, false);
  if (e.op != Op::contains || p_[e.args[0]].op != Op::local || p_[e.args[0]].ref != binder.value) return std::nullopt;
  // The set must not depend on the bound variable itself.
  return mentions(e.args[1], binder) ? std::nullopt : std::optional<ExprId>(e.args[1]);
}

bool Expressions::mentions(ExprId id, ir::LocalId local) const {
  const Expr& e = p_[id];
  if (e.op == Op::local && e.ref == local.value) return true;
  return std::any_of(e.args.begin(), e.args.end(), [&](ExprId arg) { return arg.valid() && mentions(arg, local); });
}

std::string Expressions::range(ir::LocalId binder, bool& seen_only) {
  const ir::TypeId type = p_[binder].type;
  const ir::Type& t = p_[type];
  switch (t.kind) {
    case ir::TypeKind::host:
      return types_.all_hosts(ir::RoleId(t.declaration));
    case ir::TypeKind::boolean:
      return "std::initializer_list<bool>{false, true}";
    case ir::TypeKind::enumeration: {
      std::string all;
      for (const std::string& name : p_.enums[t.declaration].members) {
        all += (all.empty() ? "" : ", ") + types_.model(type) + "::" + member(name);
      }
      return fmt::format("std::initializer_list<{}>{{{}}}", types_.model(type), all);
    }
    default:
      break;
  }
  if (acting_.valid()) return fail("a quantifier over " + ir::to_source(p_, type) + " in a step");
  if (!types_.supported(type)) return fail("values of type " + ir::to_source(p_, type));
  seen_only = true;
  seen_types_.insert(type);
  return "run_->" + seen_member(p_, type);
}

std::string Expressions::write_about(ExprId formula, ir::LocalId host, bool since) {
  about_ = host;
  since_ = since;
  const Expr& e = p_[formula];
  return within(e, 0);
}

std::string Expressions::quantifier(const Expr& e) { return quantifier(e, 0); }

std::string Expressions::quantifier(const Expr& e, std::size_t index) {
  const ir::LocalId binder = e.binders[index];
  const bool universal = e.op == Op::forall;
  bool seen_only = false;
  std::string over;
  if (e.args.size() > 1) {
    over = write(e.args[1]);
  } else if (const auto set = types_.open(p_[binder].type) && index + 1 == e.binders.size()
                                  ? bounding_set(e.args[0], binder, universal)
                                  : std::nullopt) {
    over = write(*set);
  } else {
    over = range(binder, seen_only);
  }
  const std::string& name = locals_[binder];
  const std::string body = within(e, index);
  const char* word = universal ? "forall" : seen_only ? "exists_seen" : "exists";
  return fmt::format("{}({}, {}, [&](const {}& {}) {{ return {}; }})", word, literal(p_[binder].name), over,
                     types_.model(p_[binder].type), name, body);
}

// Of `forall x, y :: a and b => c`, what does not mention y is asked before y is bound: most often nothing is left to
// do then.
std::string Expressions::within(const Expr& e, std::size_t index) {
  if (index + 1 == e.binders.size()) return write(e.args[0]);
  std::string inner = quantifier(e, index + 1);
  const Expr& body = p_[e.args[0]];
  if (e.op != Op::forall || body.op != Op::implies) return inner;
  const Expr& left = p_[body.args[0]];
  std::vector<ExprId> conditions = {body.args[0]};
  if (left.op == Op::and_) conditions.assign(left.args.begin(), left.args.end());
  std::string early;
  for (const ExprId condition : conditions) {
    const auto later = std::any_of(e.binders.begin() + static_cast<std::ptrdiff_t>(index) + 1, e.binders.end(),
                                   [&](ir::LocalId binder) { return mentions(condition, binder); });
    // What mentions no variable bound here was asked further out, if at all.
    if (later || !mentions(condition, e.binders[index])) break;
    early += (early.empty() ? "" : " && ") + write(condition, kUnary);
  }
  return early.empty() ? inner : fmt::format("!({}) || {}", early, inner);
}

std::string Expressions::sum(const Expr& e, std::size_t index) {
  const ir::LocalId binder = e.binders[index];
  bool seen_only = false;
  const std::string over = e.args.size() > 1 ? write(e.args[1]) : range(binder, seen_only);
  // What was not seen has a value, too.
  if (seen_only) return fail("a sum over all values of type " + ir::to_source(p_, p_[binder].type));
  const std::string term = index + 1 == e.binders.size() ? write(e.args[0]) : sum(e, index + 1);
  return fmt::format("sum({}, [&](const {}& {}) {{ return {}; }})", over, types_.model(p_[binder].type),
                     locals_[binder], term);
}

std::string Expressions::sent(const Expr& e) {
  const ir::MessageId message{e.ref};
  const ir::MessageDecl& decl = p_[message];
  messages_read_.insert(message);
  std::string condition;
  const auto also = [&](const std::string& member, const std::string& wanted) {
    condition += (condition.empty() ? "" : " && ") + ("m." + member) + " == " + wanted;
  };
  for (std::size_t i = 0; i < decl.fields.size(); ++i) {
    if (e.args[i].valid()) also(member(decl.fields[i].name), write(e.args[i], kCompare));
  }
  std::string from;
  if (e.value == 1) {
    const std::size_t n = decl.fields.size();
    if (e.args[n].valid()) also("from_host", from = "id(" + write(e.args[n]) + ")");
    if (e.args[n + 1].valid()) also("to_host", "id(" + write(e.args[n + 1]) + ")");
  }
  // That a message is not among those known says nothing if a host that may have sent it is not completely known.
  std::string complete = from;
  if (from.empty()) {
    for (const ir::RoleId role : senders(p_, message)) {
      complete += (complete.empty() ? "" : ", ") + types_.all_hosts(role);
    }
  }
  const std::string match = condition.empty()
                                ? fmt::format("[](const model::{}&) {{ return true; }}", safe(decl.name))
                                : fmt::format("[&](const model::{}& m) {{ return {}; }}", safe(decl.name), condition);
  return fmt::format("was_sent(run_->sent.{}, {}{}{})", types_.messages(message), match, complete.empty() ? "" : ", ",
                     complete);
}

std::string Expressions::cell(const Expr& e, const std::string& member, bool constant) {
  const Expr& host = p_[e.args[0]];
  const ir::Type& type = p_[host.type];
  const ir::RoleId role(type.declaration);
  if (acting_.valid() && role == acting_ && (host.op == Op::self || host.op == Op::single_host))
    return "self." + member;
  const bool own = about_.valid() && host.op == Op::local && host.ref == about_.value;
  const char* word = constant ? "constants" : old_ && since_ ? "earlier" : old_ ? "old_state" : own ? "own" : "state";
  return fmt::format("{}({}).{}", word, write(e.args[0]), member);
}

std::string Expressions::write(ExprId id, int around) {
  const Expr& e = p_[id];
  switch (e.op) {
    case Op::and_:
    case Op::or_: {
      const int mine = e.op == Op::and_ ? kAnd : kOr;
      std::string out;
      for (const ExprId arg : e.args) {
        // Both are kept apart by brackets, as compilers advise.
        const bool mixed = p_[arg].op != e.op && (p_[arg].op == Op::and_ || p_[arg].op == Op::or_);
        out += (out.empty() ? "" : e.op == Op::and_ ? " && " : " || ") + write(arg, mixed ? kUnary : mine - 1);
      }
      return bracketed(out, mine, around);
    }
    case Op::implies: {
      const bool mixed = p_[e.args[1]].op == Op::and_;
      return bracketed(fmt::format("!{} || {}", write(e.args[0], kUnary), write(e.args[1], mixed ? kUnary : kOr - 1)),
                       kOr, around);
    }
    case Op::iff:
      return bracketed(comparison(e, "=="), kCompare, around);
    case Op::not_:
      return bracketed("!" + write(e.args[0], kUnary), kUnary, around - 1);
    case Op::eq: {
      const std::string text = equality(e, true);
      return text.find(" == ") == std::string::npos ? text : bracketed(text, kCompare, around);
    }
    case Op::ne: {
      const std::string text = equality(e, false);
      return text.find(" != ") == std::string::npos ? text : bracketed(text, kCompare, around);
    }
    case Op::lt:
      return bracketed(order(e, "<"), kCompare, around);
    case Op::le:
      return bracketed(order(e, "<="), kCompare, around);
    case Op::gt:
      return bracketed(order(e, ">"), kCompare, around);
    case Op::ge:
      return bracketed(order(e, ">="), kCompare, around);
    case Op::ite:
      return fmt::format("({} ? {} : {})", write(e.args[0], kOr), write(e.args[1], kOr), write(e.args[2], kOr));
    default:
      return other(id, e);
  }
}

std::string Expressions::other(ExprId id, const Expr& e) {
  switch (e.op) {
    case Op::bool_literal:
      return e.value != 0 ? "true" : "false";
    case Op::int_literal:
      // C++ reads a literal without its sign: the least number has none.
      if (e.value == std::numeric_limits<std::int64_t>::min()) return "std::int64_t{-9223372036854775807 - 1}";
      return fmt::format("std::int64_t{{{}}}", e.value);
    case Op::enum_literal: {
      const ir::EnumDecl& decl = p_.enums[p_[e.type].declaration];
      return safe(decl.name) + "::" + member(decl.members[static_cast<std::size_t>(e.value)]);
    }
    case Op::none:
    case Op::empty_map:
      return types_.model(e.type) + "()";
    case Op::all_hosts:
      return types_.all_hosts(ir::RoleId(p_[p_[e.type].first].declaration));
    case Op::role_size:
      return "count(" + types_.all_hosts(ir::RoleId(e.ref)) + ")";
    case Op::local:
      return locals_[ir::LocalId(e.ref)];
    case Op::self:
      return "me";
    case Op::single_host:
      return types_.host_id(ir::RoleId(e.ref)) + "(0)";
    case Op::state_var:
      variables_read_.insert(ir::VarId(e.ref));
      return cell(e, member(p_[ir::VarId(e.ref)].name), false);
    case Op::host_const:
      return cell(e, member(p_[ir::ConstId(e.ref)].name), true);
    case Op::global_const: {
      const ir::ConstDecl& decl = p_[ir::ConstId(e.ref)];
      if (decl.kind == ir::ConstKind::ring_next) return call("next", e);
      if (decl.kind == ir::ConstKind::ring_between) return call("between", e);
      if (!decl.parameters.empty()) return fail("the relation or function '" + decl.name + "'");
      if (decl.kind == ir::ConstKind::defined) return write(decl.value, kPostfix);
      return "topology_." + member(decl.name);
    }
    case Op::add:
      return call("plus", e);
    case Op::sub:
      return call(p_[e.type].kind == ir::TypeKind::natural ? "natural_minus" : "minus", e);
    case Op::mul:
      return call("times", e);
    case Op::div:
      return call("divided", e);
    case Op::mod:
      return call("modulo", e);
    case Op::neg:
      return "minus(0, " + write(e.args[0]) + ")";
    case Op::to_int:
      return write(e.args[0], kPostfix);
    case Op::some:
      return types_.model(e.type) + "(" + write(e.args[0]) + ")";
    case Op::get:
      return call("value", e);
    case Op::make_struct: {
      std::string out = types_.model(e.type) + "{";
      for (std::size_t i = 0; i < e.args.size(); ++i) out += (i == 0 ? "" : ", ") + write(e.args[i]);
      return out + "}";
    }
    case Op::field: {
      const ir::StructDecl& decl = p_.structs[p_[p_[e.args[0]].type].declaration];
      return operand(e.args[0]) + "." + member(decl.fields[e.ref].name);
    }
    case Op::with_field: {
      const ir::StructDecl& decl = p_.structs[p_[e.type].declaration];
      return fmt::format("with({}, &{}::{}, {})", write(e.args[0]), types_.model(e.type),
                         member(decl.fields[e.ref].name), write(e.args[1]));
    }
    case Op::set_literal: {
      std::string out = types_.model(e.type) + "{";
      for (std::size_t i = 0; i < e.args.size(); ++i) out += (i == 0 ? "" : ", ") + write(e.args[i]);
      return out + "}";
    }
    case Op::contains:
      return fmt::format("has({}, {})", write(e.args[1]), write(e.args[0]));
    case Op::subset:
      return call("subset", e);
    case Op::set_union:
      return call("unite", e);
    case Op::set_intersection:
      return call("common", e);
    case Op::set_difference:
      return call("without", e);
    case Op::cardinality:
      return call("count", e);
    case Op::majority: {
      const ir::RoleId role(p_[p_[p_[e.args[0]].type].first].declaration);
      return fmt::format("majority({}, {})", write(e.args[0]), types_.all_hosts(role));
    }
    case Op::set_build: {
      bool seen_only = false;
      const ir::LocalId binder = e.binders[0];
      const std::string over = e.args[0].valid() ? write(e.args[0]) : range(binder, seen_only);
      if (seen_only) return fail("a set of all values of type " + ir::to_source(p_, p_[binder].type));
      return fmt::format("chosen<{0}>({1}, [&](const {0}& {2}) {{ return {3}; }})", types_.model(p_[binder].type), over,
                         locals_[binder], write(e.args[1]));
    }
    case Op::map_get:
      return call("at", e);
    case Op::map_has:
      return fmt::format("({}.count({}) != 0)", operand(e.args[0]), write(e.args[1]));
    case Op::map_put:
      return call("put", e);
    case Op::map_remove:
      return call("removed", e);
    case Op::map_keys:
      return call("keys", e);
    case Op::constant_function:
      return fmt::format("{}{{{}, {{}}}}", types_.model(e.type), write(e.args[0]));
    case Op::apply:
      return fmt::format("{}({})", operand(e.args[0]), write(e.args[1]));
    case Op::update:
      return call("updated", e);
    case Op::function_build: {
      const ir::LocalId binder = e.binders[0];
      if (p_[p_[binder].type].kind != ir::TypeKind::host) {
        return fail("a function of all values of type " + ir::to_source(p_, p_[binder].type));
      }
      bool seen_only = false;
      return fmt::format("tabulated<{0}, {1}>({2}, [&](const {0}& {3}) {{ return {4}; }})",
                         types_.model(p_[binder].type), types_.model(p_[e.type].second), range(binder, seen_only),
                         locals_[binder], write(e.args[0]));
    }
    case Op::forall:
    case Op::exists:
      return quantifier(e);
    case Op::sum:
      return sum(e, 0);
    case Op::old: {
      old_ = true;
      std::string out = write(e.args[0], kPostfix);
      old_ = false;
      return out;
    }
    case Op::sent:
      if (old_) return fail("'sent' in the state before a step");
      return sent(e);
    default:
      return fail("'" + ir::to_source(p_, id) + "'");
  }
}

}  // namespace tenet::from_spec
