#include "random_formula.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support.h"
#include "tenet/smt/portfolio.h"
#include "tenet/smt/term_ops.h"

namespace tenet::smt {

/// A number that is surely in the range of the function.
RandomFormula::Number RandomFormula::small_number() {
  switch (pick(3)) {
    case 0: {
      const int value = pick(3);
      return {v_.m.integer(value), [value](const World&) { return value; }};
    }
    case 1: {
      const auto i = static_cast<std::size_t>(pick(2));
      return {v_.x[i], [i](const World& w) { return w.x[i]; }};
    }
    default: {
      const Number inner = small_number();
      return {v_.m.apply(v_.f, {inner.term}),
              [inner](const World& w) { return w.f[static_cast<std::size_t>(inner.meaning(w))]; }};
    }
  }
}

RandomFormula::Number RandomFormula::number() {
  const Number a = small_number();
  const int factor = pick(5) - 2;
  switch (pick(6)) {
    case 0: {
      const Number b = number();
      return {v_.m.add({a.term, b.term}), [a, b](const World& w) { return a.meaning(w) + b.meaning(w); }};
    }
    case 1: {
      const Number b = number();
      return {v_.m.sub(a.term, b.term), [a, b](const World& w) { return a.meaning(w) - b.meaning(w); }};
    }
    case 2:
      return {v_.m.mul(factor, a.term), [a, factor](const World& w) { return factor * a.meaning(w); }};
    case 3: {
      const Number b = number();
      return {v_.m.mod(b.term, 2), [b](const World& w) { return ((b.meaning(w) % 2) + 2) % 2; }};
    }
    case 4: {
      const Number b = number();
      const Formula c = atom();
      return {v_.m.ite(c.term, a.term, b.term),
              [a, b, c](const World& w) { return c.meaning(w) ? a.meaning(w) : b.meaning(w); }};
    }
    default:
      return a;
  }
}

RandomFormula::Formula RandomFormula::atom() {
  const auto i = static_cast<std::size_t>(pick(2));
  TermManager& m = v_.m;
  switch (pick(8)) {
    case 0:
      return {v_.p[i], [i](const World& w) { return w.p[i]; }};
    case 1:
      return {m.apply(v_.good, {v_.n[i]}), [i](const World& w) { return w.good[w.nodes_equal ? 0 : i]; }};
    case 2:
      return {m.eq(v_.n[0], v_.n[1]), [](const World& w) { return w.nodes_equal; }};
    case 3: {
      const Number a = small_number();
      // a < r + 1/2: of naturals below 1/2 or below 1, so only 0.
      return {m.lt(m.to_real(a.term), m.add({v_.r, m.real(*Rational::make(1, 2))})),
              [a](const World& w) { return 2 * a.meaning(w) < (w.half ? 2 : 1); }};
    }
    case 4: {
      const Number a = number(), b = number();
      return {m.eq(a.term, b.term), [a, b](const World& w) { return a.meaning(w) == b.meaning(w); }};
    }
    case 5:
      return {m.eq(v_.r, m.real(0)), [](const World& w) { return !w.half; }};
    case 6: {
      const Number a = number(), b = number();
      return {m.lt(a.term, b.term), [a, b](const World& w) { return a.meaning(w) < b.meaning(w); }};
    }
    default: {
      const Number a = number(), b = number();
      return {m.le(a.term, b.term), [a, b](const World& w) { return a.meaning(w) <= b.meaning(w); }};
    }
  }
}

RandomFormula::Formula RandomFormula::make(int depth) {
  if (depth == 0 || pick(6) == 0) return atom();
  const Formula a = make(depth - 1), b = make(depth - 1);
  TermManager& m = v_.m;
  switch (pick(6)) {
    case 0:
      return {m.not_(a.term), [a](const World& w) { return !a.meaning(w); }};
    case 1:
      return {m.and_({a.term, b.term}), [a, b](const World& w) { return a.meaning(w) && b.meaning(w); }};
    case 2:
      return {m.or_({a.term, b.term}), [a, b](const World& w) { return a.meaning(w) || b.meaning(w); }};
    case 3:
      return {m.implies(a.term, b.term), [a, b](const World& w) { return !a.meaning(w) || b.meaning(w); }};
    case 4:
      return {m.iff(a.term, b.term), [a, b](const World& w) { return a.meaning(w) == b.meaning(w); }};
    default: {
      const Formula c = atom();
      return {m.ite(c.term, a.term, b.term),
              [a, b, c](const World& w) { return c.meaning(w) ? a.meaning(w) : b.meaning(w); }};
    }
  }
}

bool satisfiable(const std::vector<RandomFormula::Meaning>& meanings) {
  constexpr unsigned kNumbers = 243;  // five values of 0 … 2
  for (unsigned numbers = 0; numbers < kNumbers; ++numbers) {
    World w;
    w.x = {numbers % 3, numbers / 3 % 3};
    w.f = {numbers / 9 % 3, numbers / 27 % 3, numbers / 81};
    for (unsigned bits = 0; bits < 64; ++bits) {
      w.p = {(bits & 1) != 0, (bits & 2) != 0};
      w.good = {(bits & 4) != 0, (bits & 8) != 0};
      w.nodes_equal = (bits & 16) != 0;
      w.half = (bits & 32) != 0;
      if (std::all_of(meanings.begin(), meanings.end(), [&](const auto& holds) { return holds(w); })) return true;
    }
  }
  return false;
}

namespace {

struct Counts {
  int sat = 0, unsat = 0;
};

/// Three random facts a question, on one incremental solver.
Counts compare(Solver& solver, Vocabulary& vocabulary, std::uint64_t seed, int rounds) {
  RandomFormula random(vocabulary, seed);
  Counts counts;
  for (const Term bound : vocabulary.bounds()) solver.assert_term(bound);
  for (int round = 0; round < rounds; ++round) {
    solver.push();
    std::vector<RandomFormula::Meaning> meanings;
    std::vector<Term> terms;
    for (int i = 0; i < 5; ++i) {
      const RandomFormula::Formula formula = random.make(i);
      solver.assert_term(formula.term, "fact " + std::to_string(i));
      terms.push_back(formula.term);
      meanings.push_back(formula.meaning);
    }
    const CheckResult result = solver.check();
    const bool truth = satisfiable(meanings);
    EXPECT_EQ(result.answer, truth ? Answer::sat : Answer::unsat) << result.reason << "\n" << to_smtlib(solver.query());
    (truth ? counts.sat : counts.unsat)++;
    // The model makes everything true, and the core is enough.
    for (const Term term : terms) {
      if (result.answer != Answer::sat) break;
      EXPECT_TRUE(solver.value(term)->boolean) << to_text(term);
    }
    if (result.answer == Answer::unsat) {
      std::vector<RandomFormula::Meaning> core;
      for (const std::string& name : result.core) core.push_back(meanings[static_cast<std::size_t>(name.back() - '0')]);
      EXPECT_FALSE(satisfiable(core));
    }
    solver.pop();
  }
  return counts;
}

class RandomTest : public testing::TestWithParam<SolverConfig> {};

TEST_P(RandomTest, AgreesWithTryingEverything) {
  Counts counts;
  // New solvers now and then: long incremental sessions make cvc5 slow.
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    TermManager m;
    Vocabulary vocabulary(m);
    const auto solver = make_solver(GetParam());
    const Counts some = compare(*solver, vocabulary, 20261130 + seed, 20);
    counts.sat += some.sat;
    counts.unsat += some.unsat;
  }
  // Both answers occur often enough to mean something.
  EXPECT_GT(counts.sat, 15);
  EXPECT_GT(counts.unsat, 15);
}

INSTANTIATE_TEST_SUITE_P(Real, RandomTest, testing::ValuesIn(real_configs()), [](const auto& parameter) {
  return std::string(parameter.index == 0 ? "Z3Library" : parameter.index == 1 ? "Z3Program" : "Cvc5");
});

TEST(RandomCrossCheckTest, BothSolversAgree) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    TermManager m;
    Vocabulary vocabulary(m);
    const auto solver = make_portfolio({z3_config(), cvc5_config()}, PortfolioMode::cross_check);
    (void)compare(*solver, vocabulary, 4711 + seed, 20);
  }
}

