// Questions with quantifiers in the manner of the prover: provenance as
// functions of time, thresholds as atoms, ownership in two states.
#include <gtest/gtest.h>

#include "support.h"
#include "tenet/smt/portfolio.h"
#include "tenet/smt/term_manager.h"

namespace tenet::smt {
namespace {

/// Short ways to say things.
class Theory {
 public:
  TermManager m;
  std::vector<Assertion> facts;

  Function predicate(const char* name, std::vector<Sort> domain) {
    return m.function(name, std::move(domain), m.boolean_sort());
  }
  void fact(const char* name, Term term) { facts.push_back({term, name}); }
  void all(const char* name, std::vector<Term> variables, std::vector<Term> pattern, Term body) {
    facts.push_back({m.forall(std::move(variables), body, {std::move(pattern)}, name), name});
  }
  [[nodiscard]] Query query() const { return {facts, {}}; }
};

SolverConfig limited(SolverConfig config) {
  config.resource_limit = 300'000;
  config.wall_clock_ms = 120'000;
  // Patterns alone leave cvc5 stuck where a term is only known to be equal to another.
  if (config.dialect == Dialect::cvc5) config.options = {{"enum-inst", "true"}};
  return config;
}

void expect_unsat(const Query& query) {
  for (const SolverConfig& config : real_configs()) {
    const CheckResult result = ask(query, limited(config));
    EXPECT_EQ(result.answer, Answer::unsat) << result.solver << ": " << result.reason << "\n" << to_smtlib(query);
  }
}

void expect_not_unsat(const Query& query) {
  for (const SolverConfig& config : real_configs()) {
    const CheckResult result = ask(query, limited(config));
    EXPECT_NE(result.answer, Answer::unsat) << result.solver;
  }
}

/// A node votes once per round; a leader has the votes of a quorum. Two
/// leaders of one round are the same, if quorums meet.
void election(Theory& t, bool quorums_meet) {
  TermManager& m = t.m;
  const Sort node = m.uninterpreted("Node"), quorum = m.uninterpreted("Quorum"), time = m.integer_sort();
  const Term last = m.constant("last", time);
  const Function voted = t.predicate("voted", {node, time}), leader = t.predicate("leader", {node, time});
  const Function choice = m.function("choice", {node, time}, node);
  const Function vote = t.predicate("Vote sent", {node, node});
  const Function sent_at = m.function("when Vote was sent", {node, node}, time);
  const Function member = t.predicate("member", {node, quorum}), matters = t.predicate("matters", {quorum});
  const Function votes = m.function("votes of", {node}, quorum), meet = m.function("meet", {quorum, quorum}, node);
  const Term n = m.variable("n", node), k = m.variable("k", node), i = m.variable("i", time), j = m.variable("j", time);
  const Term q = m.variable("q", quorum), r = m.variable("r", quorum);
  const auto during = [&](Term from, Term to) {
    return m.and_({m.le(m.integer(0), from), m.le(from, to), m.le(to, last)});
  };

  t.all("a vote is never changed", {n, i, j}, {m.apply(choice, {n, i}), m.apply(choice, {n, j})},
        m.implies(m.and_({during(i, j), m.apply(voted, {n, i})}),
                  m.and_({m.apply(voted, {n, j}), m.eq(m.apply(choice, {n, i}), m.apply(choice, {n, j}))})));
  const Term at = m.apply(sent_at, {n, k});
  const Term after = m.add({at, m.integer(1)});
  t.all("who sent Vote", {n, k}, {m.apply(vote, {n, k})},
        m.implies(m.apply(vote, {n, k}), m.and_({m.le(m.integer(0), at), m.lt(at, last), m.apply(voted, {n, after}),
                                                 m.eq(m.apply(choice, {n, after}), k)})));
  t.all("a leader has a quorum", {n}, {m.apply(leader, {n, last})},
        m.implies(m.apply(leader, {n, last}), m.apply(matters, {m.apply(votes, {n})})));
  t.all("of votes", {n, k}, {m.apply(member, {k, m.apply(votes, {n})})},
        m.implies(m.and_({m.apply(leader, {n, last}), m.apply(member, {k, m.apply(votes, {n})})}),
                  m.apply(vote, {k, n})));
  const Term both = m.apply(meet, {q, r});
  if (quorums_meet) {
    t.all("quorums meet", {q, r}, {m.apply(matters, {q}), m.apply(matters, {r})},
          m.implies(m.and_({m.apply(matters, {q}), m.apply(matters, {r})}),
                    m.and_({m.apply(member, {both, q}), m.apply(member, {both, r})})));
  }
  const Term a = m.constant("a", node), b = m.constant("b", node);
  t.fact("two leaders", m.and_({m.apply(leader, {a, last}), m.apply(leader, {b, last}), m.ne(a, b)}));
}

TEST(QuantifiedTest, OneLeaderIfQuorumsMeet) {
  Theory theory;
  election(theory, true);
  expect_unsat(theory.query());
}

TEST(QuantifiedTest, TwoLeadersIfQuorumsNeedNotMeet) {
  Theory theory;
  election(theory, false);
  expect_not_unsat(theory.query());
  // Small enough for Z3 to find a model.
  EXPECT_EQ(ask(theory.query(), limited(z3_config())).answer, Answer::sat);
}

TEST(QuantifiedTest, TheCoreNamesWhatTheProofNeeds) {
  Theory theory;
  election(theory, true);
  theory.fact("nothing to do with it", theory.m.constant("rain", theory.m.boolean_sort()));
  const CheckResult result = ask(theory.query(), limited(z3_config()));
  ASSERT_EQ(result.answer, Answer::unsat);
  const std::vector<std::string> expected{
      "a vote is never changed", "who sent Vote", "a leader has a quorum", "of votes", "quorums meet", "two leaders"};
  EXPECT_EQ(result.core, expected);
}

/// A lock that travels with a number: who holds it, and what is under way.
void lock(Theory& t, bool giver_lets_go) {
  TermManager& m = t.m;
  const Sort host = m.uninterpreted("Host"), number = m.integer_sort();
  const Function held = t.predicate("held", {host}), held_after = t.predicate("held'", {host});
  const Function grant = t.predicate("grant", {host, number}), grant_after = t.predicate("grant'", {host, number});
  const Function seen = m.function("seen", {host}, number);
  const Term h = m.variable("h", host), g = m.variable("g", host), e = m.variable("e", number);
  const auto under_way = [&](Function sent, Term to, Term n) {
    return m.and_({m.apply(sent, {to, n}), m.lt(m.apply(seen, {to}), n)});
  };
  t.all("one holder", {h, g}, {m.apply(held, {h}), m.apply(held, {g})},
        m.implies(m.and_({m.apply(held, {h}), m.apply(held, {g})}), m.eq(h, g)));
  t.all("a holder excludes a grant", {h, g, e}, {m.apply(held, {h}), m.apply(grant, {g, e})},
        m.implies(m.apply(held, {h}), m.not_(under_way(grant, g, e))));
  // One step: a holder sends the lock on.
  const Term giver = m.constant("giver", host), taker = m.constant("taker", host), n = m.constant("n", number);
  t.fact("the giver holds it", m.apply(held, {giver}));
  const Term kept = giver_lets_go ? m.and_({m.apply(held, {h}), m.ne(h, giver)}) : m.apply(held, {h});
  t.all("who holds it after", {h}, {m.apply(held_after, {h})}, m.iff(m.apply(held_after, {h}), kept));
  t.all("what is granted after", {h, e}, {m.apply(grant_after, {h, e})},
        m.iff(m.apply(grant_after, {h, e}), m.or_({m.apply(grant, {h, e}), m.and_({m.eq(h, taker), m.eq(e, n)})})));
  const Term a = m.constant("a", host), b = m.constant("b", host), k = m.constant("k", number);
  t.fact("broken", m.and_({m.apply(held_after, {a}), under_way(grant_after, b, k)}));
}

TEST(QuantifiedTest, OwnershipIsInductive) {
  Theory theory;
  lock(theory, true);
  expect_unsat(theory.query());
}

TEST(QuantifiedTest, OwnershipBreaksWhenTheGiverKeepsIt) {
  Theory theory;
  lock(theory, false);
  expect_not_unsat(theory.query());
  EXPECT_EQ(ask(theory.query(), limited(z3_config())).answer, Answer::sat);
}

/// Two phases: a decision follows the votes. Enumerations and reals as order.
TEST(QuantifiedTest, ADecisionFollowsTheVotes) {
  Theory t;
  TermManager& m = t.m;
  const Sort node = m.uninterpreted("Node"), ballot = m.real_sort();
  const Sort decision = m.enumeration("Decision", {"none", "commit", "abort"});
  const Function yes = t.predicate("yes", {node, ballot}), everyone = t.predicate("everyone", {ballot});
  const Function decided = m.function("decided", {ballot}, decision);
  const Term n = m.variable("n", node), b = m.variable("b", ballot), c = m.variable("c", ballot);
  const Term commit = m.enumerator(decision, 1), none = m.enumerator(decision, 0);
  t.all("everyone said yes", {n, b}, {m.apply(everyone, {b}), m.apply(yes, {n, b})},
        m.implies(m.apply(everyone, {b}), m.apply(yes, {n, b})));
  t.all("commit needs everyone", {b}, {m.apply(decided, {b})},
        m.implies(m.eq(m.apply(decided, {b}), commit), m.apply(everyone, {b})));
  t.all("decided once", {b, c}, {m.apply(decided, {b}), m.apply(decided, {c})},
        m.implies(m.and_({m.lt(b, c), m.ne(m.apply(decided, {b}), none)}),
                  m.eq(m.apply(decided, {b}), m.apply(decided, {c}))));
  const Term p = m.constant("p", node), early = m.constant("early", ballot), late = m.constant("late", ballot);
  t.fact("some said no",
         m.and_({m.lt(early, late), m.eq(m.apply(decided, {early}), commit), m.not_(m.apply(yes, {p, late}))}));
  expect_unsat(t.query());
  t.facts.erase(t.facts.begin() + 2);
  expect_not_unsat(t.query());
}

TEST(QuantifiedTest, WithoutModelsZ3GivesUpEarly) {
  SolverConfig probe = limited(z3_config());
  probe.mbqi = false;
  probe.auto_config = false;
  Theory good, bad;
  election(good, true);
  election(bad, false);
  EXPECT_EQ(ask(good.query(), probe).answer, Answer::unsat);
  const CheckResult result = ask(bad.query(), probe);
  EXPECT_EQ(result.answer, Answer::unknown);
  EXPECT_EQ(result.cause, Cause::incomplete) << result.reason;
}

TEST(QuantifiedTest, MatchingWithoutEndIsUnknown) {
  Theory t;
  TermManager& m = t.m;
  const Function next = m.function("next", {m.integer_sort()}, m.integer_sort());
  const Term i = m.variable("i", m.integer_sort());
  const Term ni = m.apply(next, {i});
  t.all("larger for ever", {i}, {ni}, m.lt(m.add({ni, i}), m.apply(next, {m.add({ni, m.integer(1)})})));
  t.fact("start", m.lt(m.integer(0), m.apply(next, {m.integer(0)})));
  for (SolverConfig config : real_configs()) {
    config.resource_limit = 20'000;
    config.mbqi = false;
    const CheckResult result = ask(t.query(), config);
    EXPECT_EQ(result.answer, Answer::unknown);
    // Z3 may also give up on terms that are nested too deeply.
    EXPECT_TRUE(result.cause == Cause::resource_limit || result.cause == Cause::incomplete) << result.reason;
  }
}

TEST(QuantifiedTest, AnAnswerRepeats) {
  for (SolverConfig config : real_configs()) {
    config = limited(config);
    config.seed = 7;
    Theory theory;
    election(theory, true);
    const CheckResult one = ask(theory.query(), config), two = ask(theory.query(), config);
    EXPECT_EQ(one.answer, two.answer);
    EXPECT_EQ(one.resources, two.resources) << one.solver;
    EXPECT_EQ(one.core, two.core);
    EXPECT_GT(one.resources, 0u);
  }
}

}  // namespace
}  // namespace tenet::smt
