// A protocol whose messages are delivered at most once, and the same with counters: they run alike.
#include "deliveries.h"

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "generator.h"
#include "parse.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/interpreter.h"

namespace tenet::provenance {
namespace {

constexpr std::size_t kRuns = 6;
constexpr std::size_t kSteps = 24;
/// More than are ever sent in a run.
constexpr std::int64_t kMany = 200;

ir::InstanceEntry* entry(ir::InstanceDecl& instance, const std::string& name) {
  for (ir::InstanceEntry& entry : instance.entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

/// What happens, whatever its step is called twice; and what comes of it.
using Happening = std::tuple<ir::RoleId, std::string, ir::HostRef, std::vector<ir::Value>, std::vector<ir::Value>,
                             std::optional<ir::Packet>>;
std::map<Happening, ir::State> next_states(const ir::Protocol& p, const ir::Interpreter& interpreter,
                                           const ir::State& state) {
  std::map<Happening, ir::State> result;
  interpreter.enabled(state, [&](const ir::Action& action, const ir::Outcome& outcome) {
    const auto* happened = std::get_if<ir::Happened>(&outcome);
    if (happened == nullptr) return;
    const ir::Step& step = p[action.step];
    const Happening what{step.role, step.name, action.host, action.parameters, action.choices, action.received};
    EXPECT_TRUE(result.emplace(what, happened->next).second) << step.name << " happens in two ways at once";
  });
  return result;
}

/// The number of actions that were compared.
std::size_t run_alike(ir::Protocol original, std::uint64_t seed) {
  if (original.instances.empty()) original.instances.push_back({"some", {}, {}});
  original.instances.resize(1);
  ir::InstanceDecl& bounds = original.instances.front();
  if (ir::InstanceEntry* copies = entry(bounds, "copies")) {
    copies->low = copies->high = kMany;
  } else {
    bounds.entries.push_back({"copies", kMany, kMany, false, {}});
  }
  ir::Protocol counting = original;
  const Deliveries deliveries = count_deliveries(counting);
  for (const Tracked& each : deliveries.tracked) {
    for (const ir::VarId counter : {each.sent, each.received}) {
      ir::InstanceEntry* range = entry(counting.instances.front(), counting[counter].name);
      if (range == nullptr) return 0;
      range->high = kMany;
    }
  }
  Diagnostics diagnostics;
  const auto here = ir::Instance::resolve(original, &original.instances.front(), diagnostics);
  const auto there = ir::Instance::resolve(counting, &counting.instances.front(), diagnostics);
  if (!here || !there) {
    ADD_FAILURE() << "no instance";
    return 0;
  }
  const auto starts = [](const ir::Protocol& p, const ir::Instance& instance) {
    std::vector<ir::Start> all;
    (void)ir::enumerate_starts(p, instance, 100000, [&](const ir::Start& start) {
      all.push_back(start);
      return all.size() < 100;
    });
    return all;
  };
  const std::vector<ir::Start> from = starts(original, *here), from_too = starts(counting, *there);
  EXPECT_EQ(from.size(), from_too.size());
  if (from.empty() || from.size() != from_too.size()) return 0;
  std::mt19937_64 random(seed);
  std::size_t compared = 0;
  for (std::size_t r = 0; r < kRuns; ++r) {
    const std::size_t start = random() % from.size();
    const ir::Interpreter one(original, *here, from[start].constants), two(counting, *there, from_too[start].constants);
    ir::State state = from[start].state, counted = from_too[start].state;
    for (std::size_t s = 0; s < kSteps; ++s) {
      const auto ways = next_states(original, one, state), ways_too = next_states(counting, two, counted);
      EXPECT_EQ(ways.size(), ways_too.size()) << "after " << s << " steps";
      if (ways.empty() || ways.size() != ways_too.size()) break;
      for (auto a = ways.begin(), b = ways_too.begin(); a != ways.end(); ++a, ++b) {
        EXPECT_EQ(a->first, b->first);
        auto variables = b->second.variables;
        variables.resize(original.variables.size());
        EXPECT_EQ(a->second.variables, variables);
        ++compared;
      }
      if (testing::Test::HasFailure()) return compared;
      const auto way = static_cast<std::ptrdiff_t>(random() % ways.size());
      state = std::next(ways.begin(), way)->second;
      counted = std::next(ways_too.begin(), way)->second;
    }
  }
  return compared;
}

TEST(Deliveries, RunAsBeforeWithCounters) {
  const ir::Protocol protocol = tests::parse(R"(protocol p
type K
message M(k: K, to: N) at most once
message Ks(ks: set<K>) at most once
message Ping at most once
message Any(k: K)
const of: N -> K
role N {
  var seen: set<K> = {}
  var even: bool = true
  step one(k: K, to: N) {
    if k in seen { send M(k, to) to self  send M(k, to) to to } else { seen += k  send M(of[to], self) to to }
  }
  step each(to: set<N>) {
    choose k: K where k in seen
    send M(of[n], n) to each n in to
    send Ks(seen) to all N
  }
  step ping { even = not even  send Ping to all N  if even { send Ping to self } }
  receive M(k, to) when to != self { send Any(k) to to }
  receive Ks(ks) from n: N when n != self { seen = ks }
  receive Any(k) { seen -= k }
  receive Ping { even = true }
}
role Other {
  step ping(n: N) { send Ping to n }
  step more { send Ping to all N }
}
deadlock ok
instance i { N = 2  K = 2  Other = 1 }
)");
  EXPECT_GT(run_alike(protocol, 1), 1000U);
  ir::Protocol counting = protocol;
  const Deliveries deliveries = count_deliveries(counting);
  EXPECT_EQ(deliveries.tracked.size(), 4U);  // Ping comes from both roles
  EXPECT_EQ(deliveries.split.size(), 1U);
  EXPECT_EQ(counting.steps.size(), protocol.steps.size() + 1);
}

TEST(Deliveries, RunAsBeforeInRandomProtocols) {
  std::size_t compared = 0, protocols = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::string text = campaign::random_protocol(seed);
    if (text.find("at most once") == std::string::npos) continue;
    const auto loaded = frontend::load_protocol(SourceFile("random.tenet", text));
    if (!loaded.protocol) continue;
    ++protocols;
    compared += run_alike(*loaded.protocol, seed);
    ASSERT_FALSE(HasFailure()) << text;
  }
  EXPECT_GT(protocols, 5U);
  EXPECT_GT(compared, 1000U);
}

TEST(Deliveries, NothingChangesWhereEverythingMayArriveAgain) {
  ir::Protocol protocol = tests::parse(R"(protocol p
message M
role N { var x: bool = false  step s { send M to all N }  receive M { x = true } }
safety off: forall n: N :: not n.x
)");
  const std::size_t variables = protocol.variables.size(), exprs = protocol.exprs.size();
  EXPECT_TRUE(count_deliveries(protocol).tracked.empty());
  EXPECT_EQ(protocol.variables.size(), variables);
  EXPECT_EQ(protocol.exprs.size(), exprs);
}

}  // namespace
}  // namespace tenet::provenance
