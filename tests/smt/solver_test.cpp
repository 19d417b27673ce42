// What every backend must do, over the real solvers.
#include "tenet/smt/solver.h"

#include <gtest/gtest.h>

#include <thread>

#include "support.h"
#include "tenet/smt/term_manager.h"

namespace tenet::smt {
namespace {

class SolverTest : public testing::TestWithParam<SolverConfig> {
 protected:
  TermManager m;
  std::unique_ptr<Solver> solver = make_solver(GetParam());
  Sort node = m.uninterpreted("Node");
  Term p = m.constant("p", m.boolean_sort());
  Term q = m.constant("q", m.boolean_sort());
  Term x = m.constant("x", m.integer_sort());
  Term y = m.constant("y", m.integer_sort());

  Answer answer(std::span<const Term> assumptions = {}) {
    last = solver->check(assumptions);
    EXPECT_EQ(last.answer == Answer::unknown, last.cause != Cause::none) << last.reason;
    return last.answer;
  }
  /// A question that takes any solver very long: a pigeonhole of 12 in 11.
  void assert_hard() {
    std::vector<Term> pigeons;
    for (int i = 0; i < 12; ++i) {
      const Term pigeon = m.constant("pigeon " + std::to_string(i), m.integer_sort());
      solver->assert_term(m.and_({m.le(m.integer(0), pigeon), m.lt(pigeon, m.integer(11))}));
      for (const Term other : pigeons) solver->assert_term(m.or_({m.lt(pigeon, other), m.lt(other, pigeon)}));
      pigeons.push_back(pigeon);
    }
  }
  CheckResult last;
};

TEST_P(SolverTest, AnswersAndForgets) {
  EXPECT_EQ(answer(), Answer::sat);
  solver->assert_term(m.lt(x, y));
  solver->push();
  solver->assert_term(m.lt(y, x));
  EXPECT_EQ(answer(), Answer::unsat);
  solver->push();
  solver->assert_term(p);
  solver->pop(2);
  EXPECT_EQ(solver->level(), 0u);
  EXPECT_EQ(answer(), Answer::sat);
  solver->assert_term(m.lt(y, m.add({x, m.integer(1)})));
  EXPECT_EQ(answer(), Answer::unsat);
  EXPECT_EQ(solver->statistics().checks, 4u);
  EXPECT_EQ(solver->statistics().unsat, 2u);
  EXPECT_EQ(solver->statistics().restarts, 0u);
  EXPECT_FALSE(last.solver.empty());
  EXPECT_EQ(last.configuration, describe(GetParam()));
}

TEST_P(SolverTest, NamesMakeTheCore) {
  solver->assert_term(m.lt(x, y), "x below y");
  solver->assert_term(m.lt(m.integer(0), x), "x positive");
  solver->push();
  solver->assert_term(m.lt(y, m.integer(1)), "y small");
  solver->assert_term(m.implies(p, m.lt(y, m.integer(50))), "nothing to do with it");
  ASSERT_EQ(answer(), Answer::unsat);
  // Solvers may list more than is needed, never less.
  last.core.resize(std::min<std::size_t>(last.core.size(), 3));
  EXPECT_EQ(last.core, (std::vector<std::string>{"x below y", "x positive", "y small"}));
  solver->pop();
  EXPECT_EQ(answer(), Answer::sat);
  EXPECT_TRUE(last.core.empty());
}

TEST_P(SolverTest, AssumptionsAreInTheCoreAndDoNotStay) {
  solver->assert_term(m.implies(p, m.lt(x, m.integer(0))), "if p");
  solver->assert_term(m.implies(m.not_(q), m.lt(m.integer(0), x)), "unless q");
  const std::vector<Term> assumptions{m.constant("unused", m.boolean_sort()), m.not_(q), p};
  ASSERT_EQ(answer(assumptions), Answer::unsat);
  EXPECT_EQ(last.core_assumptions, (std::vector<Term>{m.not_(q), p}));
  EXPECT_EQ(last.core, (std::vector<std::string>{"if p", "unless q"}));
  EXPECT_EQ(answer(std::vector<Term>{p}), Answer::sat);
  EXPECT_EQ(answer(), Answer::sat);
}

TEST_P(SolverTest, OneNameMayStandForSeveralAssertions) {
  solver->assert_term(m.lt(x, y), "fact |one\\");
  solver->assert_term(m.lt(y, x), "fact |one\\");
  ASSERT_EQ(answer(), Answer::unsat);
  EXPECT_EQ(last.core, std::vector<std::string>{"fact |one\\"});
}

TEST_P(SolverTest, ModelsHaveValues) {
  const Sort colour = m.enumeration("Colour", {"red", "dark green"});
  const Term c = m.constant("c", colour), r = m.constant("r", m.real_sort());
  const Term a = m.constant("a", node), b = m.constant("b", node);
  solver->assert_term(m.eq(m.add({x, x, x}), m.integer(-21)));
  solver->assert_term(m.eq(m.mul(3, r), m.real(-1)));
  solver->assert_term(m.ne(c, m.enumerator(colour, 0)));
  solver->assert_term(m.ne(a, b));
  solver->assert_term(m.eq(y, m.mul(4, m.integer(4'000'000'000'000'000'000))));
  ASSERT_EQ(answer(), Answer::sat) << last.reason;
  EXPECT_EQ(solver->value(x)->number, Rational(-7));
  EXPECT_EQ(solver->value(r)->text, "-1/3");
  EXPECT_EQ(solver->value(c)->text, "dark green");
  EXPECT_EQ(solver->value(c)->member, 1u);
  EXPECT_FALSE(*solver->value(a) == *solver->value(b));
  EXPECT_TRUE(*solver->value(a) == *solver->value(a));
  EXPECT_TRUE(solver->value(m.lt(x, m.integer(0)))->boolean);
  EXPECT_EQ(solver->value(m.neg(x))->text, "7");
  EXPECT_EQ(solver->value(y)->text, "16000000000000000000");
  EXPECT_FALSE(solver->value(y)->number);
  // Of a symbol that nothing mentions, any value.
  EXPECT_TRUE(solver->value(m.constant("never seen", m.integer_sort())).has_value());
}

TEST_P(SolverTest, NoValueWithoutAModel) {
  EXPECT_FALSE(solver->value(x));
  ASSERT_EQ(answer(), Answer::sat);
  solver->assert_term(p);
  EXPECT_FALSE(solver->value(x));
  ASSERT_EQ(answer(), Answer::sat);
  EXPECT_TRUE(solver->value(x));
  EXPECT_FALSE(solver->value(m.variable("v", node)));
  solver->push();
  EXPECT_FALSE(solver->value(x));
}

TEST_P(SolverTest, WhatCannotBeAskedIsUnknown) {
  solver->push();
  solver->assert_term(m.eq(m.variable("v", node), m.constant("a", node)));
  EXPECT_EQ(answer(), Answer::unknown);
  EXPECT_EQ(last.cause, Cause::misuse);
  solver->pop();
  EXPECT_EQ(answer(), Answer::sat);
  EXPECT_EQ(answer(std::vector<Term>{m.and_({p, q})}), Answer::unknown);
  EXPECT_EQ(last.cause, Cause::misuse);
  solver->assert_term(x);
  EXPECT_EQ(answer(), Answer::unknown);
}

TEST_P(SolverTest, SmallLimitsAreUnknownAndRepeat) {
  SolverConfig config = GetParam();
  config.resource_limit = 3000;
  solver = make_solver(config);
  solver->push();
  assert_hard();
  EXPECT_EQ(answer(), Answer::unknown);
  EXPECT_EQ(last.cause, Cause::resource_limit) << last.reason;
  const std::uint64_t used = last.resources;
  EXPECT_GT(used, 0u);
  solver->pop();
  solver->assert_term(m.lt(x, x));
  EXPECT_EQ(answer(), Answer::unsat);

  solver = make_solver(config);
  solver->push();
  assert_hard();
  EXPECT_EQ(answer(), Answer::unknown);
  EXPECT_EQ(last.resources, used);
}

TEST_P(SolverTest, AnInterruptStopsTheCheckAndNothingElse) {
  assert_hard();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    solver->interrupt();
  });
  EXPECT_EQ(answer(), Answer::unknown);
  other.join();
  EXPECT_EQ(last.cause, Cause::interrupted) << last.reason;
  // What was asserted before is still there.
  solver->assert_term(p);
  EXPECT_EQ(answer(std::vector<Term>{m.not_(p)}), Answer::unsat);
  EXPECT_EQ(solver->statistics().restarts, 1u);
}

