// Expressions: dispatch, literals, conversions and narrowed reads.
#include <fmt/format.h>

#include <charconv>

#include "lowering.h"

namespace tenet::frontend {

using ir::TypeKind;

std::string Lowering::source(ast::ExprRef ref) const {
  constexpr std::size_t kLongest = 60;
  std::string text;
  // Blanks and line breaks of the user's layout do not belong in a message.
  for (const char c : file_->text(at(ref).span)) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank) text += c;
    if (blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "…";
}

void Lowering::report(std::string_view id, Span span, std::string message, std::string hint) {
  if (reported_ > kMaxErrors) return;
  if (++reported_ > kMaxErrors) {
    diagnostics_->error("too-many-errors", span, fmt::format("more than {} errors: the rest is not shown", kMaxErrors));
    return;
  }
  diagnostics_->error(std::string(id), span, std::move(message), std::move(hint));
}

Lowering::ExprId Lowering::check(ast::ExprRef ref, TypeId expected) {
  const ExprId lowered = lower(ref, expected);
  const ExprId result = coerce(lowered, expected, at(ref).span);
  look_for_edit(ref, result);
  return result;
}

Lowering::ExprId Lowering::infer(ast::ExprRef ref, TypeId hint) {
  const ExprId result = lower(ref, hint);
  look_for_edit(ref, result);
  return result;
}

Lowering::ExprId Lowering::lower(ast::ExprRef ref, TypeId hint) {
  const ast::Expr& e = at(ref);
  const TypeId function = is_lambda(e) ? wanted(hint, TypeKind::function) : TypeId{};
  if (function.valid()) return lambda(e, function);
  switch (e.kind) {
    case ExprKind::number:
    case ExprKind::decimal:
    case ExprKind::boolean:
    case ExprKind::none:
    case ExprKind::some:
      return literal(e, hint);
    case ExprKind::self:
      return self(e.span);
    case ExprKind::all:
      return all(e, hint);
    case ExprKind::name:
      return name(e, hint);
    case ExprKind::call:
      return call(e);
    case ExprKind::field:
      return field(e);
    case ExprKind::index:
      return index(e);
    case ExprKind::not_: {
      const ExprId operand = condition(e.args[0]);
      return operand.valid() ? make(e.span).negate(operand) : ExprId{};
    }
    case ExprKind::negate:
      return negation(e);
    case ExprKind::and_:
    case ExprKind::or_:
      return chain(e);
    case ExprKind::binary:
      return binary(e, hint);
    case ExprKind::conditional:
      return conditional(e, hint);
    case ExprKind::quantifier:
      return quantifier(e);
    case ExprKind::cardinality:
      return cardinality(e);
    case ExprKind::majority:
      return majority(e);
    case ExprKind::sent:
      return sent(e);
    case ExprKind::old:
      return old(e);
    case ExprKind::once:
      refuse(e.span, "'once'", "speak of the past with 'sent', or keep a variable");
      return {};
    case ExprKind::sum:
      return sum(e, hint);
    case ExprKind::weighted_sum:
      refuse(e.span, "a weighted 'sum'", "add up with bound names, as in 'sum h: Host :: h.weight'");
      return {};
    case ExprKind::keys:
      return keys(e);
    case ExprKind::set_literal:
      return set_literal(e, hint);
    case ExprKind::set_build:
      return set_build(e);
  }
  return {};
}

Lowering::ExprId Lowering::need_type(Span span, std::string_view what, std::string_view hint) {
  report("unknown-meaning", span, fmt::format("the type of {} is not known here", what), std::string(hint));
  return {};
}

Lowering::ExprId Lowering::literal(const ast::Expr& e, TypeId hint) {
  switch (e.kind) {
    case ExprKind::boolean:
      return make(e.span).boolean(e.flag);
    case ExprKind::decimal:
      refuse(e.span, "a number with a fraction", "use 'int' or 'nat'");
      return {};
    case ExprKind::number: {
      const auto value = number({false, e.name});
      if (!value) return {};
      return wanted(hint, TypeKind::integer).valid() ? make(e.span).integer(*value) : make(e.span).natural(*value);
    }
    case ExprKind::none: {
      const TypeId option = wanted(hint, TypeKind::option);
      if (option.valid()) return make(e.span).none(option);
      if (hint.valid()) {
        report("type-mismatch", e.span, fmt::format("found 'none', expected {}", type_name(hint)),
               "only an option can be none");
        return {};
      }
      return need_type(e.span, "'none'", "compare it with, or assign it to, something that has a type");
    }
    default: {
      const TypeId option = wanted(hint, TypeKind::option);
      const ExprId payload = infer(e.args[0], option.valid() ? shape(option).first : hint);
      if (!payload.valid()) return {};
      const ExprId fitting = option.valid() ? coerce(payload, shape(option).first, at(e.args[0]).span) : payload;
      return fitting.valid() ? make(e.span).some(fitting) : ExprId{};
    }
  }
}

Lowering::ExprId Lowering::unnarrowed(ExprId id) {
  if (!id.valid()) return id;
  const ir::Expr& e = p_[id];
  if (e.op != Op::get || e.value != 1) return id;
  const ExprId option = e.args[0];
  if (plan_ != nullptr) {
    // An edit of the narrowed read is one of the option now.
    for (ir::Edit& edit : plan_->edits) {
      auto* replaced = std::get_if<ir::ReplaceExpr>(&edit);
      if (replaced == nullptr || replaced->from != id) continue;
      replaced->from = option;
      replaced->to = b_.some(replaced->to);
    }
  }
  return option;
}

Lowering::ExprId Lowering::narrowed(ExprId id) {
  if (!id.valid() || !is(p_[id].type, TypeKind::option)) return id;
  const auto key = path_key(p_, id);
  if (!key || !narrowing_.knows(*key)) return id;
  return b_.get(id, true);
}

void Lowering::may_be_none(ExprId option, Span span) {
  const std::string text(diagnostics_ == nullptr ? std::string_view{} : file_->text(span));
  const bool path = path_key(p_, option).has_value();
  report("may-be-none", span, fmt::format("this may be none: its type is {}", type_name(p_[option].type)),
         path && text.size() < 40 ? fmt::format("compare it first, as in '{} != none and …'", text)
                                  : "bind it with 'let' and compare that with none first");
}

void Lowering::mismatch(Span span, TypeId expected, TypeId found) {
  report("type-mismatch", span, fmt::format("found {}, expected {}", type_name(found), type_name(expected)));
}

Lowering::ExprId Lowering::coerce(ExprId id, TypeId expected, Span span) {
  if (!id.valid() || !expected.valid()) return {};
  const TypeId found = p_[id].type;
  if (found == expected) return id;
  const ir::Type to = p_.types[expected];
  const ir::Type from = p_.types[found];
  if (to.kind == TypeKind::integer && from.kind == TypeKind::natural) return make(span).unary(Op::to_int, id);
  if (to.kind == TypeKind::option) {
    const ExprId raw = unnarrowed(id);
    if (p_[raw].type == expected) return raw;
    if (from.kind != TypeKind::option) {
      const ExprId payload = coerce(id, to.first, span);
      return payload.valid() ? make(span).some(payload) : ExprId{};
    }
  }
  // One value for every argument.
  if (to.kind == TypeKind::function && from.kind != TypeKind::function) {
    const ExprId value = coerce(id, to.second, span);
    return value.valid() ? make(span).constant_function(expected, value) : ExprId{};
  }
  if (from.kind == TypeKind::option && from.first == expected) {
    may_be_none(id, span);
    return {};
  }
  if (to.kind == TypeKind::natural && from.kind == TypeKind::integer) {
    report("type-mismatch", span, "found int, expected nat", "an int may be below zero; declare it a nat");
    return {};
  }
  mismatch(span, expected, found);
  return {};
}

std::optional<std::int64_t> Lowering::number(const ast::Number& number) {
  // With its sign, because the least number is further from zero than the largest.
  std::string digits = number.negative ? "-" : "";
  for (const char c : number.digits.text) {
    if (c != '_') digits += c;
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    const auto written = number.digits.text.substr(0, 40);
    report("number-too-large", number.digits.span,
           number.negative ? fmt::format("number '-{}' is too small: literals go down to {}", written,
                                         std::numeric_limits<std::int64_t>::min())
                           : fmt::format("number '{}' is too large: literals go up to {}", written,
                                         std::numeric_limits<std::int64_t>::max()));
    return std::nullopt;
  }
  return value;
}

}  // namespace tenet::frontend
