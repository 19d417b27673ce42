#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <set>

#include "fixtures.h"
#include "tenet/ir/printer.h"
#include "tenet/ir/random_start.h"

namespace tenet::ir::test {
namespace {

/// Starts of a protocol with a role Node of three hosts.
struct Starts {
  explicit Starts(const std::string& parts, std::uint64_t limit = 100'000, const char* entries = "Node=3 nat=0..3")
      : protocol(from_text(fmt::format("(protocol p (sort Item) (role Node) {})", parts))),
        where(instance(protocol, entries)) {
    result = enumerate_starts(protocol, where, limit, [&](const Start& start) {
      all.push_back(start);
      return true;
    });
  }
  std::string error() const { return result ? "no error" : result.error().message; }
  std::string constant(std::size_t start, std::size_t id) const {
    std::string text;
    for (const Value& value : all[start].constants.values[id]) {
      text += (text.empty() ? "" : " ") + to_source(protocol, where, protocol.constants[id].type, value);
    }
    return text;
  }

  Protocol protocol;
  Instance where;
  std::vector<Start> all;
  Result<void> result;
};

std::string compare(const char* op, const std::string& a, int b) {
  return fmt::format("({} {} (int_literal nat {}))", op, a, b);
}

TEST(Starts, WithoutConstantsThereIsOne) {
  const Starts starts("(var x nat (role Node) (value (int_literal nat 2)))");
  ASSERT_EQ(starts.all.size(), 1u);
  EXPECT_EQ(starts.all[0].state.variables[0], (std::vector<Value>{{2, {}}, {2, {}}, {2, {}}}));
  EXPECT_TRUE(starts.all[0].state.network.empty());
}

TEST(Starts, ComeInAscendingOrderGroupedByConstants) {
  const Starts starts("(const f nat) (var b bool (role Node))");
  ASSERT_EQ(starts.all.size(), 4u * 8u);
  for (std::size_t i = 1; i < starts.all.size(); ++i) {
    const auto key = [&](std::size_t at) { return std::pair(starts.all[at].constants.values, starts.all[at].state); };
    EXPECT_LT(key(i - 1), key(i));
  }
}

TEST(Starts, VisitingStopsWhenAsked) {
  const Protocol p = from_text("(protocol p (role Node) (var x nat (role Node)))");
  int visited = 0;
  const auto result =
      enumerate_starts(p, instance(p, "Node=4 nat=0..1000"), 1000, [&](const Start&) { return ++visited < 3; });
  EXPECT_TRUE(result) << result.error().message;
  EXPECT_EQ(visited, 3);
}

TEST(Starts, SatisfyTheAxioms) {
  const Starts starts(
      "(const f nat) (axiom (eq (role_size Node) (add nat (mul nat (int_literal nat 2) (global_const f))"
      " (int_literal nat 1))))");
  ASSERT_EQ(starts.all.size(), 1u);
  EXPECT_EQ(starts.constant(0, 0), "1");
}

TEST(Starts, UniqueConstantsDiffer) {
  const Starts starts("(const id nat (role Node) (unique))");
  EXPECT_EQ(starts.all.size(), 4u * 3u * 2u);
  EXPECT_EQ(starts.constant(0, 0), "0 1 2");
}

TEST(Starts, AxiomsCutAProductEarly) {
  // 12 hosts with 200 values each; every wrong prefix is dropped at once.
  const Starts starts(
      "(const id nat (role Node)) (axiom (forall ((%0 a (host Node)) (%1 b (host Node)))"
      " (eq (host_const Node id %0) (host_const Node id %1))))"
      "(axiom (forall ((%2 a (host Node))) (lt (host_const Node id %2) (int_literal nat 2))))",
      200'000, "Node=12 nat=0..199");
  EXPECT_EQ(starts.all.size(), 2u) << starts.error();
}

TEST(Starts, InitFormulasCutAProductEarly) {
  const Starts starts(
      "(var x nat (role Node)) (init (forall ((%0 a (host Node))) (eq (state_var Node x %0)"
      " (int_literal nat 500))))",
      200'000, "Node=20 nat=0..999");
  ASSERT_EQ(starts.all.size(), 1u) << starts.error();
  EXPECT_EQ(starts.all[0].state.variables[0][19].number, 500);
}

TEST(Starts, TheInstanceMayFixAConstant) {
  const Starts starts("(const f nat) (const twice nat (value (mul nat (global_const f) (int_literal nat 2))))", 10,
                      "Node=1 f=7");
  ASSERT_EQ(starts.all.size(), 1u);
  EXPECT_EQ(starts.constant(0, 1), "14") << "a definition is not bound by ranges";
}

TEST(Starts, DefinedConstantsMayReadSelf) {
  const Starts starts(
      "(const id nat (role Node) (unique)) (axiom (exists ((%0 a (host Node)))"
      " (eq (host_const Node id %0) (int_literal nat 3))))"
      "(const top bool (role Node) (value (eq (host_const Node id (self (host Node)))"
      " (int_literal nat 3))))");
  ASSERT_EQ(starts.all.size(), 18u);
  EXPECT_EQ(starts.constant(0, 0), "0 1 3");
  EXPECT_EQ(starts.constant(0, 1), "false false true");
}

TEST(Starts, AContradictoryAxiomIsNamed) {
  const Starts starts("(const f nat) (axiom " + compare("ge", "(global_const f)", 1) + ") (axiom " +
                      compare("gt", "(global_const f)", 3) + ")");
  EXPECT_EQ(starts.error(), "no constants satisfy the axioms in instance 'test': the axiom 'f > 3' alone allows none");
  EXPECT_EQ(starts.result.error().kind, ErrorKind::bad_input);
}

TEST(Starts, AxiomsThatContradictOneAnotherAreNamedWithoutTheRest) {
  const Starts starts("(const f nat) (const g nat) (axiom " + compare("ge", "(global_const f)", 2) + ") (axiom " +
                      compare("ge", "(global_const g)", 1) + ") (axiom " + compare("lt", "(global_const f)", 2) + ")");
  EXPECT_EQ(
      starts.error(),
      "no constants satisfy the axioms in instance 'test': the axioms 'f >= 2' and 'f < 2' contradict one another");
}

TEST(Starts, SeveralAxiomsThatAreFalseAloneAreAllNamed) {
  const Starts starts(
      "(axiom (gt (role_size Node) (int_literal nat 3))) (axiom (eq (role_size Node) (int_literal nat 1)))");
  EXPECT_EQ(starts.error(),
            "no constants satisfy the axioms in instance 'test': each of the axioms '|Node| > 3' and "
            "'|Node| == 1' alone allows none");
}

TEST(Starts, TooFewValuesForUniqueAreReported) {
  const Starts starts("(const id nat (role Node) (unique))", 1000, "Node=3 id=0..1");
  EXPECT_EQ(starts.error(), "no constants exist in instance 'test': 'Node.id' is unique, but has 2 values for 3 hosts");
}

TEST(Starts, AnUnsatisfiableInitFormulaIsNamed) {
  const Starts starts(
      "(var x nat (role Node)) (init (forall ((%0 a (host Node))) (ge (state_var Node x %0)"
      " (int_literal nat 0)))) (init (exists ((%1 a (host Node))) (gt (state_var Node x %1)"
      " (int_literal nat 3))))");
  EXPECT_EQ(starts.error(),
            "no initial state exists in instance 'test': the init formula 'exists a: Node :: a.x > 3' "
            "alone allows none");
}

TEST(Starts, AnInitFormulaAgainstAnInitialiserIsNamed) {
  const Starts starts(
      "(var x nat (role Node) (value (int_literal nat 1))) (init (forall ((%0 a (host Node)))"
      " (eq (state_var Node x %0) (int_literal nat 0))))");
  EXPECT_THAT(starts.error(), testing::HasSubstr("no initial state exists"));
  EXPECT_THAT(starts.error(), testing::HasSubstr("'forall a: Node :: a.x == 0' alone allows none"));
}

TEST(Starts, FaultsAreBadInput) {
  EXPECT_EQ(Starts("(const c nat (value (div nat (int_literal nat 1) (int_literal nat 0))))").error(),
            "constant 'c' divides by zero in '1 / 0'");
  EXPECT_EQ(Starts("(var x nat (role Node) (value (sub nat (int_literal nat 1) (int_literal nat 2))))").error(),
            "initial value of 'Node.x' takes a natural number below zero in '1 - 2'");
  EXPECT_EQ(
      Starts("(const f nat) (axiom (eq (mod nat (int_literal nat 1) (global_const f)) (int_literal nat 0)))").error(),
      "axiom '1 % f == 0' divides by zero in '1 % f'");
}

TEST(Starts, AnInitialValueOutsideTheInstanceIsBadInput) {
  EXPECT_EQ(Starts("(var x (option nat) (role Node) (value (some (option nat) (int_literal nat 9))))").error(),
            "initial value some(9) of 'Node.x' lies outside the instance: widen the range of 'x'");
}

TEST(Starts, OfChanceAreStartsAndTheSameForOneSeed) {
  const Starts starts("(const f nat) (axiom (le (global_const f) (int_literal nat 2))) (var b bool (role Node))");
  ASSERT_EQ(starts.all.size(), 3u * 8u);
  const auto key = [](const Start& start) { return std::pair(start.constants.values, start.state); };
  std::set<decltype(key(starts.all[0]))> all, met;
  for (const Start& start : starts.all) all.insert(key(start));
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto start = random_start(starts.protocol, starts.where, 1000, seed);
    ASSERT_TRUE(start.has_value());
    EXPECT_TRUE(all.contains(key(*start)));
    met.insert(key(*start));
    EXPECT_EQ(key(*random_start(starts.protocol, starts.where, 1000, seed)), key(*start));
  }
  EXPECT_EQ(met.size(), all.size());
  EXPECT_FALSE(random_start(starts.protocol, starts.where, 1, 0).has_value());
}

TEST(Starts, TooManyCandidatesAreRefused) {
  const Starts starts("(var x nat (role Node))", 20);
  ASSERT_FALSE(starts.result);
  EXPECT_EQ(starts.result.error().kind, ErrorKind::too_large);
  const Starts wide("(var x (set (set nat)) (role Node))", 20, "Node=1 nat=0..9");
  ASSERT_FALSE(wide.result);
  EXPECT_EQ(wide.result.error().kind, ErrorKind::too_large);
  EXPECT_THAT(wide.error(), testing::HasSubstr("'Node.x' may begin with any value"));
}

TEST(Starts, AQuantifierOverTooMuchIsRefused) {
  const Starts starts("(axiom (forall ((%0 s (set (set nat)))) true))", 20, "Node=1 nat=0..9");
  ASSERT_FALSE(starts.result);
  EXPECT_EQ(starts.result.error().kind, ErrorKind::too_large);
}

}  // namespace
}  // namespace tenet::ir::test