TEST_P(SolverTest, AStopRequestEndsAllChecksUntilItIsForgotten) {
  StopFlag stop;
  solver->stop_on(&stop);
  solver->push();
  assert_hard();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop.request();
  });
  EXPECT_EQ(answer(), Answer::unknown);
  other.join();
  EXPECT_EQ(last.cause, Cause::interrupted) << last.reason;
  solver->pop();
  EXPECT_EQ(answer(), Answer::unknown);
  EXPECT_EQ(last.cause, Cause::interrupted) << last.reason;
  solver->stop_on(nullptr);
  EXPECT_EQ(answer(), Answer::sat);
}

TEST_P(SolverTest, AnEarlyInterruptStopsTheNextCheckOnly) {
  solver->interrupt();
  EXPECT_EQ(answer(), Answer::unknown);
  EXPECT_EQ(last.cause, Cause::interrupted);
  EXPECT_EQ(answer(), Answer::sat);
  solver->interrupt();
  solver->reset_interrupt();
  EXPECT_EQ(answer(), Answer::sat);
}

TEST_P(SolverTest, TheWallClockIsALastResort) {
  SolverConfig config = GetParam();
  config.wall_clock_ms = 300;
  solver = make_solver(config);
  solver->push();
  assert_hard();
  EXPECT_EQ(answer(), Answer::unknown);
  EXPECT_EQ(last.cause, Cause::wall_clock) << last.reason;
}

TEST_P(SolverTest, UnknownOptionsAreRefused) {
  SolverConfig config = GetParam();
  config.options = {{"no-such-option", "true"}};
  solver = make_solver(config);
  EXPECT_EQ(answer(), Answer::unknown);
  EXPECT_FALSE(last.reason.empty());
  EXPECT_FALSE(probe(config).has_value());
  EXPECT_TRUE(probe(GetParam()).has_value());
}

TEST_P(SolverTest, ManySolversAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      TermManager own;
      const auto mine = make_solver(GetParam());
      const Term z = own.constant("z", own.integer_sort());
      for (int i = 0; i < 5; ++i) {
        mine->push();
        mine->assert_term(own.eq(z, own.integer(i)));
        wrong[t] += mine->check().answer == Answer::sat ? 0 : 1;
        mine->assert_term(own.lt(z, own.integer(i)));
        wrong[t] += mine->check().answer == Answer::unsat ? 0 : 1;
        mine->pop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

std::string label(const testing::TestParamInfo<SolverConfig>& info) {
  if (info.param.backend == Backend::z3_in_process) return "Z3Library";
  return info.param.dialect == Dialect::z3 ? "Z3Program" : "Cvc5";
}
INSTANTIATE_TEST_SUITE_P(Real, SolverTest, testing::ValuesIn(real_configs()), label);

}  // namespace
}  // namespace tenet::smt