TEST(RandomSimplifyTest, SubstitutedConstantsKeepTheMeaning) {
  // Putting a world's values in leaves, by simplification alone, what it means.
  TermManager m;
  Vocabulary v(m);
  RandomFormula random(v, 5);
  for (int round = 0; round < 200; ++round) {
    const RandomFormula::Formula formula = random.make(4);
    World w;
    w.x = {round % 3, round / 3 % 3};
    w.f = {2, 0, 1};
    w.p = {round % 2 == 0, round % 4 < 2};
    w.half = round % 5 < 2;
    w.nodes_equal = true;
    w.good = {round % 7 < 3, round % 7 < 3};
    const Term half = m.real(*Rational::make(w.half ? 1 : 0, 2));
    Substitution values = {{v.x[0], m.integer(w.x[0])},
                           {v.x[1], m.integer(w.x[1])},
                           {v.p[0], m.boolean(w.p[0])},
                           {v.p[1], m.boolean(w.p[1])},
                           {v.n[1], v.n[0]},
                           {m.apply(v.good, {v.n[0]}), m.boolean(w.good[0])},
                           {m.apply(v.good, {v.n[1]}), m.boolean(w.good[0])},
                           {v.r, half}};
    Substitution tables;
    for (std::size_t i = 0; i < 3; ++i) {
      tables.emplace(m.apply(v.f, {m.integer(static_cast<std::int64_t>(i))}), m.integer(w.f[i]));
    }
    Term result = formula.term;
    // Applications inside applications come to light one by one.
    for (int i = 0; i < 50 && result.kind() != Kind::boolean; ++i) {
      result = substitute(m, substitute(m, result, values), tables);
    }
    ASSERT_EQ(result.kind(), Kind::boolean) << to_text(result);
    EXPECT_EQ(result.is_true(), formula.meaning(w)) << to_text(formula.term);
  }
}

}  // namespace
}  // namespace tenet::smt
