/// Seeded random ground formulas over a tiny vocabulary, and their truth by
/// trying everything: the third opinion.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "tenet/smt/term_manager.h"

namespace tenet::smt {

/// Two integers in 0 … 2, a function on 0 … 2 with such values, two nodes, a
/// predicate on nodes, two booleans, one real out of {0, 1/2}.
class Vocabulary {
 public:
  explicit Vocabulary(TermManager& manager) : m(manager) {}

  TermManager& m;
  Sort node = m.uninterpreted("Node");
  std::array<Term, 2> x = {m.constant("x", m.integer_sort()), m.constant("y", m.integer_sort())};
  std::array<Term, 2> n = {m.constant("n", node), m.constant("k", node)};
  std::array<Term, 2> p = {m.constant("p", m.boolean_sort()), m.constant("q", m.boolean_sort())};
  Term r = m.constant("r", m.real_sort());
  Function f = m.function("f", {m.integer_sort()}, m.integer_sort());
  Function good = m.function("good", {node}, m.boolean_sort());

  /// The ranges of the constants and of the function.
  [[nodiscard]] std::vector<Term> bounds() {
    std::vector<Term> result;
    const auto in_range = [&](Term t) { result.push_back(m.and_({m.le(m.integer(0), t), m.le(t, m.integer(2))})); };
    for (const Term t : x) in_range(t);
    for (int i = 0; i < 3; ++i) in_range(m.apply(f, {m.integer(i)}));
    result.push_back(m.or_({m.eq(r, m.real(0)), m.eq(r, m.real(*Rational::make(1, 2)))}));
    return result;
  }
};

/// One assignment of the vocabulary.
struct World {
  std::array<std::int64_t, 2> x{};
  std::array<std::int64_t, 3> f{};
  std::array<bool, 2> p{};
  bool nodes_equal = false;
  std::array<bool, 2> good{};  ///< of n and k
  bool half = false;           ///< r is 1/2
};

/// Makes formulas and at the same time says what they mean.
class RandomFormula {
 public:
  using Meaning = std::function<bool(const World&)>;
  struct Formula {
    Term term;
    Meaning meaning;
  };

  RandomFormula(Vocabulary& vocabulary, std::uint64_t seed) : v_(vocabulary), random_(seed) {}
  Formula make(int depth);

 private:
  struct Number {
    Term term;
    std::function<std::int64_t(const World&)> meaning;
  };
  Number small_number();
  Number number();
  Formula atom();
  int pick(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }

  Vocabulary& v_;
  std::mt19937_64 random_;
};

/// Some world satisfies all.
[[nodiscard]] bool satisfiable(const std::vector<RandomFormula::Meaning>& meanings);

}  // namespace tenet::smt
