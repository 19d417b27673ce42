// The constructors that simplify. Every rule here must give an equivalent term.
#include <algorithm>
#include <cassert>
#include <unordered_set>

#include "tenet/smt/term_manager.h"
#include "term_tables.h"

namespace tenet::smt {
namespace {

bool is_number(Term term) { return term.kind() == Kind::number; }

/// Literals of one sort with different values; both are numbers, enumerators or booleans.
bool different_literals(Term a, Term b) {
  const auto literal = [](Term t) {
    return t.kind() == Kind::number || t.kind() == Kind::enumerator || t.kind() == Kind::boolean;
  };
  return literal(a) && literal(b) && a != b;
}

bool complementary(Term a, Term b) {
  return (a.kind() == Kind::not_ && a.arg(0) == b) || (b.kind() == Kind::not_ && b.arg(0) == a);
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

}  // namespace

Term TermManager::not_(Term a) {
  assert(a.sort().is_boolean());
  if (a.kind() == Kind::boolean) return boolean(a.is_false());
  if (a.kind() == Kind::not_) return a.arg(0);
  return make(Kind::not_, boolean_sort_, {&a, 1});
}

/// `and` and `or`, which differ only in their constants.
Term TermManager::junction(Kind kind, std::span<const Term> args) {
  const bool neutral = kind == Kind::and_;
  std::vector<Term> flat;
  std::unordered_set<Term> seen;
  bool absorbed = false;
  const auto add_one = [&](Term arg) {
    assert(arg.sort().is_boolean());
    if (arg.kind() == Kind::boolean) {
      absorbed = absorbed || arg.is_true() != neutral;
      return;
    }
    if (seen.insert(arg).second) flat.push_back(arg);
  };
  for (const Term arg : args) {
    if (arg.kind() == kind) {
      for (const Term inner : arg.args()) add_one(inner);
    } else {
      add_one(arg);
    }
  }
  absorbed = absorbed || std::any_of(flat.begin(), flat.end(),
                                     [&](Term arg) { return arg.kind() == Kind::not_ && seen.contains(arg.arg(0)); });
  if (absorbed) return boolean(!neutral);
  if (flat.empty()) return boolean(neutral);
  if (flat.size() == 1) return flat.front();
  return make(kind, boolean_sort_, flat);
}

Term TermManager::and_(std::span<const Term> args) { return junction(Kind::and_, args); }

Term TermManager::or_(std::span<const Term> args) { return junction(Kind::or_, args); }

Term TermManager::implies(Term a, Term b) {
  assert(a.sort().is_boolean() && b.sort().is_boolean());
  if (a.is_true()) return b;
  if (a.is_false() || b.is_true() || a == b) return boolean(true);
  if (b.is_false()) return not_(a);
  const Term args[] = {a, b};
  return make(Kind::implies, boolean_sort_, args);
}

Term TermManager::ite(Term condition, Term then, Term otherwise) {
  assert(condition.sort().is_boolean() && then.sort() == otherwise.sort());
  if (condition.is_true() || then == otherwise) return then;
  if (condition.is_false()) return otherwise;
  if (condition.kind() == Kind::not_) return ite(condition.arg(0), otherwise, then);
  if (then.is_true() && otherwise.is_false()) return condition;
  if (then.is_false() && otherwise.is_true()) return not_(condition);
  const Term args[] = {condition, then, otherwise};
  return make(Kind::ite, then.sort(), args);
}

Term TermManager::eq(Term a, Term b) {
  assert(a.sort() == b.sort());
  if (a == b) return boolean(true);
  if (different_literals(a, b)) return boolean(false);
  if (a.sort().is_boolean()) {
    if (complementary(a, b)) return boolean(false);
    if (a.kind() == Kind::boolean) std::swap(a, b);
    if (b.kind() == Kind::boolean) return b.is_true() ? a : not_(a);
  }
  if (created_before(b, a)) std::swap(a, b);
  const Term args[] = {a, b};
  return make(Kind::eq, boolean_sort_, args);
}

Term TermManager::distinct(std::span<const Term> args) {
  if (args.size() < 2) return boolean(true);
  if (args.size() == 2) return ne(args[0], args[1]);
  std::unordered_set<Term> seen;
  bool all_literals = true;
  for (const Term arg : args) {
    assert(arg.sort() == args[0].sort());
    if (!seen.insert(arg).second) return boolean(false);
    all_literals = all_literals && (is_number(arg) || arg.kind() == Kind::enumerator);
  }
  if (all_literals) return boolean(true);
  return make(Kind::distinct, boolean_sort_, args);
}

Term TermManager::fold_comparison(Kind kind, Term a, Term b) {
  assert(a.sort() == b.sort() && a.sort().is_numeric());
  if (a == b) return boolean(kind == Kind::le);
  if (is_number(a) && is_number(b)) {
    if (const auto order = checked_compare(a.number(), b.number())) return boolean(*order < 0);
  }
  const Term args[] = {a, b};
  return make(kind, boolean_sort_, args);
}

Term TermManager::lt(Term a, Term b) { return fold_comparison(Kind::lt, a, b); }

Term TermManager::le(Term a, Term b) { return fold_comparison(Kind::le, a, b); }

Term TermManager::add(std::span<const Term> args) {
  assert(!args.empty());
  const Sort sort = args[0].sort();
  std::vector<Term> flat;
  Rational total;
  const auto add_one = [&](Term arg) {
    assert(arg.sort() == sort && sort.is_numeric());
    const auto folded = is_number(arg) ? checked_add(total, arg.number()) : std::nullopt;
    if (folded) {
      total = *folded;
    } else {
      flat.push_back(arg);
    }
  };
  for (const Term arg : args) {
    if (arg.kind() == Kind::add) {
      for (const Term inner : arg.args()) add_one(inner);
    } else {
      add_one(arg);
    }
  }
  if (flat.empty() || !total.is_zero()) flat.push_back(make_number(sort, total));
  return flat.size() == 1 ? flat.front() : make(Kind::add, sort, flat);
}

Term TermManager::sub(Term a, Term b) {
  if (a == b) return make_number(a.sort(), 0);
  return add({a, neg(b)});
}

Term TermManager::mul(Rational factor, Term a) {
  assert(a.sort().is_numeric() && (factor.integral() || a.sort() == real_sort_));
  if (factor.is_zero()) return make_number(a.sort(), 0);
  if (factor == Rational(1)) return a;
  if (is_number(a)) {
    if (const auto folded = checked_mul(factor, a.number())) return make_number(a.sort(), *folded);
  }
  if (a.kind() == Kind::mul) {
    if (const auto folded = checked_mul(factor, a.arg(0).number())) return mul(*folded, a.arg(1));
  }
  const Term args[] = {make_number(a.sort(), factor), a};
  return make(Kind::mul, a.sort(), args);
}

Term TermManager::div(Term a, std::int64_t divisor) {
  assert(a.sort() == integer_sort_ && divisor > 0);
  if (divisor == 1) return a;
  if (is_number(a)) return integer(floor_div(a.number().numerator(), divisor));
  const Term args[] = {a, integer(divisor)};
  return make(Kind::div, integer_sort_, args);
}

Term TermManager::mod(Term a, std::int64_t divisor) {
  assert(a.sort() == integer_sort_ && divisor > 0);
  if (divisor == 1) return integer(0);
  if (is_number(a)) {
    const std::int64_t remainder = a.number().numerator() % divisor;
    return integer(remainder < 0 ? remainder + divisor : remainder);
  }
  const Term args[] = {a, integer(divisor)};
  return make(Kind::mod, integer_sort_, args);
}

Term TermManager::to_real(Term a) {
  assert(a.sort() == integer_sort_);
  if (is_number(a)) return real(a.number());
  return make(Kind::to_real, real_sort_, {&a, 1});
}

}  // namespace tenet::smt
