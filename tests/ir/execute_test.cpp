/// What steps do: order, sends, delivery, choices, bounds and faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "fixtures.h"
#include "tenet/ir/printer.h"

namespace tenet::ir::test {
namespace {

/// One role with a few variables; `parts` are further declarations.
Protocol small(const std::string& parts) {
  return from_text(fmt::format(R"(
(protocol p (sort Item) (struct Box (fields (size nat)))
  (role A (single)) (role B)
  (message Any (fields (x nat))) (message Once at_most_once (fields (x nat))) (message Boxed (fields (box (struct Box))))
  (var x nat (role A) (value (int_literal nat 0)))
  (var y nat (role A) (value (int_literal nat 0)))
  (var o (option nat) (role A) (value (none (option nat))))
  (var f (fun nat bool) (role A) (value (constant_function (fun nat bool) false)))
  (var got nat (role B) (value (int_literal nat 0)))
  {}
  (instance i (A 1) (B 2) (nat 0 3)))
)",
                               parts));
}

const std::string kX = "(state_var A x (self (host A)))";
const std::string kY = "(state_var A y (self (host A)))";
const std::string kAllB = "(all_hosts (set (host B)))";
std::string nat(int n) { return fmt::format("(int_literal nat {})", n); }
std::string plus(const std::string& a, int n) { return fmt::format("(add nat {} {})", a, nat(n)); }

/// What one action does from the first start, as text.
struct Tried {
  explicit Tried(const Protocol& p) : protocol(p), where(named_instance(p, "i")), start(first_start(p, where)) {}

  std::vector<std::string> all() { return all(start.state); }
  std::vector<std::string> all(const State& state) {
    const Interpreter interpreter(protocol, where, start.constants);
    std::vector<std::string> result;
    interpreter.enabled(state, [&](const Action& action, const Outcome& outcome) {
      actions.push_back(action);
      outcomes.push_back(outcome);
      result.push_back(text(action, outcome));
    });
    return result;
  }
  std::string text(const Action& action, const Outcome& outcome) const {
    std::string result = to_source(protocol, action.host) + " " + protocol[action.step].name;
    for (const Value& value : action.parameters) result += fmt::format(" {}", value.number);
    for (const Value& value : action.choices) result += fmt::format(" choosing {}", value.number);
    if (action.received) result += " of " + to_source(protocol, where, *action.received);
    if (std::holds_alternative<Disabled>(outcome)) return result + ": disabled";
    if (const auto* cut = std::get_if<CutAtBound>(&outcome)) return result + ": cut at " + cut->slot;
    if (const auto* fault = std::get_if<Fault>(&outcome)) return result + ": " + std::string(describe(fault->kind));
    const auto& happened = std::get<Happened>(outcome);
    for (const Packet& packet : happened.sends) {
      result += fmt::format(", {} to {}", to_source(protocol, where, packet), to_source(protocol, packet.addressee));
    }
    return result;
  }
  const State& next(std::size_t i) const { return std::get<Happened>(outcomes[i]).next; }
  std::int64_t variable(const State& state, std::size_t var, std::size_t host = 0) const {
    return state.variables[var][host].number;
  }

