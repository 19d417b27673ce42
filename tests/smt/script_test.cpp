// What is written as SMT-LIB is read back as it was.
#include <gtest/gtest.h>

#include "tenet/smt/query.h"
#include "tenet/smt/term_manager.h"

namespace tenet::smt {
namespace {

/// A query with one of everything.
Query some_query(TermManager& m) {
  const Sort node = m.uninterpreted("Node");
  const Sort colour = m.enumeration("Colour", {"red", "green"});
  const Function at = m.function("at time", {node, m.integer_sort()}, m.integer_sort());
  const Term a = m.constant("a b", node), n = m.constant("n", m.integer_sort());
  const Term paint = m.constant("paint", colour), p = m.constant("p", m.boolean_sort());
  const Term x = m.variable("x", node);
  Query query;
  const Term value = m.apply(at, {a, m.add({n, m.integer(1)})});
  query.assertions.push_back({m.implies(p, m.lt(m.mul(2, value), m.ite(p, n, m.integer(-7)))), "step 1: it is %"});
  query.assertions.push_back({m.or_({m.eq(paint, m.enumerator(colour, 1)), m.not_(p)}), ""});
  query.assertions.push_back({m.le(m.add({value, value, n}), value), "shared"});
  query.notes.push_back({"definition", p, {}, {m.forall({x}, m.le(m.integer(0), m.apply(at, {x, n})))}});
  query.notes.push_back({"numbers", {}, {x}, {m.integer(3), m.apply(at, {x, n})}});
  return query;
}

TEST(Script, ReadsWhatWasWritten) {
  TermManager m;
  const std::string text = to_smtlib(some_query(m));
  TermManager other;
  const Result<Script> script = read_smtlib(text, other);
  ASSERT_TRUE(script) << script.error().message;
  ASSERT_EQ(script->assertions.size(), 3U);
  ASSERT_EQ(script->notes.size(), 2U);
  EXPECT_EQ(script->notes[0].about, "definition");
  EXPECT_TRUE(script->notes[0].symbol.valid());
  EXPECT_TRUE(script->notes[0].parts[0].is_quantifier());
  EXPECT_FALSE(script->notes[1].symbol.valid());
  EXPECT_EQ(script->notes[1].variables.size(), 1U);
  EXPECT_EQ(script->notes[1].parts[0].number().numerator(), 3);
  // Printed again it is the same text: nothing was lost.
  Query again;
  for (const Script::Line& line : script->assertions) again.assertions.push_back({line.assertion.term, ""});
  Query plain = some_query(m);
  plain.notes.clear();
  for (Assertion& assertion : plain.assertions) assertion.name.clear();
  TermManager third;
  const Result<Script> once_more = read_smtlib(to_smtlib(again), third);
  ASSERT_TRUE(once_more) << once_more.error().message;
  EXPECT_EQ(to_smtlib(plain).size(), to_smtlib(again).size());
  for (std::size_t i = 0; i < script->assertions.size(); ++i) {
    EXPECT_EQ(to_text(once_more->assertions[i].assertion.term), to_text(script->assertions[i].assertion.term));
  }
}

TEST(Script, SaysWhichLineIsWrong) {
  const auto error = [](const std::string& text) {
    TermManager m;
    const Result<Script> script = read_smtlib(text, m);
    return script ? std::string("none") : script.error().message;
  };
  EXPECT_EQ(error("(set-logic ALL)\n(assert true)\n"), "line 2: the file ends before (check-sat)");
  EXPECT_EQ(error("\n(assert $x)\n"), "line 2: '$x' is not declared");
  EXPECT_EQ(error("(declare-fun $x () Int)\n(assert $x)\n"), "line 2: what is asserted is no formula");
  EXPECT_EQ(error("(declare-fun $x () Int)\n(assert (= $x true))\n"), "line 2: the arguments of '=' do not fit");
  EXPECT_EQ(error("(declare-fun $f (Int) Int)\n(assert (< ($f true) 1))\n"),
            "line 2: the arguments of '$f' do not fit");
  EXPECT_EQ(error("(declare-fun $x () $S)\n"), "line 1: '$S' is no sort");
  EXPECT_EQ(error("(declare-fun x () Int)\n"), "line 1: 'x' is no name of a certificate");
  EXPECT_EQ(error("(reset)\n"), "line 1: 'reset' has no place in a certificate");
  EXPECT_EQ(error("(check-sat)\n(assert true)\n"), "line 2: something after (check-sat)");
  EXPECT_NE(error("(assert (and\n"), "none");
  EXPECT_NE(error(")\n"), "none");
  EXPECT_NE(error("(assert " + std::string(100'000, '(') + "\n"), "none");
}

}  // namespace
}  // namespace tenet::smt
