/// Makes and owns terms. See term.h for an example.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/smt/term.h"

namespace tenet::smt {

/// The arena of terms. Making terms is for one thread at a time; two managers
/// share nothing. A wrong sort, a term of another manager or a pattern that
/// misses a variable is a programmer error (assertion).
///
/// The constructors simplify a little, and only so that the result is
/// equivalent: constants are folded (unless 64 bits would overflow), nested
/// `and`, `or` and `add` flattened, duplicates in `and` and `or` dropped,
/// double negations removed, `eq` ordered. An `and` or `or` built up one
/// argument at a time costs quadratic space: collect the arguments first.
class TermManager {
 public:
  TermManager();
  ~TermManager();
  TermManager(const TermManager&) = delete;
  TermManager& operator=(const TermManager&) = delete;

  // Sorts
  [[nodiscard]] Sort boolean_sort() const { return boolean_sort_; }
  [[nodiscard]] Sort integer_sort() const { return integer_sort_; }
  [[nodiscard]] Sort real_sort() const { return real_sort_; }
  /// The same name gives the same sort. No sort is ever empty.
  Sort uninterpreted(std::string_view name);
  /// Exactly these members, all different; at least one. The same name and
  /// members give the same sort.
  Sort enumeration(std::string_view name, std::vector<std::string> members);

  // Functions
  Function function(std::string_view name, std::vector<Sort> domain, Sort range);
  /// A function whose name no other has: `name`, or `name!1`, `name!2` …
  Function fresh_function(std::string_view name, std::vector<Sort> domain, Sort range);
  Term apply(Function function, std::span<const Term> args);
  Term apply(Function function, std::initializer_list<Term> args) { return apply(function, to_span(args)); }
  Term constant(std::string_view name, Sort sort);
  Term fresh_constant(std::string_view name, Sort sort);

  // Literals
  Term boolean(bool value);
  Term integer(std::int64_t value);
  Term real(Rational value);
  Term enumerator(Sort sort, std::size_t member);

  // Logic
  Term not_(Term a);
  Term and_(std::span<const Term> args);  ///< true for none
  Term and_(std::initializer_list<Term> args) { return and_(to_span(args)); }
  Term or_(std::span<const Term> args);  ///< false for none
  Term or_(std::initializer_list<Term> args) { return or_(to_span(args)); }
  Term implies(Term a, Term b);
  Term iff(Term a, Term b) { return eq(a, b); }
  Term ite(Term condition, Term then, Term otherwise);
  Term eq(Term a, Term b);
  Term ne(Term a, Term b) { return not_(eq(a, b)); }
  Term distinct(std::span<const Term> args);  ///< pairwise; true for fewer than two
  Term distinct(std::initializer_list<Term> args) { return distinct(to_span(args)); }

  // Arithmetic: both arguments of the same numeric sort
  Term lt(Term a, Term b);
  Term le(Term a, Term b);
  Term gt(Term a, Term b) { return lt(b, a); }
  Term ge(Term a, Term b) { return le(b, a); }
  Term add(std::span<const Term> args);  ///< one or more
  Term add(std::initializer_list<Term> args) { return add(to_span(args)); }
  Term sub(Term a, Term b);
  Term mul(Rational factor, Term a);  ///< an integral factor for integers
  Term neg(Term a) { return mul(-1, a); }
  Term div(Term a, std::int64_t divisor);  ///< integers, divisor > 0; rounds down
  Term mod(Term a, std::int64_t divisor);  ///< integers, divisor > 0; in 0 … divisor - 1
  Term to_real(Term a);

  // Quantifiers
  /// A variable is its name and sort.
  Term variable(std::string_view name, Sort sort);
  /// A variable whose name no other has: `name`, or `name!1`, `name!2` …
  Term fresh_variable(std::string_view name, Sort sort);
  /// A pattern is one or more terms (a multi-pattern) that together contain
  /// all variables (`good_pattern`); the solver instantiates where one
  /// pattern matches. The name appears in a solver's statistics and in dumps.
  Term forall(std::vector<Term> variables, Term body, std::vector<std::vector<Term>> patterns = {},
              std::string_view name = {});
  Term exists(std::vector<Term> variables, Term body, std::vector<std::vector<Term>> patterns = {},
              std::string_view name = {});

  /// The term with the same kind and the given arguments, simplified like a
  /// new one. Of a quantifier the arguments are the body; the variables,
  /// patterns and name stay.
  Term rebuild(Term term, std::span<const Term> args);

  /// Number of different terms made so far.
  [[nodiscard]] std::size_t size() const;

 private:
  struct Tables;
  static std::span<const Term> to_span(std::initializer_list<Term> list) { return {list.begin(), list.size()}; }
  Term intern(const TermData& candidate);
  Term make(Kind kind, Sort sort, std::span<const Term> args);
  Term make_number(Sort sort, Rational value);
  Term junction(Kind kind, std::span<const Term> args);
  Term quantifier(Kind kind, std::vector<Term> variables, Term body, std::vector<std::vector<Term>> patterns,
                  std::string_view name);
  Term fold_comparison(Kind kind, Term a, Term b);

  std::unique_ptr<Tables> tables_;
  Sort boolean_sort_, integer_sort_, real_sort_;
};

/// Whether `pattern` can trigger a quantifier over `variables`: not empty, all
/// variables occur, each element is an application, and inside are only
/// applications, variables, literals and linear arithmetic.
[[nodiscard]] bool good_pattern(std::span<const Term> variables, std::span<const Term> pattern);

}  // namespace tenet::smt