  Protocol protocol;
  Instance where;
  Start start;
  std::vector<Action> actions;
  std::vector<Outcome> outcomes;
};

Protocol with_body(const std::string& body, const std::string& guard = "true") {
  return small(fmt::format("(step s (role A) (guard {}) (body {}))", guard, body));
}

TEST(Execute, LaterReadsSeeEarlierWrites) {
  Tried tried(with_body(fmt::format("(assign x {}) (assign y {})", plus(kX, 1), plus(kX, 1))));
  EXPECT_EQ(tried.all(), std::vector<std::string>{"A s"});
  EXPECT_EQ(tried.variable(tried.next(0), 0), 1);
  EXPECT_EQ(tried.variable(tried.next(0), 1), 2);
}

TEST(Execute, ASendTakesWhatHoldsAtItsPlace) {
  Tried tried(with_body(fmt::format("(send Any (to {}) (arg {})) (assign x {}) (send Any (to {}) (arg {}))", kAllB, kX,
                                    plus(kX, 1), kAllB, kX)));
  EXPECT_EQ(tried.all(), std::vector<std::string>{"A s, Any(0) to B#1, Any(0) to B#2, Any(1) to B#1, Any(1) to B#2"});
  EXPECT_EQ(tried.next(0).network.size(), 4u);
}

TEST(Execute, SendToEachBindsTheAddressee) {
  Tried tried(with_body(
      "(send Any (to (all_hosts (set (host B)))) (each (%0 b (host B))) (arg (ite nat (forall ((%1 c (host B)))"
      " (iff (eq %1 %0) (eq %1 %0))) (cardinality nat (set_literal (set (host B)) %0)) (int_literal nat 0))))"));
  EXPECT_EQ(tried.all(), std::vector<std::string>{"A s, Any(1) to B#1, Any(1) to B#2"});
}

TEST(Execute, EachArgumentIsEvaluatedForItsOwnTarget) {
  // b == B#1 ? 1 : 2, told apart by a constant of the host.
  const Protocol p = small(R"(
    (const id nat (role B) (unique))
    (axiom (forall ((%0 b (host B))) (lt (host_const B id %0) (int_literal nat 2))))
    (step s (role A) (guard true)
      (body (send Any (to (all_hosts (set (host B)))) (each (%1 b (host B))) (arg (host_const B id %1))))))");
  Tried tried(p);
  EXPECT_EQ(tried.all(), std::vector<std::string>{"A s, Any(0) to B#1, Any(1) to B#2"});
}

TEST(Execute, ALocalBoundByLetKeepsItsValue) {
  Tried tried(with_body(fmt::format("(let (%0 before nat) {}) (assign x {}) (assign y %0)", kX, plus(kX, 2))));
  tried.all();
  EXPECT_EQ(tried.variable(tried.next(0), 0), 2);
  EXPECT_EQ(tried.variable(tried.next(0), 1), 0);
}

TEST(Execute, ChoicesAreTriedInOrderAndFiltered) {
  Tried tried(
      with_body(fmt::format("(choose (%0 n nat) (gt %0 {})) (if (eq %0 {}) (then (choose (%1 m nat) (lt %1 {}))"
                            " (assign y %1))) (assign x %0)",
                            nat(1), nat(3), nat(2))));
  EXPECT_THAT(tried.all(),
              testing::ElementsAre("A s choosing 2", "A s choosing 3 choosing 0", "A s choosing 3 choosing 1"));
}

TEST(Execute, AnActionMustMakeExactlyTheChoicesOfTheStep) {
  Tried tried(with_body("(choose (%0 n nat)) (assign x %0)"));
  tried.all();
  const Interpreter interpreter(tried.protocol, tried.where, tried.start.constants);
  Action action = tried.actions[1];
  EXPECT_TRUE(std::holds_alternative<Happened>(interpreter.apply(tried.start.state, action)));
  action.choices.push_back({0, {}});
  EXPECT_TRUE(std::holds_alternative<Disabled>(interpreter.apply(tried.start.state, action))) << "one too many";
  action.choices.clear();
  EXPECT_TRUE(std::holds_alternative<Disabled>(interpreter.apply(tried.start.state, action))) << "one too few";
  action.choices = {{4, {}}};
  EXPECT_TRUE(std::holds_alternative<Disabled>(interpreter.apply(tried.start.state, action))) << "out of range";
}

TEST(Execute, ParametersAscendFirstSlowest) {
  Tried tried(
      small("(step s (role A) (parameter (%0 a nat)) (parameter (%1 i (sort Item)))"
            " (guard (gt %0 (int_literal nat 1))) (body))"));
  EXPECT_THAT(tried.all(), testing::ElementsAre("A s 2 0", "A s 2 1", "A s 3 0", "A s 3 1"));
}

TEST(Execute, AMessageMayBeReceivedAgainAndAgain) {
  Tried tried(small(fmt::format(R"(
    (step s (role A) (guard (eq {} {})) (body (assign x {}) (send Any (to {}) (arg {}))))
    (step "receive Any" (role B) (receive Any (from A) (field (%0 n nat))) (guard true)
      (body (assign got (add nat (state_var B got (self (host B))) %0)))))",
                                kX, nat(0), plus(kX, 1), kAllB, kX)));
  EXPECT_THAT(tried.all(), testing::ElementsAre("A s, Any(1) to B#1, Any(1) to B#2"));
  const State sent = tried.next(0);
  EXPECT_THAT(tried.all(sent), testing::ElementsAre("B#1 receive Any of Any(1)", "B#2 receive Any of Any(1)"))
      << "each host receives what is addressed to it";
  EXPECT_EQ(tried.next(1).network, sent.network);
  EXPECT_EQ(tried.variable(tried.next(2), 4, 1), 1);
}

/// Sends `Once` at will; B receives what is at least its own number.
Protocol once() {
  return small(fmt::format(R"(
    (step s (role A) (parameter (%1 n nat)) (guard (lt %1 {})) (body (send Once (to {}) (arg %1))))
    (step "receive Once" (role B) (receive Once (field (%0 n nat))) (guard (gt %0 (int_literal nat 0)))
      (body (assign got %0))))",
                           nat(2), kAllB));
}

