/// Formulas in states: truth, two states, what was sent, and witnesses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "fixtures.h"
#include "tenet/ir/printer.h"

namespace tenet::ir::test {
namespace {

/// Hosts of role A with numbers; messages between them; formulas as asked.
struct World {
  explicit World(const std::string& formula, const char* kind = "safety")
      : p(from_text(fmt::format(R"(
(protocol p (role A) (message M (fields (n nat)))
  (var x nat (role A) (value (int_literal nat 0)))
  (var o (option nat) (role A) (value (none (option nat))))
  ({} formula {})))",
                                kind, formula))),
        where(instance(p, "A=3 nat=0..3")),
        start(first_start(p, where)),
        interpreter(p, where, start.constants),
        state(start.state) {}

  void set(std::size_t host, std::int64_t value) { state.variables[0][host].number = value; }
  std::string truth(const State* before = nullptr) const {
    const auto held = interpreter.holds(p.properties[0].formula, state, before);
    if (const auto* fault = std::get_if<Fault>(&held)) return std::string(describe(fault->kind));
    return std::get<bool>(held) ? "true" : "false";
  }
  std::string witness(const State* before = nullptr) const {
    std::string result;
    for (const auto& binding : interpreter.witness(p.properties[0].formula, state, before)) {
      const LocalDecl& local = p[binding.local];
      result += fmt::format("{}{} = {}", result.empty() ? "" : ", ", local.name,
                            to_source(p, where, local.type, binding.value));
    }
    return result;
  }

  Protocol p;
  Instance where;
  Start start;
  Interpreter interpreter;
  State state;
};

const std::string kForall =
    "(forall ((%0 a (host A)) (%1 b (host A))) (implies (gt (state_var A x %0) (int_literal nat 0))"
    " (eq (state_var A x %1) (state_var A x %0))))";

TEST(Interpreter, AFalseUniversalShowsItsFirstCounterexample) {
  World world(kForall);
  EXPECT_EQ(world.truth(), "true");
  EXPECT_EQ(world.witness(), "");
  world.set(1, 2);
  EXPECT_EQ(world.truth(), "false");
  EXPECT_EQ(world.witness(), "a = A#2, b = A#1");
}

TEST(Interpreter, ATrueExistentialShowsItsWitness) {
  World world(
      "(exists ((%0 a (host A))) (and (gt (state_var A x %0) (int_literal nat 0)) (exists ((%1 n nat))"
      " (eq (state_var A x %0) (add nat %1 (int_literal nat 1))))))");
  EXPECT_EQ(world.truth(), "false");
  world.set(2, 3);
  EXPECT_EQ(world.truth(), "true");
  EXPECT_EQ(world.witness(), "a = A#3, n = 2");
}

TEST(Interpreter, WitnessesGoThroughConnectives) {
  World world(
      "(not (or (forall ((%0 a (host A))) (gt (state_var A x %0) (int_literal nat 1)))"
      " (exists ((%1 b (host A))) (eq (state_var A x %1) (int_literal nat 3)))))");
  EXPECT_EQ(world.truth(), "true");
  EXPECT_EQ(world.witness(), "a = A#1") << "why it holds";
  world.set(1, 3);
  EXPECT_EQ(world.truth(), "false");
  EXPECT_EQ(world.witness(), "b = A#2");
}

TEST(Interpreter, AFormulaThatFaultsShowsWhere) {
  World world(
      "(forall ((%0 a (host A))) (or (eq (state_var A x %0) (int_literal nat 0))"
      " (eq (get nat (state_var A o %0)) (int_literal nat 0))))");
  EXPECT_EQ(world.truth(), "true");
  world.set(1, 1);
  EXPECT_EQ(world.truth(), "reads none");
  EXPECT_EQ(world.witness(), "a = A#2");
}

TEST(Interpreter, OldReadsTheStateBefore) {
  World world("(forall ((%0 a (host A))) (le (old nat (state_var A x %0)) (state_var A x %0)))", "transition");
  const State before = world.state;
  world.set(0, 2);
  EXPECT_EQ(world.truth(&before), "true");
  const State grown = world.state;
  world.set(0, 1);
  EXPECT_EQ(world.truth(&grown), "false");
  EXPECT_EQ(world.witness(&grown), "a = A#1");
}

TEST(Interpreter, OldOfAQuantifierIsAllInTheStateBefore) {
  World world("(old bool (exists ((%0 a (host A))) (gt (state_var A x %0) (int_literal nat 0))))", "transition");
  const State before = world.state;
  world.set(0, 2);
  EXPECT_EQ(world.truth(&before), "false");
  EXPECT_EQ(world.truth(&world.state), "true");
}

TEST(Interpreter, SentMatchesArgumentsSenderAndAddressee) {
  const auto sent = [](const std::string& parts) {
    World world("(exists ((%0 a (host A)) (%1 b (host A))) (and (ne %0 %1) (sent M " + parts + ")))");
    world.state.network = {{MessageId(0), {RoleId(0), 0}, {RoleId(0), 1}, {{2, {}}}}};
    return world.truth() == "true" ? world.witness() : world.truth();
  };
  EXPECT_EQ(sent("_"), "a = A#1, b = A#2");
  EXPECT_EQ(sent("(int_literal nat 1)"), "false");
  EXPECT_EQ(sent("hosts (int_literal nat 2) %0 %1"), "a = A#1, b = A#2");
  EXPECT_EQ(sent("hosts _ %1 %0"), "a = A#2, b = A#1");
  EXPECT_EQ(sent("hosts _ _ %0"), "a = A#2, b = A#1");
  EXPECT_EQ(sent("hosts (int_literal nat 3) _ %0"), "false");
}

TEST(Interpreter, AFunctionOutsideTheInstanceIsAFaultInAFormula) {
  World world("(apply bool (constant_function (fun nat bool) true) (int_literal nat 4))");
  EXPECT_EQ(world.truth(), "depends on values outside the instance");
}

}  // namespace
}  // namespace tenet::ir::test
