/// Terms: what is said to a solver, in our own words.
///
/// Many-sorted first-order logic with linear arithmetic: uninterpreted sorts
/// and functions, enumerations, integers, reals, quantifiers with patterns.
/// Terms are hash-consed by a `TermManager` (term_manager.h): equal terms of
/// one manager are the same object, so comparing and copying cost nothing.
///
///     TermManager m;
///     const Sort node = m.uninterpreted("Node");
///     const Function voted = m.function("voted", {node, m.integer_sort()}, m.boolean_sort());
///     const Term n = m.variable("n", node), t = m.variable("t", m.integer_sort());
///     const Term claim = m.forall({n, t}, m.not_(m.apply(voted, {n, t})), {{m.apply(voted, {n, t})}}, "nobody voted");
///
/// Handles are one pointer and valid as long as their manager. They may be
/// read from any thread, also while the manager makes further terms.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/smt/rational.h"

namespace tenet::smt {

class TermManager;
struct SortData;
struct FunctionData;
struct TermData;

enum class SortKind : std::uint8_t { boolean, integer, real, uninterpreted, enumeration };

/// A sort. A default-constructed one is invalid.
class Sort {
 public:
  Sort() = default;
  [[nodiscard]] bool valid() const { return data_ != nullptr; }
  [[nodiscard]] SortKind kind() const;
  [[nodiscard]] const std::string& name() const;                  ///< "Bool", "Int", "Real" or as declared
  [[nodiscard]] const std::vector<std::string>& members() const;  ///< of an enumeration
  [[nodiscard]] std::uint32_t id() const;                         ///< in order of creation
  [[nodiscard]] bool is_boolean() const { return kind() == SortKind::boolean; }
  [[nodiscard]] bool is_numeric() const { return kind() == SortKind::integer || kind() == SortKind::real; }
  friend bool operator==(Sort, Sort) = default;

 private:
  friend class TermManager;
  explicit Sort(const SortData* data) : data_(data) {}
  const SortData* data_ = nullptr;
};

/// An uninterpreted function, predicate or (without arguments) constant. Two
/// functions of the same name and different signature are different.
class Function {
 public:
  Function() = default;
  [[nodiscard]] bool valid() const { return data_ != nullptr; }
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::vector<Sort>& domain() const;
  [[nodiscard]] Sort range() const;
  [[nodiscard]] std::uint32_t id() const;  ///< in order of creation
  friend bool operator==(Function, Function) = default;

 private:
  friend class TermManager;
  friend class Term;
  explicit Function(const FunctionData* data) : data_(data) {}
  const FunctionData* data_ = nullptr;
};

enum class Kind : std::uint8_t {
  boolean,      ///< true or false
  number,       ///< integer or real literal
  enumerator,   ///< member of an enumeration
  variable,     ///< bound (or, in a part of a term, free) variable
  application,  ///< function(args…); a constant has none
  not_,
  and_,  ///< two or more arguments
  or_,   ///< two or more arguments
  implies,
  ite,
  eq,        ///< of any sort; of booleans it is "iff"
  distinct,  ///< three or more arguments
  lt,
  le,
  add,      ///< two or more arguments
  mul,      ///< [number, term]
  div,      ///< [integer, positive number]: rounds down
  mod,      ///< [integer, positive number]: never negative
  to_real,  ///< [integer]
  forall,   ///< [body]
  exists,   ///< [body]
};

/// A term. A default-constructed one is invalid.
class Term {
 public:
  Term() = default;
  [[nodiscard]] bool valid() const { return data_ != nullptr; }
  [[nodiscard]] Kind kind() const;
  [[nodiscard]] Sort sort() const;
  /// In order of creation, so the same program makes the same ids.
  [[nodiscard]] std::uint32_t id() const;
  [[nodiscard]] std::span<const Term> args() const;
  [[nodiscard]] Term arg(std::size_t index) const { return args()[index]; }
  /// No free variables: may be asserted, and evaluated in a model.
  [[nodiscard]] bool closed() const;
  [[nodiscard]] bool quantifier_free() const;

  [[nodiscard]] bool is_true() const;
  [[nodiscard]] bool is_false() const;
  [[nodiscard]] const Rational& number() const;                          ///< of a number
  [[nodiscard]] std::size_t member() const;                              ///< of an enumerator: index in its sort
  [[nodiscard]] Function function() const;                               ///< of an application
  [[nodiscard]] const std::string& variable_name() const;                ///< of a variable
  [[nodiscard]] std::span<const Term> bound() const;                     ///< of a quantifier: its variables
  [[nodiscard]] const std::vector<std::vector<Term>>& patterns() const;  ///< of a quantifier
  [[nodiscard]] const std::string& quantifier_name() const;              ///< of a quantifier; may be empty
  [[nodiscard]] Term body() const { return arg(0); }                     ///< of a quantifier
  [[nodiscard]] bool is_quantifier() const { return kind() == Kind::forall || kind() == Kind::exists; }
  /// A Boolean constant or its negation: what may be an assumption of a check.
  [[nodiscard]] bool is_literal() const;
  /// The manager that made it.
  [[nodiscard]] const TermManager* manager() const;

  friend bool operator==(Term, Term) = default;

 private:
  friend class TermManager;
  explicit Term(const TermData* data) : data_(data) {}
  const TermData* data_ = nullptr;
};

/// Order of creation; for terms of one manager.
[[nodiscard]] inline bool created_before(Term a, Term b) { return a.id() < b.id(); }

}  // namespace tenet::smt

template <>
struct std::hash<tenet::smt::Term> {
  std::size_t operator()(tenet::smt::Term term) const noexcept { return term.id(); }
};
template <>
struct std::hash<tenet::smt::Function> {
  std::size_t operator()(tenet::smt::Function function) const noexcept { return function.id(); }
};
template <>
struct std::hash<tenet::smt::Sort> {
  std::size_t operator()(tenet::smt::Sort sort) const noexcept { return sort.id(); }
};