TEST(Execute, AtMostOnceMessagesAreCountedAndConsumed) {
  Tried tried(once());
  tried.all();
  const State one = tried.next(1);  // Once(1) to both
  EXPECT_EQ(one.network.size(), 2u);
  Tried again(once());
  EXPECT_THAT(again.all(one),
              testing::ElementsAre("A s 0, Once(0) to B#1, Once(0) to B#2", "A s 1, Once(1) to B#1, Once(1) to B#2",
                                   "B#1 receive Once of Once(1)", "B#2 receive Once of Once(1)"));
  const State two = again.next(1);
  EXPECT_EQ(two.network.size(), 4u) << "equal sends are two messages";
  Tried third(once());
  EXPECT_THAT(third.all(two), testing::ElementsAre("A s 0, Once(0) to B#1, Once(0) to B#2", "A s 1: cut at Once",
                                                   "B#1 receive Once of Once(1)", "B#2 receive Once of Once(1)"))
      << "two copies make one action, a third is cut";
  EXPECT_EQ(third.next(2).network.size(), 3u) << "the receive that fires consumes one copy";
}

TEST(Execute, AReceiveThatDoesNotFireConsumesNothing) {
  Tried tried(once());
  tried.all();
  const State zero = tried.next(0);  // Once(0): the guard refuses it
  Tried again(once());
  EXPECT_THAT(again.all(zero),
              testing::ElementsAre("A s 0, Once(0) to B#1, Once(0) to B#2", "A s 1, Once(1) to B#1, Once(1) to B#2"));
}

TEST(Execute, OnlyAMessageInTheNetworkCanBeReceived) {
  Tried tried(once());
  tried.all();
  const State one = tried.next(1);
  const Interpreter interpreter(tried.protocol, tried.where, tried.start.constants);
  Action action{step_named(tried.protocol, "receive Once"), {RoleId(1), 0}, {}, {}, one.network.front()};
  EXPECT_TRUE(std::holds_alternative<Happened>(interpreter.apply(one, action)));
  EXPECT_TRUE(std::holds_alternative<Disabled>(interpreter.apply(tried.start.state, action))) << "not sent";
  action.host.index = 1;
  EXPECT_TRUE(std::holds_alternative<Disabled>(interpreter.apply(one, action))) << "sent to another";
  action.host.index = 9;
  EXPECT_TRUE(std::holds_alternative<Disabled>(interpreter.apply(one, action))) << "no such host";
  action.host.index = 0;
  action.received.reset();
  EXPECT_TRUE(std::holds_alternative<Disabled>(interpreter.apply(one, action))) << "no message";
}

TEST(Execute, AReceiveFromARoleHearsOnlyThatRole) {
  Tried tried(small(fmt::format(R"(
    (step s (role A) (guard true) (body (send Any (to {}) (arg {}))))
    (step "receive Any" (role B) (receive Any (from B) (field (%0 n nat))) (guard true) (body)))",
                                kAllB, kX)));
  tried.all();
  const State sent = tried.next(0);
  Tried again(tried.protocol);
  EXPECT_THAT(again.all(sent), testing::ElementsAre("A s, Any(0) to B#1, Any(0) to B#2"));
}

TEST(Execute, LeavingARangeIsCutAndNamesTheSlot) {
  EXPECT_THAT(Tried(with_body("(assign x (int_literal nat 4))")).all(), testing::ElementsAre("A s: cut at x"));
  EXPECT_THAT(Tried(with_body("(send Any (to (all_hosts (set (host B)))) (arg (int_literal nat 4)))")).all(),
              testing::ElementsAre("A s: cut at x"));
  EXPECT_THAT(Tried(with_body("(send Boxed (to (all_hosts (set (host B)))) (arg (make_struct (struct Box) (int_literal "
                              "nat 4))))"))
                  .all(),
              testing::ElementsAre("A s: cut at size"));
  EXPECT_THAT(Tried(with_body("(assign o (some (option nat) (int_literal nat 4)))")).all(),
              testing::ElementsAre("A s: cut at o"));
  EXPECT_THAT(Tried(with_body("(assign f (update (fun nat bool) (state_var A f (self (host A))) (int_literal nat 4) "
                              "true))"))
                  .all(),
              testing::ElementsAre("A s: cut at nat"));
  EXPECT_THAT(Tried(with_body("", "(apply bool (state_var A f (self (host A))) (int_literal nat 4))")).all(),
              testing::ElementsAre("A s: cut at nat"));
}

