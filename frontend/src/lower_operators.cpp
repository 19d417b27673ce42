// Operators: logic with narrowing, equality with lifting, arithmetic.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "lowering.h"

namespace tenet::frontend {

using ast::BinaryOp;
using ir::TypeKind;

namespace {

bool is_number(TypeKind kind) { return kind == TypeKind::natural || kind == TypeKind::integer; }

ir::Op ir_op(BinaryOp op) {
  switch (op) {
    case BinaryOp::implies:
      return ir::Op::implies;
    case BinaryOp::iff:
      return ir::Op::iff;
    case BinaryOp::eq:
      return ir::Op::eq;
    case BinaryOp::ne:
      return ir::Op::ne;
    case BinaryOp::lt:
      return ir::Op::lt;
    case BinaryOp::le:
      return ir::Op::le;
    case BinaryOp::gt:
      return ir::Op::gt;
    case BinaryOp::ge:
      return ir::Op::ge;
    case BinaryOp::in:
    case BinaryOp::not_in:
      return ir::Op::contains;
    case BinaryOp::subset:
      return ir::Op::subset;
    case BinaryOp::add:
      return ir::Op::add;
    case BinaryOp::sub:
      return ir::Op::sub;
    case BinaryOp::mul:
      return ir::Op::mul;
    case BinaryOp::div:
      return ir::Op::div;
    case BinaryOp::mod:
      return ir::Op::mod;
    case BinaryOp::set_union:
      return ir::Op::set_union;
    case BinaryOp::set_difference:
      return ir::Op::set_difference;
    case BinaryOp::set_intersection:
      return ir::Op::set_intersection;
  }
  return ir::Op::eq;
}

}  // namespace

Lowering::ExprId Lowering::negation(const ast::Expr& e) {
  // A literal is read with its sign: the least number has no positive counterpart. All others an edit may name
  // without theirs.
  if (at(e.args[0]).kind == ExprKind::number) {
    const auto value = number({true, at(e.args[0]).name});
    if (!value) return {};
    if (plan_ == nullptr || *value == std::numeric_limits<std::int64_t>::min()) return make(e.span).integer(*value);
  }
  const ExprId operand = numeric(infer(e.args[0], p_.types.integer()), at(e.args[0]).span, "negated");
  if (!operand.valid()) return {};
  return make(e.span).unary(Op::neg, coerce(operand, p_.types.integer(), at(e.args[0]).span));
}

Lowering::ExprId Lowering::chain(const ast::Expr& e) { return chain_of(e.args, e.kind, e.span); }

Lowering::ExprId Lowering::chain_of(const std::vector<ast::ExprRef>& args, ExprKind kind, Span span) {
  const bool conjunction = kind == ExprKind::and_;
  const std::size_t mark = narrowing_.mark();
  std::vector<ExprId> lowered;
  bool ok = true;
  for (std::size_t i = 0; i < args.size(); ++i) {
    PlannedChange* planned = nullptr;
    const std::size_t run = edited_run(args, i, kind, planned);
    ExprId id;
    if (run > 0) {
      const auto first = args.begin() + static_cast<std::ptrdiff_t>(i);
      id = chain_of({first, first + static_cast<std::ptrdiff_t>(run)}, kind, span);
      replace(*planned, id, span);
      i += run - 1;
    } else {
      id = condition(args[i]);
    }
    ok = ok && id.valid();
    if (!id.valid()) continue;
    const Certain certain = certain_after(p_, id);
    narrowing_.learn(conjunction ? certain.if_true : certain.if_false);
    lowered.push_back(id);
  }
  narrowing_.restore(mark);
  if (!ok) return {};
  ir::Builder& b = make(span);
  return conjunction ? b.conjunction(std::move(lowered)) : b.disjunction(std::move(lowered));
}

Lowering::ExprId Lowering::binary(const ast::Expr& e, TypeId hint) {
  switch (e.op) {
    case BinaryOp::implies:
      return implication(e);
    case BinaryOp::iff: {
      const ExprId a = condition(e.args[0]);
      const ExprId b = condition(e.args[1]);
      return a.valid() && b.valid() ? make(e.span).binary(Op::iff, a, b) : ExprId{};
    }
    case BinaryOp::eq:
    case BinaryOp::ne:
      return equality(e);
    case BinaryOp::lt:
    case BinaryOp::le:
    case BinaryOp::gt:
    case BinaryOp::ge:
      return ordering(e);
    case BinaryOp::in:
    case BinaryOp::not_in:
      return membership(e);
    case BinaryOp::subset:
    case BinaryOp::set_union:
    case BinaryOp::set_difference:
    case BinaryOp::set_intersection:
      return set_operation(e, hint);
    default:
      return arithmetic(e, hint);
  }
}

Lowering::ExprId Lowering::implication(const ast::Expr& e) {
  const ExprId a = condition(e.args[0]);
  const std::size_t mark = narrowing_.mark();
  if (a.valid()) narrowing_.learn(certain_after(p_, a).if_true);
  const ExprId b = condition(e.args[1]);
  narrowing_.restore(mark);
  return a.valid() && b.valid() ? make(e.span).binary(Op::implies, a, b) : ExprId{};
}

bool Lowering::needs_context(ast::ExprRef ref) const {
  const ast::Expr& e = at(ref);
  switch (e.kind) {
    case ExprKind::none:
    case ExprKind::number:
      return true;
    case ExprKind::all:
      return e.name.empty();
    case ExprKind::some:
      return needs_context(e.args[0]);
    case ExprKind::set_literal:
      return std::all_of(e.args.begin(), e.args.end(), [this](ast::ExprRef arg) { return needs_context(arg); });
    case ExprKind::conditional:
      return needs_context(e.args[1]) && needs_context(e.args[2]);
    case ExprKind::name: {
      const auto member = symbols_.members.find(e.name.text);
      return member != symbols_.members.end() && find_local(e.name.text) == nullptr;
    }
    case ExprKind::binary:
      switch (e.op) {
        case BinaryOp::set_union:
        case BinaryOp::set_difference:
        case BinaryOp::set_intersection:
        case BinaryOp::add:
        case BinaryOp::sub:
        case BinaryOp::mul:
        case BinaryOp::div:
        case BinaryOp::mod:
          return needs_context(e.args[0]) && needs_context(e.args[1]);
        default:
          return false;
      }
    default:
      return false;
  }
}

bool Lowering::operands(const ast::Expr& e, TypeId hint, ExprId& a, ExprId& b) {
  const auto type_of = [this](ExprId id) { return id.valid() ? p_[id].type : TypeId{}; };
  const bool second_first = needs_context(e.args[0]) && !needs_context(e.args[1]);
  ast::ExprRef first_ref = e.args[second_first ? 1 : 0];
  ast::ExprRef second_ref = e.args[second_first ? 0 : 1];
  ExprId first = infer(first_ref, hint);
  // Compared with none, the option itself is meant.
  if (at(second_ref).kind == ExprKind::none) first = unnarrowed(first);
  if (!first.valid() && needs_context(second_ref)) return false;  // one message is enough
  ExprId second = infer(second_ref, first.valid() ? type_of(first) : hint);
  a = second_first ? second : first;
  b = second_first ? first : second;
  return a.valid() && b.valid();
}

bool Lowering::unify(ExprId& a, ExprId& b) {
  if (p_[a].type == p_[b].type) return true;
  const auto lift = [this](ExprId& option, ExprId& value) {
    const TypeId wanted_type = p_[option].type;
    if (!is(wanted_type, TypeKind::option)) return false;
    const ExprId raw = unnarrowed(value);
    if (p_[raw].type == wanted_type) {
      value = raw;
      return true;
    }
    const TypeId payload = shape(wanted_type).first;
    if (p_[value].type == payload) {
      value = b_.some(value);
      return true;
    }
    if (is(payload, TypeKind::integer) && is(p_[value].type, TypeKind::natural)) {
      value = b_.some(b_.unary(Op::to_int, value));
      return true;
    }
    return false;
  };
  const auto widen = [this](ExprId& integer, ExprId& natural) {
    if (!is(p_[integer].type, TypeKind::integer) || !is(p_[natural].type, TypeKind::natural)) return false;
    natural = b_.unary(Op::to_int, natural);
    return true;
  };
  return widen(a, b) || widen(b, a) || lift(a, b) || lift(b, a);
}

Lowering::ExprId Lowering::equality(const ast::Expr& e) {
  ExprId a;
  ExprId b;
  if (!operands(e, {}, a, b)) return {};
  make(e.span);
  if (!unify(a, b)) {
    report("type-mismatch", e.span,
           fmt::format("these cannot be equal: one is {}, the other {}", type_name(p_[a].type), type_name(p_[b].type)));
    return {};
  }
  return make(e.span).binary(ir_op(e.op), a, b);
}

Lowering::ExprId Lowering::numeric(ExprId id, Span span, std::string_view what) {
  if (!id.valid()) return {};
  const ir::Type t = shape(p_[id].type);
  if (is_number(t.kind)) return id;
  if (t.kind == TypeKind::option && is_number(shape(t.first).kind)) {
    may_be_none(id, span);
  } else {
    report("type-mismatch", span, fmt::format("only a number can be {}, and this is {}", what, type_name(p_[id].type)));
  }
  return {};
}

Lowering::ExprId Lowering::ordering(const ast::Expr& e) {
  ExprId a;
  ExprId b;
  if (!operands(e, {}, a, b)) return {};
  const auto ordered = [this](ExprId id, Span span) {
    const ir::Type t = shape(p_[id].type);
    if (ir::has_order(p_, p_[id].type)) return true;
    if (t.kind == TypeKind::option) {
      may_be_none(id, span);
    } else if (t.kind == TypeKind::sort) {
      const std::string& sort = p_[ir::SortId(t.declaration)].name;
      report("no-order", span, fmt::format("type '{}' has no order", sort),
             fmt::format("declare it 'type {} ordered'", sort));
    } else if (t.kind == TypeKind::structure) {
      const std::string& name = p_[ir::StructId(t.declaration)].name;
      report("no-order", span, fmt::format("struct '{}' has no order", name),
             fmt::format("declare it 'struct {} ordered {{ … }}' to compare field by field", name));
    } else if (t.kind == TypeKind::host) {
      report("no-order", span, "hosts have no order", "compare a constant of theirs, as in 'const id: nat unique'");
    } else {
      report("no-order", span, fmt::format("{} has no order", type_name(p_[id].type)),
             t.kind == TypeKind::set ? "'subset' compares sets" : "");
    }
    return false;
  };
  const bool left = ordered(a, at(e.args[0]).span);
  const bool right = ordered(b, at(e.args[1]).span);
  if (!left || !right) return {};
  make(e.span);
  if (!unify(a, b)) {
    report(
        "type-mismatch", e.span,
        fmt::format("these cannot be compared: one is {}, the other {}", type_name(p_[a].type), type_name(p_[b].type)));
    return {};
  }
  return make(e.span).binary(ir_op(e.op), a, b);
}

Lowering::ExprId Lowering::arithmetic(const ast::Expr& e, TypeId hint) {
  const TypeId integer = wanted(hint, TypeKind::integer);
  ExprId a;
  ExprId b;
  const bool both = operands(e, integer, a, b);
  if (both && is(p_[a].type, TypeKind::set) && (e.op == BinaryOp::add || e.op == BinaryOp::sub)) {
    report("type-mismatch", e.span, "sets are not added or subtracted",
           e.op == BinaryOp::add ? "write 'union'" : "write '\\' for the difference of sets");
    return {};
  }
  a = numeric(a, at(e.args[0]).span, "computed with");
  b = numeric(b, at(e.args[1]).span, "computed with");
  if (!a.valid() || !b.valid()) return {};
  if (integer.valid()) {
    a = coerce(a, integer, at(e.args[0]).span);
    b = coerce(b, integer, at(e.args[1]).span);
  }
  make(e.span);
  unify(a, b);
  return make(e.span).binary(ir_op(e.op), a, b);
}

Lowering::ExprId Lowering::conditional(const ast::Expr& e, TypeId hint) {
  const ExprId condition_id = condition(e.args[0]);
  const Certain certain = condition_id.valid() ? certain_after(p_, condition_id) : Certain{};
  const bool second_first = !hint.valid() && needs_context(e.args[1]) && !needs_context(e.args[2]);
  ExprId branches[2];
  TypeId expected = hint;
  for (const std::size_t i : second_first ? std::array<std::size_t, 2>{1, 0} : std::array<std::size_t, 2>{0, 1}) {
    const std::size_t mark = narrowing_.mark();
    narrowing_.learn(i == 0 ? certain.if_true : certain.if_false);
    branches[i] = infer(e.args[1 + i], expected);
    narrowing_.restore(mark);
    if (!expected.valid() && branches[i].valid()) expected = p_[branches[i]].type;
  }
  if (!condition_id.valid() || !branches[0].valid() || !branches[1].valid()) return {};
  make(e.span);
  // A branch of the type that is wanted decides; else the two must agree.
  if (hint.valid() && (is(hint, TypeKind::option) || is(hint, TypeKind::integer)) &&
      p_[branches[0]].type != p_[branches[1]].type) {
    for (std::size_t i = 0; i < 2; ++i) branches[i] = coerce(branches[i], hint, at(e.args[1 + i]).span);
    if (!branches[0].valid() || !branches[1].valid()) return {};
  }
  if (!unify(branches[0], branches[1])) {
    report("type-mismatch", e.span,
           fmt::format("the two results differ: one is {}, the other {}", type_name(p_[branches[0]].type),
                       type_name(p_[branches[1]].type)));
    return {};
  }
  return make(e.span).ite(condition_id, branches[0], branches[1]);
}

}  // namespace tenet::frontend
