#include "expression_text.h"

#include <algorithm>

#include "tenet/smt/term_ops.h"
#include "writer.h"

namespace tenet::smt {
namespace {

/// Shared parts up to this many symbols are simply repeated.
constexpr std::size_t kSmall = 12;

bool is_leaf(Term term) { return term.args().empty(); }

const char* head(Kind kind) {
  switch (kind) {
    case Kind::not_:
      return "not";
    case Kind::and_:
      return "and";
    case Kind::or_:
      return "or";
    case Kind::implies:
      return "=>";
    case Kind::ite:
      return "ite";
    case Kind::eq:
      return "=";
    case Kind::distinct:
      return "distinct";
    case Kind::lt:
      return "<";
    case Kind::le:
      return "<=";
    case Kind::add:
      return "+";
    case Kind::mul:
      return "*";
    case Kind::div:
      return "div";
    case Kind::mod:
      return "mod";
    case Kind::to_real:
      return "to_real";
    case Kind::forall:
      return "forall";
    case Kind::exists:
      return "exists";
    default:
      return "";
  }
}

/// The terms of one scope, arguments first: quantifiers are leaves of it.
std::vector<Term> scope_terms(Term root) {
  std::vector<Term> order;
  std::unordered_map<Term, std::size_t> next;
  std::vector<Term> stack{root};
  while (!stack.empty()) {
    const Term top = stack.back();
    std::size_t& index = next[top];
    const std::size_t count = top.is_quantifier() ? 0 : top.args().size();
    if (index < count) {
      const Term arg = top.arg(index++);
      if (!next.contains(arg)) stack.push_back(arg);
    } else {
      if (index == count) order.push_back(top);
      index = count + 1;
      stack.pop_back();
    }
  }
  return order;
}

}  // namespace

std::string number_text(const Rational& value, Sort sort) {
  const bool negative = value.numerator() < 0;
  const std::string suffix = sort.kind() == SortKind::real ? ".0" : "";
  std::string text = std::to_string(negative ? -value.numerator() : value.numerator()) + suffix;
  if (!value.integral()) text = "(/ " + text + ' ' + std::to_string(value.denominator()) + suffix + ')';
  return negative ? "(- " + text + ')' : text;
}

std::string ExpressionText::write(Term term) {
  lets_ = 0;
  return scope(term);
}

void ExpressionText::measure(std::span<const Term> order, Uses& uses) {
  for (const Term term : order) {
    Use measured;
    measured.count = uses[term].count;
    measured.size = term.is_quantifier() ? kSmall + 1 : 1;
    if (!term.is_quantifier()) {
      for (const Term arg : term.args()) {
        const Use& use = uses[arg];
        measured.size += std::min(use.size, kSmall + 1);
        measured.level = std::max(measured.level, use.level + (use.name.empty() ? 0 : 1));
      }
    }
    if (measured.count > 1 && measured.size > kSmall && !is_leaf(term)) {
      measured.name = "_let" + std::to_string(++lets_);
    }
    uses[term] = measured;
  }
}

std::string ExpressionText::scope(Term root) {
  const std::vector<Term> order = scope_terms(root);
  Uses uses;
  for (const Term term : order) {
    if (term.is_quantifier()) continue;
    for (const Term arg : term.args()) ++uses[arg].count;
  }
  measure(order, uses);
  // One `let` a level rather than one a term keeps the nesting shallow.
  std::vector<std::vector<Term>> levels;
  for (const Term term : order) {
    const Use& use = uses[term];
    if (use.name.empty()) continue;
    if (levels.size() <= use.level) levels.resize(use.level + 1);
    levels[use.level].push_back(term);
  }
  std::string out;
  for (const std::vector<Term>& level : levels) {
    out += "(let (";
    for (const Term term : level) {
      out += '(' + uses[term].name + ' ';
      binding(term, uses, out);
      out += ')';
    }
    out += ") ";
  }
  expression(root, uses, out);
  return out + std::string(levels.size(), ')');
}

void ExpressionText::expression(Term root, const Uses& uses, std::string& out) {
  const auto use = uses.find(root);
  if (use != uses.end() && !use->second.name.empty()) {
    out += use->second.name;
  } else {
    binding(root, uses, out);
  }
}

void ExpressionText::binding(Term root, const Uses& uses, std::string& out) {
  struct Frame {
    Term term;
    std::size_t next;
  };
  std::vector<Frame> stack;
  const auto enter = [&](Term term) {
    const auto use = uses.find(term);
    if (term != root && use != uses.end() && !use->second.name.empty()) {
      out += use->second.name;
    } else if (is_leaf(term)) {
      leaf(term, out);
    } else if (term.is_quantifier()) {
      quantifier(term, out);
    } else {
      open(term, out);
      stack.push_back({term, 0});
    }
  };
  enter(root);
  while (!stack.empty()) {
    Frame& top = stack.back();
    if (top.next == top.term.args().size()) {
      out += ')';
      stack.pop_back();
    } else {
      out += ' ';
      enter(top.term.arg(top.next++));
    }
  }
}

void ExpressionText::open(Term term, std::string& out) {
  out += '(';
  out += term.kind() == Kind::application ? names_.function(term.function()).c_str() : head(term.kind());
}

void ExpressionText::leaf(Term term, std::string& out) {
  switch (term.kind()) {
    case Kind::boolean:
      out += term.is_true() ? "true" : "false";
      break;
    case Kind::number:
      out += number_text(term.number(), term.sort());
      break;
    case Kind::enumerator:
      out += names_.enumerator(term.sort(), term.member());
      break;
    case Kind::variable:
      out += names_.variable(term);
      break;
    default:
      out += names_.function(term.function());
      break;
  }
}

void ExpressionText::quantifier(Term term, std::string& out) {
  out += '(';
  out += head(term.kind());
  out += " (";
  const char* separator = "";
  for (const Term variable : term.bound()) {
    out += separator + ('(' + names_.variable(variable)) + ' ' + names_.sort(variable.sort()) + ')';
    separator = " ";
  }
  out += ") ";
  const bool attributes = !term.patterns().empty() || !term.quantifier_name().empty();
  if (attributes) out += "(! ";
  out += scope(term.body());
  for (const std::vector<Term>& elements : term.patterns()) pattern(elements, out);
  if (!term.quantifier_name().empty()) out += " :qid " + names_.quantifier(term.quantifier_name());
  if (attributes) out += ')';
  out += ')';
}

void ExpressionText::pattern(std::span<const Term> elements, std::string& out) {
  out += " :pattern (";
  const char* separator = "";
  for (const Term element : elements) {
    out += separator;
    // Patterns stay as they are written: a `let` there confuses readers.
    expression(element, {}, out);
    separator = " ";
  }
  out += ')';
}

}  // namespace tenet::smt
