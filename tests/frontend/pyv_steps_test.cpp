// Whether the steps that transitions become mean what the formulas mean: on all
// states of a small instance, the reference interpreter takes a step from one
// to another exactly if the two-state formula holds between them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tenet/frontend/frontend.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/verifier.h"

namespace tenet::frontend::test {
namespace {

/// Each transition has a theorem of its name with `_` behind it: the same formula, with what stays the same
/// written out. It is only used for its formula.
constexpr const char* kText = R"(
sort node
mutable relation r(node)
mutable function f(node): node
mutable constant c: node
mutable relation a
mutable relation b
immutable constant k: node

twostate definition keep_r() = forall N. new(r(N)) <-> r(N)
twostate definition keep_f() = forall N. new(f(N)) = f(N)
twostate definition keep_c() = new(c) = c
twostate definition keep_ab() = (new(a) <-> a) & (new(b) <-> b)
onestate definition marked(n: node) = r(n) & !a

transition insert(n: node)
  modifies r
  !r(n) & (forall N. r'(N) <-> r(N) | N = n)
twostate theorem [insert_] exists n. !r(n) & (forall N. r'(N) <-> r(N) | N = n) & keep_f & keep_c & keep_ab

transition free_variables(n: node)
  modifies r, a
  (new(r(N)) <-> r(N) & N != n) & new(a) & !marked(n)
twostate theorem [free_variables_] exists n. (forall N. (new(r(N)) <-> r(N) & N != n) & new(a) & !marked(n)) & keep_f & keep_c & (b' <-> b)

transition swap()
  modifies a, b
  (a' <-> b) & (new(b) <-> a)
twostate theorem [swap_] (a' <-> b) & (new(b) <-> a) & keep_r & keep_f & keep_c

transition shift()
  modifies r, f, c
  (forall N. r'(N) <-> r(f(N))) & (forall N. new(f(N)) = if r(N) then c else N) & c' = f(c)
twostate theorem [shift_] (forall N. r'(N) <-> r(f(N))) & (forall N. new(f(N)) = if r(N) then c else N) & c' = f(c) & keep_ab

transition point(n: node, m: node)
  modifies f
  (forall N. N != n -> new(f(N)) = f(N)) & new(f(n)) = m
twostate theorem [point_] exists n, m. (forall N. N != n -> new(f(N)) = f(N)) & new(f(n)) = m & keep_r & keep_c & keep_ab

transition point_of_relation(n: node)
  modifies r
  new(r(n)) & forall N. !(N = n) -> (new(r(N)) <-> f(N) = n)
twostate theorem [point_of_relation_] exists n. new(r(n)) & (forall N. !(N = n) -> (new(r(N)) <-> f(N) = n)) & keep_f & keep_c & keep_ab

transition moving_point()
  modifies f, c
  (forall N. N != c -> new(f(N)) = N) & new(f(c)) = k & (new(c) = f(c) | a)
twostate theorem [moving_point_] (forall N. N != c -> new(f(N)) = N) & new(f(c)) = k & (new(c) = f(c) | a) & keep_r & keep_ab

transition branches(n: node)
  modifies r, a
  if f(n) = c then
    let m = f(n) in
    (forall N. r'(N) <-> N = m) & !a'
  else
    (forall N. r'(N) <-> r(N)) & (a' -> a)
twostate theorem [branches_] exists n. (if f(n) = c then
    (forall N. r'(N) <-> N = f(n)) & !a' else (forall N. r'(N) <-> r(N)) & (a' -> a)) & keep_f & keep_c & (b' <-> b)

transition chained()
  modifies r, a, b
  (forall N. r'(N) <-> a' & N = c) & (a' <-> !b') & (new(b) <-> a & b)
twostate theorem [chained_] (forall N. r'(N) <-> a' & N = c) & (a' <-> !b') & (new(b) <-> a & b) & keep_f & keep_c

transition circular()
  modifies a, b
  (a' <-> b') & (b' <-> a')
twostate theorem [circular_] (a' <-> b') & keep_r & keep_f & keep_c

transition havoc(n: node)
  modifies r, c
  (forall N. r(N) -> new(r(N))) & new(r(c)) & new(c) != n
twostate theorem [havoc_] exists n. (forall N. r(N) -> new(r(N))) & new(r(c)) & new(c) != n & keep_f & keep_ab

transition twice()
  modifies a
  (a' <-> b) & (a' <-> r(c))
twostate theorem [twice_] (a' <-> b) & (a' <-> r(c)) & (b' <-> b) & keep_r & keep_f & keep_c

transition called(n: node)
  modifies r, c, a
  set(f(n)) & new(marked(c)) & c' = n
twostate definition set(n: node) = forall N. new(r(N)) <-> N = n | r(N) & N = c
twostate theorem [called_] exists n. (forall N. new(r(N)) <-> N = f(n) | r(N) & N = c) & r'(c') & !a' & c' = n & keep_f & (b' <-> b)

transition diagonal(n: node)
  modifies r
  forall N, M. N = M & M != n -> (new(r(N)) <-> r(M))
twostate theorem [diagonal_] exists n. (forall N, M. N = M & M != n -> (new(r(N)) <-> r(M))) & keep_f & keep_c & keep_ab
)";

struct Fixture {
  ir::Protocol protocol;
  ir::Instance instance;
  std::map<std::vector<std::vector<ir::Value>>, std::vector<ir::State>> states;  ///< by the constants of the run
  std::vector<ir::Constants> constants;
};

Fixture small_instance() {
  Loaded loaded = load_protocol(SourceFile("steps.pyv", kText));
  for (const Diagnostic& d : loaded.diagnostics.sorted()) ADD_FAILURE() << d.message;
  Fixture made{std::move(loaded.protocol.value()), {}, {}, {}};
  EXPECT_THAT(ir::verify_ir(made.protocol), testing::IsEmpty());
  ir::InstanceDecl decl;
  decl.name = "two";
  decl.entries.push_back({"node", 2, 2, false, {}});
  Diagnostics diagnostics;
  made.instance = ir::Instance::resolve(made.protocol, &decl, diagnostics).value();
  // Nothing restricts the start: every state is one.
  const auto all = ir::enumerate_starts(made.protocol, made.instance, 1'000'000, [&](const ir::Start& start) {
    auto& group = made.states[start.constants.values];
    if (group.empty()) made.constants.push_back(start.constants);
    group.push_back(start.state);
    return true;
  });
  EXPECT_TRUE(all.has_value());
  return made;
}

/// The formula that the theorem of a transition claims.
ir::ExprId formula_of(const ir::Protocol& p, const std::string& name) {
  for (const ir::TraceQuery& query : p.traces) {
    if (query.name == name) return p[query.items.back().formula].args[0];  // the query asserts its negation
  }
  return {};
}

TEST(PyvSteps, MeanWhatTheirFormulasMean) {
  const Fixture f = small_instance();
  ASSERT_EQ(f.constants.size(), 2u);
  std::size_t taken = 0;
  for (const ir::Constants& constants : f.constants) {
    const ir::Interpreter interpreter(f.protocol, f.instance, constants);
    const std::vector<ir::State>& states = f.states.at(constants.values);
    ASSERT_EQ(states.size(), 4u * 4u * 2u * 2u * 2u);
    for (const ir::State& before : states) {
      std::map<ir::StepId, std::set<ir::State>> reached;
      interpreter.enabled(before, [&](const ir::Action& action, const ir::Outcome& outcome) {
        if (const auto* happened = std::get_if<ir::Happened>(&outcome)) reached[action.step].insert(happened->next);
      });
      for (std::size_t s = 0; s < f.protocol.steps.size(); ++s) {
        const std::string& name = f.protocol.steps[s].name;
        const ir::ExprId formula = formula_of(f.protocol, name + "_");
        ASSERT_TRUE(formula.valid()) << name;
        const std::set<ir::State>& next = reached[ir::StepId(s)];
        taken += next.size();
        for (const ir::State& after : states) {
          const auto holds = interpreter.holds(formula, after, &before);
          ASSERT_EQ(std::get<bool>(holds), next.count(after) > 0) << name;
        }
      }
    }
  }
  EXPECT_GT(taken, 1000u);
}

TEST(PyvSteps, ChooseOnlyWhatFormulasDoNotDetermine) {
  const Fixture f = small_instance();
  std::set<std::string> choosing;
  for (const ir::Step& step : f.protocol.steps) {
    for (const ir::StmtId id : step.body) {
      if (f.protocol[id].kind == ir::StmtKind::choose) choosing.insert(step.name);
    }
  }
  EXPECT_THAT(choosing,
              testing::UnorderedElementsAre("moving_point", "branches", "called", "circular", "havoc", "diagonal"));
}

}  // namespace
}  // namespace tenet::frontend::test
