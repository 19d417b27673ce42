#include "tenet/explore/explorer.h"

#include <gtest/gtest.h>

#include "oracle.h"
#include "samples.h"
#include "tenet/frontend/frontend.h"

namespace tenet::explore {
namespace {

Options plain(unsigned threads = 1) {
  Options options;
  options.symmetry = false;
  options.threads = threads;
  return options;
}

TEST(Explore, LamportsTwoPhaseHasItsPublishedNumberOfStates) {
  const ir::Protocol p = samples::lamport_two_phase();
  for (const auto& [managers, states] : {std::pair{3, 288U}, std::pair{5, 8832U}}) {
    const auto report = explore(p, samples::instance(p, {samples::size("RM", managers)}), plain());
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->states, states);
    EXPECT_EQ(report->end, End::complete);
    EXPECT_TRUE(report->unreached.empty());
    ASSERT_EQ(report->found.size(), 2U);
  }
}

TEST(Explore, LamportsTwoPhaseHasItsPublishedNumberOfOrbits) {
  const ir::Protocol p = samples::lamport_two_phase();
  for (const auto& [managers, orbits] : {std::pair{3, 80U}, std::pair{5, 314U}}) {
    for (const unsigned threads : {1U, 2U}) {
      Options options;
      options.threads = threads;
      const auto report = explore(p, samples::instance(p, {samples::size("RM", managers)}), options);
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_EQ(report->states, orbits);
      ASSERT_EQ(report->found.size(), 2U);
    }
  }
}

TEST(Explore, AgreesWithTheObviousExplorer) {
  const ir::Protocol p = samples::lamport_two_phase();
  const ir::Instance instance = samples::instance(p, {samples::size("RM", 3)});
  const oracle::Answer answer = oracle::explore(p, instance);
  oracle::expect_agrees(p, instance, answer, plain(1));
  oracle::expect_agrees(p, instance, answer, plain(2));
}

TEST(Explore, TwoThreadsAgreeWithOneOnLevelsThatBothWorkOn) {
  const ir::Protocol p = samples::lamport_two_phase();
  for (const auto& [managers, symmetry] : {std::pair{7, false}, std::pair{9, true}}) {
    const ir::Instance instance = samples::instance(p, {samples::size("RM", managers)});
    Options options;
    options.symmetry = symmetry;
    const auto one = explore(p, instance, options);
    options.threads = 2;
    const auto two = explore(p, instance, options);
    ASSERT_TRUE(one && two);
    EXPECT_GT(one->states, 2000U);
    EXPECT_EQ(one->states, two->states);
    EXPECT_EQ(one->transitions, two->transitions);
    EXPECT_EQ(one->deadlocks, two->deadlocks);
    EXPECT_EQ(one->depth, two->depth);
    ASSERT_EQ(one->found.size(), two->found.size());
    for (std::size_t i = 0; i < one->found.size(); ++i) {
      EXPECT_EQ(one->found[i].trace.states, two->found[i].trace.states);
    }
  }
}

/// A counter that a host drives up to its bound and misuses on the way.
struct Counter {
  samples::Maker m;
  ir::RoleId node = m.role("Node");
  ir::TypeId natural = m.p.types.natural();
  ir::VarId n;
  Counter() {
    ir::Builder b(m.p);
    m.p.name = "counter";
    n = m.variable(node, "n", natural, b.natural(0));
    m.step(node, "up", b.boolean(true), {b.assign(n, b.binary(ir::Op::add, read(), b.natural(1)))});
  }
  ir::ExprId read() {
    ir::Builder b(m.p);
    return b.state_var(n, b.self(node));
  }
  ir::Instance instance() { return samples::instance(m.p, {samples::size("Node", 2), samples::range("n", 0, 5)}); }
};

TEST(Explore, CountsCutsAndCallsTheExplorationCut) {
  Counter c;
  const auto report = explore(c.m.p, c.instance(), plain());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->states, 36U);
  EXPECT_EQ(report->end, End::cut);
  ASSERT_EQ(report->cuts.size(), 1U);
  EXPECT_EQ(report->cuts[0].slot, "n");
  EXPECT_EQ(report->cuts[0].count, 12U);  // each host at 5, the other anywhere
  EXPECT_EQ(report->deadlocks, 0U);       // leaving the bounds is no rest
}

TEST(Explore, AFaultInAStepIsAFindingWithTheStateBeforeIt) {
  Counter c;
  ir::Builder b(c.m.p);
  const ir::StepId down = c.m.step(c.node, "down", b.binary(ir::Op::gt, c.read(), b.natural(1)),
                                   {b.assign(c.n, b.binary(ir::Op::sub, c.read(), b.natural(3)))});
  for (const bool symmetry : {false, true}) {
    Options options;
    options.symmetry = symmetry;
    const auto report = explore(c.m.p, c.instance(), options);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->found.size(), 1U);
    const Found& found = report->found[0];
    EXPECT_EQ(found.kind, FoundKind::fault);
    ASSERT_TRUE(found.failing_action && found.fault);
    EXPECT_EQ(found.failing_action->step, down);
    EXPECT_EQ(found.fault->kind, ir::FaultKind::below_zero);
    EXPECT_EQ(found.trace.actions.size(), 2U);
    EXPECT_EQ(ir::replay(c.m.p, c.instance(), found.trace), "");
  }
}

