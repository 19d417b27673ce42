#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>

#include "tenet/smt/term_manager.h"
#include "tenet/smt/term_ops.h"

namespace tenet::smt {
namespace {

class TermTest : public testing::Test {
 protected:
  TermManager m;
  Sort node = m.uninterpreted("Node");
  Term p = m.constant("p", m.boolean_sort());
  Term q = m.constant("q", m.boolean_sort());
  Term r = m.constant("r", m.boolean_sort());
  Term x = m.constant("x", m.integer_sort());
  Term y = m.constant("y", m.integer_sort());
  Term a = m.constant("a", node);
  Term yes = m.boolean(true);
  Term no = m.boolean(false);
};

TEST_F(TermTest, EqualTermsAreTheSame) {
  EXPECT_EQ(m.constant("p", m.boolean_sort()), p);
  EXPECT_EQ(m.and_({p, q}), m.and_({p, q}));
  EXPECT_EQ(m.add({x, m.integer(1)}), m.add({x, m.integer(1)}));
  const Term v = m.variable("v", node);
  EXPECT_EQ(m.forall({v}, m.eq(v, a), {}, "n"), m.forall({v}, m.eq(v, a), {}, "n"));
  EXPECT_NE(m.forall({v}, m.eq(v, a), {}, "n"), m.forall({v}, m.eq(v, a), {}, "other"));
  EXPECT_NE(m.and_({p, q}), m.and_({q, p}));
}

TEST_F(TermTest, SameNameWithAnotherSignatureIsAnother) {
  EXPECT_NE(m.constant("p", m.integer_sort()), p);
  EXPECT_NE(m.function("f", {node}, node), m.function("f", {node, node}, node));
  EXPECT_EQ(m.function("f", {node}, node), m.function("f", {node}, node));
  EXPECT_EQ(m.uninterpreted("Node"), node);
  EXPECT_NE(m.enumeration("Node", {"a"}), node);
  EXPECT_EQ(m.enumeration("E", {"a", "b"}), m.enumeration("E", {"a", "b"}));
  EXPECT_NE(m.enumeration("E", {"a", "b"}), m.enumeration("E", {"b", "a"}));
}

TEST_F(TermTest, FreshNamesAreNew) {
  const Term one = m.fresh_constant("x", m.integer_sort());
  const Term two = m.fresh_constant("x", m.integer_sort());
  EXPECT_NE(one, x);
  EXPECT_NE(one, two);
  EXPECT_EQ(one.function().name(), "x!1");
  EXPECT_EQ(two.function().name(), "x!2");
  EXPECT_EQ(m.fresh_constant("brand new", node).function().name(), "brand new");
}

TEST_F(TermTest, LogicIsFolded) {
  EXPECT_EQ(m.not_(m.not_(p)), p);
  EXPECT_EQ(m.not_(yes), no);
  EXPECT_EQ(m.and_({}), yes);
  EXPECT_EQ(m.or_({}), no);
  EXPECT_EQ(m.and_({p}), p);
  EXPECT_EQ(m.and_({p, yes, p}), p);
  EXPECT_EQ(m.and_({p, no}), no);
  EXPECT_EQ(m.or_({p, yes}), yes);
  EXPECT_EQ(m.and_({p, q, m.not_(p)}), no);
  EXPECT_EQ(m.or_({m.not_(p), q, p}), yes);
  EXPECT_EQ(m.and_({p, m.and_({q, r})}), m.and_({p, q, r}));
  EXPECT_EQ(m.or_({m.or_({p, q}), r}), m.or_({p, q, r}));
  EXPECT_EQ(m.implies(yes, p), p);
  EXPECT_EQ(m.implies(p, no), m.not_(p));
  EXPECT_EQ(m.implies(p, p), yes);
  EXPECT_EQ(m.implies(no, p), yes);
  EXPECT_EQ(m.iff(p, yes), p);
  EXPECT_EQ(m.iff(no, p), m.not_(p));
  EXPECT_EQ(m.iff(p, m.not_(p)), no);
  EXPECT_EQ(m.ite(yes, x, y), x);
  EXPECT_EQ(m.ite(p, x, x), x);
  EXPECT_EQ(m.ite(m.not_(p), x, y), m.ite(p, y, x));
  EXPECT_EQ(m.ite(p, yes, no), p);
  EXPECT_EQ(m.ite(p, no, yes), m.not_(p));
}

TEST_F(TermTest, EqualityIsFoldedAndOrdered) {
  EXPECT_EQ(m.eq(x, y), m.eq(y, x));
  EXPECT_EQ(m.eq(x, x), yes);
  EXPECT_EQ(m.eq(m.integer(1), m.integer(2)), no);
  const Sort colour = m.enumeration("Colour", {"red", "green"});
  EXPECT_EQ(m.eq(m.enumerator(colour, 0), m.enumerator(colour, 1)), no);
  EXPECT_EQ(m.distinct({a}), yes);
  EXPECT_EQ(m.distinct({x, y}), m.not_(m.eq(x, y)));
  EXPECT_EQ(m.distinct({x, y, x}), no);
  EXPECT_EQ(m.distinct({m.integer(1), m.integer(2), m.integer(3)}), yes);
  EXPECT_EQ(m.distinct({x, y, m.integer(3)}).kind(), Kind::distinct);
}

TEST_F(TermTest, ArithmeticIsFolded) {
  EXPECT_EQ(m.add({m.integer(2), m.integer(3)}), m.integer(5));
  EXPECT_EQ(m.add({x, m.integer(2), m.add({y, m.integer(-2)})}), m.add({x, y}));
  EXPECT_EQ(m.sub(x, x), m.integer(0));
  EXPECT_EQ(m.mul(0, x), m.integer(0));
  EXPECT_EQ(m.neg(m.neg(x)), x);
  EXPECT_EQ(m.mul(3, m.mul(2, x)), m.mul(6, x));
  EXPECT_EQ(m.lt(m.integer(1), m.integer(2)), yes);
  EXPECT_EQ(m.lt(x, x), no);
  EXPECT_EQ(m.le(x, x), yes);
  EXPECT_EQ(m.gt(x, y), m.lt(y, x));
  EXPECT_EQ(m.div(m.integer(-7), 2), m.integer(-4));
  EXPECT_EQ(m.mod(m.integer(-7), 2), m.integer(1));
  EXPECT_EQ(m.mod(x, 1), m.integer(0));
  EXPECT_EQ(m.to_real(m.integer(3)), m.real(3));
  EXPECT_EQ(m.add({m.real(*Rational::make(1, 3)), m.real(*Rational::make(2, 3))}), m.real(1));
}

TEST_F(TermTest, OverflowIsNotFolded) {
  const Term most = m.integer(std::numeric_limits<std::int64_t>::max());
  const Term sum = m.add({most, m.integer(1)});
  EXPECT_EQ(sum.kind(), Kind::add);
  EXPECT_EQ(m.mul(2, most).kind(), Kind::mul);
  EXPECT_EQ(m.add({m.neg(most), m.integer(-1)}).kind(), Kind::add);
}

TEST_F(TermTest, ConstantBodiesDropTheirQuantifier) {
  const Term v = m.variable("v", node);
  EXPECT_EQ(m.forall({v}, yes), yes);
  EXPECT_EQ(m.exists({v}, no), no);
  EXPECT_EQ(m.forall({}, p), p);
}

TEST_F(TermTest, ClosedAndQuantifierFree) {
  const Term v = m.variable("v", node), w = m.variable("w", node);
  const Function f = m.function("f", {node, node}, m.boolean_sort());
  const Term inner = m.forall({v}, m.apply(f, {v, w}));
  EXPECT_FALSE(inner.closed());
  EXPECT_FALSE(inner.quantifier_free());
  EXPECT_EQ(free_variables(inner), std::vector<Term>{w});
  EXPECT_TRUE(m.exists({w}, inner).closed());
  EXPECT_TRUE(p.closed());
  EXPECT_TRUE(m.apply(f, {v, w}).quantifier_free());
  // Free where it stands outside, bound where it stands inside.
  EXPECT_EQ(free_variables(m.and_({m.apply(f, {v, v}), inner})), (std::vector<Term>{v, w}));
}

TEST_F(TermTest, SubstitutionReplacesAllAtOnce) {
  const Term term = m.lt(x, m.add({y, m.integer(1)}));
  EXPECT_EQ(substitute(m, term, {{x, y}, {y, x}}), m.lt(y, m.add({x, m.integer(1)})));
  EXPECT_EQ(substitute(m, term, {}), term);
  EXPECT_EQ(substitute(m, m.and_({p, q}), {{p, yes}}), q);
  EXPECT_EQ(substitute(m, m.not_(m.and_({p, q})), {{m.and_({p, q}), no}}), yes);
}

TEST_F(TermTest, SubstitutionDoesNotCapture) {
  const Term v = m.variable("v", node), w = m.variable("w", node);
  const Function f = m.function("f", {node, node}, m.boolean_sort());
  const Term all = m.forall({v}, m.apply(f, {v, w}), {{m.apply(f, {v, w})}}, "fact");
  const Term result = substitute(m, all, {{w, v}});
  ASSERT_EQ(result.kind(), Kind::forall);
  const Term renamed = result.bound()[0];
  EXPECT_NE(renamed, v);
  EXPECT_EQ(result.body(), m.apply(f, {renamed, v}));
  EXPECT_EQ(result.patterns()[0][0], m.apply(f, {renamed, v}));
  EXPECT_EQ(result.quantifier_name(), "fact");
  // A bound variable is another thing than the free one of its name.
  EXPECT_EQ(substitute(m, all, {{v, a}}), all);
  EXPECT_EQ(instantiate(m, all, std::vector<Term>{a}), m.apply(f, {a, w}));
}

TEST_F(TermTest, DeepTermsNeedNoStack) {
  const Function f = m.function("f", {m.integer_sort()}, m.integer_sort());
  Term term = x;
  for (int i = 0; i < 200'000; ++i) term = m.apply(f, {term});
  EXPECT_EQ(dag_size(term), 200'001u);
  const Term changed = substitute(m, term, {{x, y}});
  EXPECT_EQ(dag_size(changed), 200'001u);
  EXPECT_TRUE(free_variables(substitute(m, term, {{x, m.variable("v", m.integer_sort())}})).size() == 1);
}

TEST_F(TermTest, Patterns) {
  const Term v = m.variable("v", node), w = m.variable("w", node);
  const Function f = m.function("f", {node}, m.boolean_sort());
  const std::vector<Term> both{v, w};
  EXPECT_TRUE(good_pattern(both, std::vector<Term>{m.apply(f, {v}), m.apply(f, {w})}));
  EXPECT_FALSE(good_pattern(both, std::vector<Term>{m.apply(f, {v})}));
  EXPECT_FALSE(good_pattern(both, std::vector<Term>{v, w}));
  EXPECT_FALSE(good_pattern(both, {}));
}

TEST_F(TermTest, SymbolsAreListedInOrderOfCreation) {
  const Function f = m.function("f", {node}, m.boolean_sort());
  const Term v = m.variable("v", m.uninterpreted("Other"));
  const Function g = m.function("g", {m.uninterpreted("Other")}, m.boolean_sort());
  const Term term = m.and_({m.forall({v}, p, {{m.apply(g, {v})}}), m.apply(f, {a})});
  const std::vector<Function> functions = functions_of({&term, 1});
  ASSERT_EQ(functions.size(), 4u);
  EXPECT_EQ(functions[0], p.function());
  EXPECT_EQ(functions[3], g);
  EXPECT_EQ(sorts_of({&term, 1}), (std::vector<Sort>{m.boolean_sort(), node, m.uninterpreted("Other")}));
}

TEST(RationalTest, StaysExactOrSaysSo) {
  EXPECT_EQ(Rational::make(2, -4)->text(), "-1/2");
  EXPECT_FALSE(Rational::make(1, 0));
  EXPECT_FALSE(Rational::make(std::numeric_limits<std::int64_t>::min(), 1));
  const Rational big = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(checked_add(big, 1));
  EXPECT_FALSE(checked_mul(big, 2));
  EXPECT_EQ(checked_compare(*Rational::make(1, 3), *Rational::make(1, 2)), -1);
  EXPECT_EQ(checked_compare(5, 5), 0);
}

}  // namespace
}  // namespace tenet::smt
