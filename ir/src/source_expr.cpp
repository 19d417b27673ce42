/// Expressions in the protocol language's own words.
#include <fmt/format.h>

#include "tenet/ir/printer.h"

namespace tenet::ir {

namespace {

/// How tightly an operator of the grammar binds, loosest first.
enum Precedence : int {
  kQuantifier,  // also k => e
  kConditional,
  kImplication,
  kDisjunction,
  kConjunction,
  kNegation,
  kComparison,
  kSum,
  kTerm,
  kNegative,
  kPostfix,
};

struct Operator {
  const char* text;
  Precedence precedence;
};

/// Operators written between two operands.
Operator infix(Op op) {
  switch (op) {
    case Op::and_:
      return {"and", kConjunction};
    case Op::or_:
      return {"or", kDisjunction};
    case Op::implies:
      return {"=>", kImplication};
    case Op::iff:
      return {"<=>", kImplication};
    case Op::eq:
      return {"==", kComparison};
    case Op::ne:
      return {"!=", kComparison};
    case Op::lt:
      return {"<", kComparison};
    case Op::le:
      return {"<=", kComparison};
    case Op::gt:
      return {">", kComparison};
    case Op::ge:
      return {">=", kComparison};
    case Op::contains:
      return {"in", kComparison};
    case Op::subset:
      return {"subset", kComparison};
    case Op::add:
    case Op::seq_append:
      return {"+", kSum};
    case Op::sub:
    case Op::map_remove:
      return {"-", kSum};
    case Op::set_union:
      return {"union", kSum};
    case Op::set_difference:
      return {"\\", kSum};
    case Op::mul:
      return {"*", kTerm};
    case Op::div:
      return {"/", kTerm};
    case Op::mod:
      return {"%", kTerm};
    case Op::set_intersection:
      return {"intersect", kTerm};
    default:
      return {nullptr, kPostfix};
  }
}

class ExprText {
 public:
  explicit ExprText(const Protocol& protocol) : p_(protocol) {}

  /// `least`: what binds looser gets brackets. `last`: nothing follows, so a
  /// quantifier may stand here bare.
  std::string text(ExprId id, int least, bool last) const;

 private:
  std::string inner(ExprId id) const { return text(id, kQuantifier, true); }
  std::string list(const std::vector<ExprId>& args, std::size_t from = 0) const;
  std::string call(const std::string& name, const std::vector<ExprId>& args) const;
  std::string binary(const Expr& e, Operator op, int least, bool last) const;
  std::string quantifier(const Expr& e) const;
  std::string of_host(const std::string& name, ExprId host) const;
  std::string leaf(const Expr& e) const;
  std::string negation(const Expr& e, int least, bool last) const;
  std::string conditional(const Expr& e, int least, bool last) const;
  std::string other(ExprId id, int least) const;
  std::string primary(const Expr& e) const;
  std::string updated(const Expr& e) const;
  std::string set_build(const Expr& e) const;
  std::string sent(const Expr& e) const;
  std::string postfix(ExprId id) const { return text(id, kPostfix, false); }