TEST(Explore, SaysWhichStepsAndLeftSidesNeverHappen) {
  Counter c;
  ir::Builder b(c.m.p);
  const ir::StepId never = c.m.step(c.node, "never", b.binary(ir::Op::gt, c.read(), b.natural(9)), {});
  const ir::LocalId x = c.m.local("x", c.m.p.types.host(c.node));
  const auto value = [&] { return b.state_var(c.n, b.local(x)); };
  const ir::ExprId vacuous = b.binary(ir::Op::gt, value(), b.natural(7));
  const ir::ExprId real = b.binary(ir::Op::gt, value(), b.natural(4));
  c.m.property(ir::PropertyKind::safety, "p",
               b.quantifier(ir::Op::forall, {x},
                            b.conjunction({b.binary(ir::Op::implies, vacuous, b.boolean(false)),
                                           b.binary(ir::Op::implies, real, b.boolean(true))})));
  const auto report = explore(c.m.p, c.instance(), Options{});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->never_enabled, std::vector<ir::StepId>{never});
  EXPECT_EQ(report->never_true, std::vector<ir::ExprId>{vacuous});
}

TEST(Explore, FindsReallyDifferentViolations) {
  Counter c;
  ir::Builder b(c.m.p);
  c.m.step(c.node, "jump", b.binary(ir::Op::eq, c.read(), b.natural(0)), {b.assign(c.n, b.natural(5))});
  const ir::LocalId x = c.m.local("x", c.m.p.types.host(c.node));
  c.m.property(ir::PropertyKind::safety, "small",
               b.quantifier(ir::Op::forall, {x}, b.binary(ir::Op::lt, b.state_var(c.n, b.local(x)), b.natural(4))));
  for (const unsigned threads : {1U, 2U}) {
    Options options;
    options.threads = threads;
    options.max_violations = 5;
    const auto report = explore(c.m.p, c.instance(), options);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->found.size(), 2U);  // by a jump, and by counting up; never the same again
    EXPECT_EQ(report->found[0].trace.actions.size(), 1U);
    EXPECT_EQ(report->found[1].trace.actions.size(), 4U);
    options.max_violations = 1;
    const auto first = explore(c.m.p, c.instance(), options);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->found.size(), 1U);
    EXPECT_EQ(first->end, End::satisfied);
  }
}

/// Twelve hosts have many permutations, and each keeps the images it has met.
TEST(Explore, ImagesUnderPermutationsGiveWayToStates) {
  const SourceFile file("sets.tenet",
                        "protocol sets\n"
                        "role R {\n"
                        "  var x: nat = 0\n"
                        "  var y: set<R> = {}\n"
                        "  step s when x < 30 { x = x + 1 }\n"
                        "  step t(q: R) { y += q }\n"
                        "}\n"
                        "safety small: forall r: R :: r.x < 31 and |r.y| <= 12\n");
  const frontend::Loaded loaded = frontend::load_protocol(file);
  ASSERT_TRUE(loaded.protocol);
  const ir::Instance instance =
      samples::instance(*loaded.protocol, {samples::size("R", 12), samples::range("x", 0, 30)});
  for (const unsigned threads : {1U, 2U}) {
    Options options;
    options.threads = threads;
    options.memory_bytes = 8 << 20;
    const auto full = explore(*loaded.protocol, instance, options);
    ASSERT_TRUE(full);
    EXPECT_EQ(full->end, End::memory);
    EXPECT_GT(full->states, 6000U) << "ended for what could be forgotten";
    EXPECT_LT(full->memory, 9U << 20);
  }
}

TEST(Explore, StopsAtItsBounds) {
  const ir::Protocol p = samples::lamport_two_phase();
  const ir::Instance instance = samples::instance(p, {samples::size("RM", 7)});
  for (const unsigned threads : {1U, 2U}) {
    Options options = plain(threads);
    options.memory_bytes = 1 << 20;
    const auto full = explore(p, instance, options);
    ASSERT_TRUE(full);
    EXPECT_EQ(full->end, End::memory);
    EXPECT_LT(full->memory, 3U << 20);
    options = plain(threads);
    options.max_depth = 3;
    const auto shallow = explore(p, instance, options);
    ASSERT_TRUE(shallow);
    EXPECT_EQ(shallow->end, End::depth);
    EXPECT_EQ(shallow->depth, 3U);
    StopFlag stop;
    stop.request();
    options = plain(threads);
    options.stop = &stop;
    const auto stopped = explore(p, instance, options);
    EXPECT_TRUE(!stopped ? stopped.error().kind == ErrorKind::interrupted : stopped->end == End::stopped);
  }
}

TEST(Explore, RefusesContradictions) {
  Counter c;
  ir::Builder b(c.m.p);
  c.m.p.inits.push_back({b.boolean(false), {}});
  const auto report = explore(c.m.p, c.instance(), Options{});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::bad_input);
}

TEST(Simulate, TheSameSeedGivesTheSameRunsAndTheyReplay) {
  const ir::Protocol p = samples::lamport_two_phase();
  const ir::Instance instance = samples::instance(p, {samples::size("RM", 3)});
  SimulateOptions options;
  options.seed = 7;
  options.runs = 5;
  const auto runs = simulate(p, instance, options);
  const auto again = simulate(p, instance, options);
  ASSERT_TRUE(runs && again);
  ASSERT_EQ(runs->size(), 5U);
  for (std::size_t i = 0; i < runs->size(); ++i) {
    EXPECT_EQ(ir::replay(p, instance, (*runs)[i].trace), "");
    EXPECT_EQ((*runs)[i].trace.actions, (*again)[i].trace.actions);
    EXPECT_FALSE((*runs)[i].found);
    EXPECT_TRUE((*runs)[i].at_rest);
  }
}

}  // namespace
}  // namespace tenet::explore