TEST(Execute, FaultsAreReportedFromGuardsAndBodies) {
  EXPECT_THAT(Tried(with_body("", "(eq (get nat (state_var A o (self (host A)))) (int_literal nat 0))")).all(),
              testing::ElementsAre("A s: reads none"));
  EXPECT_THAT(Tried(with_body(fmt::format("(assign x (sub nat {} {}))", kX, nat(1)))).all(),
              testing::ElementsAre("A s: takes a natural number below zero"));
  EXPECT_THAT(Tried(with_body(fmt::format("(assign x (div nat {} {}))", nat(1), kX))).all(),
              testing::ElementsAre("A s: divides by zero"));
  EXPECT_THAT(Tried(with_body("(let (%0 n nat) (map_get nat (empty_map (map nat nat)) (int_literal nat 0)))")).all(),
              testing::ElementsAre("A s: reads a missing map key"));
  EXPECT_THAT(
      Tried(with_body("(let (%0 n int) (mul int (int_literal int 9223372036854775807) (int_literal int 2)))")).all(),
      testing::ElementsAre("A s: computes a number beyond 64 bits"));
}

TEST(Execute, AShortCircuitGuardNeverFaults) {
  Tried tried(with_body("",
                        "(or (eq (state_var A o (self (host A))) (none (option nat))) (lt (get nat narrowed "
                        "(state_var A o (self (host A)))) (int_literal nat 3)))"));
  EXPECT_THAT(tried.all(), testing::ElementsAre("A s"));
}

TEST(Execute, TheFirstTroubleInABodyCounts) {
  const std::string fault = fmt::format("(assign y (sub nat {} {}))", kY, nat(1));
  const std::string cut = fmt::format("(assign x {})", nat(9));
  EXPECT_THAT(Tried(with_body(fault + cut)).all(), testing::ElementsAre("A s: takes a natural number below zero"));
  EXPECT_THAT(Tried(with_body(cut + fault)).all(), testing::ElementsAre("A s: cut at x"));
}

TEST(Execute, TooManyCopiesOfAMessageCountLast) {
  const std::string send = fmt::format("(send Once (to {}) (arg {}))", kAllB, nat(0));
  const std::string thrice = send + send + send;  // one more than the instance allows
  EXPECT_THAT(Tried(with_body(thrice)).all(), testing::ElementsAre("A s: cut at Once"));
  const std::string fault = fmt::format("(assign y (sub nat {} {}))", kY, nat(1));
  EXPECT_THAT(Tried(with_body(thrice + fault)).all(), testing::ElementsAre("A s: takes a natural number below zero"));
  EXPECT_THAT(Tried(with_body(thrice + fmt::format("(assign x {})", nat(9)))).all(),
              testing::ElementsAre("A s: cut at x"));
}

TEST(Execute, AParameterWithTooManyValuesIsCutNotForgotten) {
  const Protocol p = small("(step s (role A) (parameter (%0 a (set (set (set nat))))) (guard true) (body))");
  const Instance where = named_instance(p, "i");
  const auto started = enumerate_starts(p, where, 1000, [](const Start&) { return true; });
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().kind, ErrorKind::too_large);
  EXPECT_THAT(started.error().message, testing::HasSubstr("type set<set<set<nat>>> has more than"));
  const Start start = first_start(with_body(""), where);  // the same variables
  const Interpreter interpreter(p, where, start.constants);
  std::vector<std::string> cuts;
  interpreter.enabled(
      start.state, [&](const Action&, const Outcome& outcome) { cuts.push_back(std::get<CutAtBound>(outcome).slot); });
  EXPECT_THAT(cuts, testing::ElementsAre("a"));
}

TEST(Execute, WhatIsKnownOfAnActionAndABudgetLimitWhatIsTried) {
  const Protocol p = small("(step s (role A) (parameter (%0 a nat)) (parameter (%1 b nat)) (guard true) (body))");
  Tried tried(p);
  ASSERT_THAT(tried.all(), testing::SizeIs(16));
  const HostRef a{RoleId(0), 0};
  const Interpreter interpreter(p, tried.where, tried.start.constants);
  const auto count = [&](std::vector<std::optional<Value>> parameters, std::uint64_t budget) {
    std::pair<std::size_t, bool> found{0, false};
    found.second = interpreter.enabled(
        tried.start.state, {StepId(0), a, std::move(parameters), {}},
        [&](const Action&, const Outcome&) { ++found.first; }, budget);
    return found;
  };
  EXPECT_EQ(count({}, 16), std::pair(std::size_t{16}, true));
  EXPECT_EQ(count({}, 15), std::pair(std::size_t{15}, false));
  EXPECT_EQ(count({std::nullopt, Value{2, {}}}, 16), std::pair(std::size_t{4}, true));
  EXPECT_EQ(count({Value{1, {}}, Value{2, {}}}, 1), std::pair(std::size_t{1}, true));
  EXPECT_EQ(count({Value{9, {}}}, 16), std::pair(std::size_t{0}, true)) << "outside of the instance";
}

}  // namespace
}  // namespace tenet::ir::test