  const Protocol& p_;
};

std::string bracketed(bool wanted, const std::string& text) { return wanted ? "(" + text + ")" : text; }

std::string ExprText::list(const std::vector<ExprId>& args, std::size_t from) const {
  std::string result;
  for (std::size_t i = from; i < args.size(); ++i) {
    if (i > from) result += ", ";
    result += args[i].valid() ? inner(args[i]) : "_";
  }
  return result;
}

std::string ExprText::call(const std::string& name, const std::vector<ExprId>& args) const {
  return args.empty() ? name : fmt::format("{}({})", name, list(args));
}

std::string ExprText::binary(const Expr& e, Operator op, int least, bool last) const {
  const bool brackets = op.precedence < least;
  // A quantifier may follow these three bare, if nothing follows it.
  const bool logical = op.precedence <= kConjunction;
  const bool right_bare = logical && (last || brackets) && e.op != Op::iff;
  int left_least = op.precedence;
  int right_least = op.precedence + 1;
  if (e.op == Op::implies) {
    left_least = kDisjunction;
    right_least = kImplication;
  } else if (op.precedence == kImplication || op.precedence == kComparison) {
    left_least = right_least = op.precedence + 1;  // neither chains
  }
  // A sum reaches over arithmetic and not over a comparison.
  const auto least_of = [&](ExprId arg, int usual) {
    return op.precedence == kComparison && p_[arg].op == Op::sum ? kQuantifier : usual;
  };
  std::string result = text(e.args.front(), least_of(e.args.front(), left_least), false);
  for (std::size_t i = 1; i < e.args.size(); ++i) {
    const bool at_end = i + 1 == e.args.size();
    const Op operand = p_[e.args[i]].op;
    const bool bare = at_end && right_bare && (operand == Op::forall || operand == Op::exists);
    // A nested implication on the right is no operand of `<=>`: `a => (b <=> c)`.
    const bool iff_right = e.op == Op::implies && operand == Op::iff;
    result += fmt::format(" {} {}", op.text,
                          text(e.args[i],
                               bare        ? kQuantifier
                               : iff_right ? kImplication + 1
                                           : least_of(e.args[i], right_least),
                               at_end && (last || brackets)));
  }
  return bracketed(brackets, result);
}

std::string ExprText::quantifier(const Expr& e) const {
  std::string binders;
  for (std::size_t i = 0; i < e.binders.size(); ++i) {
    const LocalDecl& local = p_[e.binders[i]];
    binders += local.name;
    const bool over_set = e.args.size() > 1;
    const bool type_follows = i + 1 == e.binders.size() || p_[e.binders[i + 1]].type != local.type;
    if (over_set) {
      binders += " in " + text(e.args[1], kConditional, false);
    } else if (type_follows) {
      binders += ": " + to_source(p_, local.type);
    }
    if (i + 1 < e.binders.size()) binders += ", ";
  }
  if (e.op == Op::sum) return fmt::format("sum {} :: {}", binders, text(e.args[0], kSum, false));
  return fmt::format("{} {} :: {}", e.op == Op::forall ? "forall" : "exists", binders, inner(e.args[0]));
}

/// `decision` of the acting host, `p.decision` of another.
std::string ExprText::of_host(const std::string& name, ExprId host) const {
  if (p_[host].op == Op::self) return name;
  return fmt::format("{}.{}", postfix(host), name);
}

std::string decimal(std::int64_t value, std::uint32_t digits) {
  std::string text = std::to_string(value);
  const bool negative = text.front() == '-';
  if (negative) text.erase(0, 1);
  if (text.size() <= digits) text.insert(0, digits + 1 - text.size(), '0');
  if (digits > 0) text.insert(text.size() - digits, ".");
  return negative ? "-" + text : text;
}

std::string ExprText::leaf(const Expr& e) const {
  switch (e.op) {
    case Op::bool_literal:
      return e.value != 0 ? "true" : "false";
    case Op::int_literal:
      return std::to_string(e.value);
    case Op::real_literal:
      return decimal(e.value, e.ref);
    case Op::enum_literal:
      return p_.enums[p_[e.type].declaration].members[static_cast<std::size_t>(e.value)];
    case Op::none:
      return "none";
    case Op::empty_map:
      return "{}";
    case Op::all_hosts:
      return "all " + p_.roles[p_[p_[e.type].first].declaration].name;
    case Op::role_size:
      return fmt::format("|{}|", p_.roles[e.ref].name);
    case Op::local:
      return p_.locals[e.ref].name;
    case Op::single_host:
      return p_.roles[e.ref].name;
    default:
      return "self";
  }
}

std::string ExprText::negation(const Expr& e, int least, bool last) const {
  const Expr& inside = p_[e.args[0]];
  if (inside.op == Op::contains || inside.op == Op::map_has) {
    const std::size_t element = inside.op == Op::contains ? 0 : 1;
    return bracketed(kComparison < least, fmt::format("{} not in {}", text(inside.args[element], kSum, false),
                                                      text(inside.args[1 - element], kSum, false)));
  }
  const bool brackets = kNegation < least;
  return bracketed(brackets, "not " + text(e.args[0], kNegation, last || brackets));
}

std::string ExprText::conditional(const Expr& e, int least, bool last) const {
  const bool brackets = kConditional < least;
  return bracketed(
      brackets, fmt::format("{} ? {} : {}", text(e.args[0], kImplication, false), text(e.args[1], kImplication, false),
                            text(e.args[2], last || brackets ? kQuantifier : kConditional, last || brackets)));
}

/// A changed copy, which the language writes only on the left of `=`.
std::string ExprText::updated(const Expr& e) const {
  if (e.op == Op::with_field) {
    const StructDecl& decl = p_.structs[p_[e.type].declaration];
    return fmt::format("{}[.{} := {}]", postfix(e.args[0]), decl.fields[e.ref].name, inner(e.args[1]));
  }
  return fmt::format("{}[{} := {}]", postfix(e.args[0]), inner(e.args[1]), inner(e.args[2]));
}

std::string ExprText::set_build(const Expr& e) const {
  const LocalDecl& binder = p_[e.binders.front()];
  const std::string from = e.args[0].valid() ? " in " + inner(e.args[0]) : ": " + to_source(p_, binder.type);
  return fmt::format("{{{}{} where {}}}", binder.name, from, inner(e.args[1]));
}

std::string ExprText::sent(const Expr& e) const {
  const MessageDecl& message = p_[MessageId(e.ref)];
  const std::size_t fields = message.fields.size();
  const std::vector<ExprId> args(e.args.begin(), e.args.begin() + static_cast<std::ptrdiff_t>(fields));
  std::string result = "sent " + call(message.name, args);
  if (e.args.size() > fields && e.args[fields].valid()) result += " from " + text(e.args[fields], kSum, false);
  if (e.args.size() > fields + 1 && e.args[fields + 1].valid()) {
    result += " to " + text(e.args[fields + 1], kSum, false);
  }
  return result;
}

std::string ExprText::primary(const Expr& e) const {
  switch (e.op) {
    case Op::state_var:
      return of_host(p_[VarId(e.ref)].name, e.args[0]);
    case Op::host_const:
      return of_host(p_[ConstId(e.ref)].name, e.args[0]);
    case Op::global_const:
      return call(p_[ConstId(e.ref)].name, e.args);
    case Op::some:
      return call("some", e.args);
    case Op::make_struct:
      return fmt::format("{}({})", p_.structs[p_[e.type].declaration].name, list(e.args));
    case Op::field:
      return fmt::format("{}.{}", postfix(e.args[0]),
                         p_.structs[p_[p_[e.args[0]].type].declaration].fields[e.ref].name);
    case Op::set_literal:
      return "{" + list(e.args) + "}";
    case Op::set_build:
      return set_build(e);
    case Op::cardinality:
    case Op::seq_length:
      return "|" + inner(e.args[0]) + "|";
    case Op::majority:
      return call("majority", e.args);
    case Op::map_get:
    case Op::apply:
    case Op::seq_at:
      return fmt::format("{}[{}]", postfix(e.args[0]), inner(e.args[1]));
    case Op::map_keys:
      return call("keys", e.args);
    case Op::seq_literal:
      return "[" + list(e.args) + "]";
    case Op::old:
      return call("old", e.args);
    case Op::once:
      return call("once", e.args);
    case Op::sent:
      return sent(e);
    case Op::with_field:
    case Op::map_put:
    case Op::update:
      return updated(e);
    default:
      return leaf(e);
  }
}

/// Operators that are written in a way of their own.
std::string ExprText::other(ExprId id, int least) const {
  const Expr& e = p_[id];
  switch (e.op) {
    case Op::forall:
    case Op::exists:
      return bracketed(kQuantifier < least, quantifier(e));
    case Op::sum:
      return bracketed(kComparison < least, quantifier(e));
    case Op::function_build:
      return bracketed(kQuantifier < least, fmt::format("{} => {}", p_[e.binders.front()].name, inner(e.args[0])));
    case Op::map_has:
      return bracketed(kComparison < least,
                       fmt::format("{} in {}", text(e.args[1], kSum, false), text(e.args[0], kSum, false)));
    case Op::neg:
      return bracketed(kNegative < least, "-" + text(e.args[0], kNegative, false));
    case Op::int_literal:
    case Op::real_literal:
      return bracketed(e.value < 0 && kNegative < least, leaf(e));
    case Op::sent:  // its `from` and `to` would run on
      return bracketed(e.value != 0 && kNegation < least, sent(e));
    default:
      return primary(e);
  }
}

std::string ExprText::text(ExprId id, int least, bool last) const {
  const Expr& e = p_[id];
  if (const Operator op = infix(e.op); op.text != nullptr) return binary(e, op, least, last);
  switch (e.op) {
    case Op::get:
    case Op::to_int:
    case Op::constant_function:  // a value stands for the function that always gives it
      return text(e.args[0], least, last);
    case Op::ite:
      return conditional(e, least, last);
    case Op::not_:
      return negation(e, least, last);
    default:
      return other(id, least);
  }
}

}  // namespace

std::string to_source(const Protocol& protocol, ExprId expr) {
  return ExprText(protocol).text(expr, kQuantifier, true);
}

}  // namespace tenet::ir
