#include "tenet/smt/query.h"

#include <gtest/gtest.h>

#include "support.h"
#include "tenet/smt/term_manager.h"

namespace tenet::smt {
namespace {

/// What both programs say to a script.
void expect_both(const std::string& script, const std::string& answer) {
  EXPECT_EQ(run_script("z3 -smt2", script), answer) << script;
  EXPECT_EQ(run_script("cvc5 --lang=smt2", script), answer) << script;
}

TEST(QueryTest, LooksLikeThis) {
  TermManager m;
  const Sort node = m.uninterpreted("Node");
  const Function voted = m.function("voted", {node, m.integer_sort()}, m.boolean_sort());
  const Term n = m.variable("n", node), t = m.variable("t", m.integer_sort());
  const Term claim = m.forall({n, t}, m.not_(m.apply(voted, {n, t})), {{m.apply(voted, {n, t})}}, "none voted");
  Query query;
  query.assertions.push_back({claim, "none voted"});
  query.assertions.push_back({m.apply(voted, {m.constant("a node", node), m.integer(-3)}), {}});
  DumpOptions options;
  options.expected = Answer::unsat;
  options.comments = {"two\nlines"};
  EXPECT_EQ(to_smtlib(query, options),
            "; two lines\n"
            "(set-info :status unsat)\n"
            "(set-logic ALL)\n"
            "(declare-sort $Node 0)\n"
            "(declare-fun $voted ($Node Int) Bool)\n"
            "(declare-fun |$a node| () $Node)\n"
            "(assert (! (forall ((?n $Node) (?t Int)) (! (not ($voted ?n ?t)) :pattern (($voted ?n ?t)) :qid |^none "
            "voted|)) :named |&none voted|))\n"
            "(assert ($voted |$a node| (- 3)))\n"
            "(check-sat)\n");
  expect_both(to_smtlib(query, options), "unsat\n");
  query.assertions.push_back(query.assertions[0]);
  expect_both(to_smtlib(query, options), "unsat\n");
}

TEST(QueryTest, StrangeNamesAreAcceptedByBoth) {
  TermManager m;
  Query query;
  std::vector<Term> all;
  for (const char* name : {"and",  "assert",  "|",      "\\", "a b", "",  "ünïcode", "%7C",    "let!1", "_let1", "x\ny",
                           "true", "str.len", "fp.add", "0",  "-",   "!", "bv2nat",  "select", "(",     "\"",    ";"}) {
    all.push_back(m.constant(name, m.boolean_sort()));
    all.push_back(m.apply(m.function(name, {m.boolean_sort()}, m.boolean_sort()), {all.back()}));
    const Sort sort = m.uninterpreted(name);
    const Term v = m.variable(name, sort);
    all.push_back(m.exists({v}, m.apply(m.function(name, {sort}, m.boolean_sort()), {v})));
    query.assertions.push_back({all.back(), name});
  }
  query.assertions.push_back({m.and_(all), "and"});
  expect_both(to_smtlib(query), "sat\n");
}

TEST(QueryTest, EveryKindOfTermIsAcceptedByBoth) {
  TermManager m;
  const Term x = m.constant("x", m.integer_sort()), u = m.constant("u", m.real_sort());
  const Term p = m.constant("p", m.boolean_sort());
  const Sort colour = m.enumeration("Colour", {"red", "dark green"});
  const Term c = m.constant("c", colour);
  Query query;
  const auto assert_one = [&](Term term) { query.assertions.push_back({term, {}}); };
  assert_one(m.eq(m.mul(3, x), m.add({x, m.integer(4)})));
  assert_one(m.eq(m.div(m.neg(x), 4), m.integer(-1)));
  assert_one(m.eq(m.mod(m.neg(x), 4), m.integer(2)));
  assert_one(m.le(u, m.add({m.to_real(x), m.real(*Rational::make(-1, 3))})));
  assert_one(m.le(m.real(*Rational::make(5, 3)), u));
  assert_one(m.eq(m.mul(*Rational::make(1, 3), u), m.real(*Rational::make(5, 9))));
  assert_one(m.ite(p, m.eq(c, m.enumerator(colour, 1)), m.implies(m.eq(c, m.enumerator(colour, 0)), m.lt(x, x))));
  assert_one(m.iff(p, m.or_({m.lt(x, m.integer(0)), m.ne(c, m.enumerator(colour, 0))})));
  assert_one(m.distinct({x, m.integer(7), m.integer(8), m.integer(9)}));
  query.assumptions = {p};
  expect_both(to_smtlib(query), "sat\n");
  query.assumptions = {m.not_(p)};
  expect_both(to_smtlib(query), "unsat\n");
}

TEST(QueryTest, SharedPartsArePrintedOnce) {
  TermManager m;
  const Function f = m.function("f", {m.integer_sort(), m.integer_sort()}, m.integer_sort());
  const Term v = m.variable("v", m.integer_sort());
  Term term = v;
  for (int i = 0; i < 100; ++i) term = m.apply(f, {term, term});
  const Term claim = m.forall({v}, m.implies(m.eq(v, m.integer(0)), m.eq(term, m.integer(0))));
  const Term base = m.eq(m.apply(f, {m.integer(0), m.integer(0)}), m.integer(0));
  Query query;
  query.assertions = {{base, {}}, {m.not_(claim), {}}};
  const std::string script = to_smtlib(query);
  EXPECT_LT(script.size(), 20'000u);
  expect_both(script, "unsat\n");
}

TEST(QueryTest, SameQueryGivesTheSameBytes) {
  const auto make = [] {
    TermManager m;
    Query query;
    for (int i = 0; i < 30; ++i) {
      const Term a = m.constant("c" + std::to_string(i * 7 % 30), m.uninterpreted("S" + std::to_string(i % 5)));
      query.assertions.push_back({m.apply(m.function("p", {a.sort()}, m.boolean_sort()), {a}), "fact"});
    }
    return to_smtlib(query);
  };
  EXPECT_EQ(make(), make());
}

TEST(QueryTest, CoresNameTheFacts) {
  TermManager m;
  const Term p = m.constant("p", m.boolean_sort()), q = m.constant("q", m.boolean_sort());
  Query query;
  query.assertions = {{p, "one"}, {q, "two"}, {m.not_(p), "three"}};
  DumpOptions options;
  options.cores = true;
  for (const char* program : {"z3 -smt2", "cvc5 --lang=smt2"}) {
    const std::string out = run_script(program, to_smtlib(query, options));
    EXPECT_NE(out.find("unsat"), std::string::npos) << out;
    EXPECT_NE(out.find("&one"), std::string::npos) << out;
    EXPECT_NE(out.find("&three"), std::string::npos) << out;
    EXPECT_EQ(out.find("&two"), std::string::npos) << out;
  }
}

}  // namespace
}  // namespace tenet::smt
