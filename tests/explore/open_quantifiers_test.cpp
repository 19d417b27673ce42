/// Quantifiers over numbers: what an instance tells of them, and what it leaves open.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "samples.h"
#include "tenet/explore/explorer.h"
#include "tenet/frontend/frontend.h"

namespace tenet::explore {
namespace {

constexpr const char* kText = R"(protocol p
struct Pair {{ round: nat, on: bool }}
message M(n: nat)
role N {{
  var x: nat = 0
  var s: set<nat> = {{}}
  var o: option<Pair> = none
  var f: nat -> nat = 0
  step up {{
    x += 1
    s += x
    o = some(Pair(x, true))
    send M(x) to all N
  }}
}}
{} claim: {}
deadlock ok
)";

/// x and all other numbers lie in 0..1; one host, whose x becomes 1.
Report explored(const std::string& kind, const std::string& formula) {
  const SourceFile file("p.tenet", fmt::format(kText, kind, formula));
  const frontend::Loaded loaded = frontend::load_protocol(file);
  EXPECT_TRUE(loaded.protocol) << formula;
  if (!loaded.protocol) return {};
  const ir::Instance instance =
      samples::instance(*loaded.protocol, {samples::size("N", 1), samples::range("nat", 0, 1)});
  const auto report = explore(*loaded.protocol, instance, {});
  EXPECT_TRUE(report) << formula << ": " << report.error().message;
  return report ? *report : Report{};
}

std::string outcome(const std::string& kind, const std::string& formula) {
  const Report report = explored(kind, formula);
  if (!report.found.empty()) return report.found[0].kind == FoundKind::reached ? "reached" : "violated";
  return report.cut_properties.empty() ? "held" : "cut";
}

TEST(OpenQuantifiers, AreCutWhereTheRangeEnds) {
  for (const char* formula : {
           "forall n: N :: exists k: nat :: k > n.x",
           "forall n: N :: not (forall k: nat :: k <= n.x)",
           "forall n: N, k: nat :: exists j: nat :: j == k + n.x",
           "forall n: N :: exists p: Pair :: p.round > n.x",
           "forall n: N :: exists t: set<nat> :: |t| > 2",
           "forall n: N :: {k: nat where k != n.x} != {}",
           "forall n: N :: exists k: nat :: k > 1 and k in {j: nat where j >= 1}",
           "forall n: N :: exists k: nat :: k > 1 and {k} subset {j: nat where j >= 1}",
           "forall n: N :: exists k: nat :: k > 0 and k == n.f[k]",
           "forall n: N :: exists k: nat :: k > 0 and some(k) == some(n.f[k])",
           "forall n: N :: (forall k: nat :: k <= 1) == (n.x > 5)",
           "forall n: N :: n.f[3] == 1",
           "forall n: N :: n.f != n.f",
           "forall n: N :: not (some(n.f) == some(n.f))",
           "forall n: N :: 5 in {j: nat where j > 0}",
           "forall n: N :: 5 in ({j: nat where j > 0} intersect {1})",
       }) {
    EXPECT_EQ(outcome("safety", formula), "cut") << formula;
  }
  EXPECT_EQ(outcome("reachable", "exists n: N :: forall k: nat :: k <= n.x"), "cut");
  EXPECT_EQ(outcome("reachable", "exists n: N :: n.f[3] == 0"), "cut");
}

TEST(OpenQuantifiers, AreDecidedByAnExampleInTheRange) {
  EXPECT_EQ(outcome("safety", "forall n: N, k: nat :: k + n.x < 2"), "violated");
  EXPECT_EQ(outcome("reachable", "exists n: N, k: nat :: k + n.x == 2"), "reached");
}

TEST(OpenQuantifiers, DoNotHideWhatTheOtherOperandsDecide) {
  for (const char* formula : {
           "forall n: N :: (exists k: nat :: k > 1) and n.x < 1",
           "forall n: N :: n.x < 1 and exists k: nat :: k > 1",
           "forall n: N :: not ((forall k: nat :: k <= 1) or n.x == 1)",
           "forall n: N :: not (n.x == 1) and (n.f[3] == 0 => n.f[3] == 0)",
       }) {
    EXPECT_EQ(outcome("safety", formula), "violated") << formula;
  }
  EXPECT_EQ(outcome("reachable", "exists n: N :: (forall k: nat :: k <= 1) or n.x == 1"), "reached");
  EXPECT_EQ(outcome("safety", "forall n: N :: (forall k: nat :: k <= 1) or n.x < 2"), "held");
}

TEST(OpenQuantifiers, AreNoneWhereTheFormulaBoundsTheNumber) {
  for (const char* formula : {
           "forall n: N, k: nat :: k in n.s => k == n.x",
           "forall n: N, k: nat :: k < n.x => k == 0",
           "forall n: N, k: nat :: k + 1 <= n.x => k == 0",
           "forall n: N, k: nat :: n.x >= k => k < 2",
           "forall n: N, k: nat :: k == n.x => k < 2",
           "forall n: N, p: Pair :: n.o == some(p) => p.round == n.x",
           "forall n: N, k: nat :: n.o == some(Pair(k, true)) => k == n.x",
           "forall n: N, k: nat :: sent M(k) to n => k <= n.x",
           "forall n: N, k: nat, j: nat :: k in n.s and j < k => j == 0",
           "forall n: N, k: nat :: k >= 0 and n.x < 2",
           "forall n: N :: n.s == {} or exists k: nat :: k in n.s and k == 1",
           "forall n: N :: (sum k: nat :: (k in n.s ? 1 : 0)) <= 1",
           "forall n: N :: |{k: nat where k < n.x}| == n.x",
       }) {
    EXPECT_EQ(outcome("safety", formula), "held") << formula;
  }
  EXPECT_EQ(outcome("safety", "forall n: N :: n.x == 0 or exists k: nat :: k in n.s and k > 1"), "violated");
  EXPECT_EQ(outcome("safety", "forall n: N :: |{k: nat where k < n.x}| == 0"), "violated");
}

TEST(OpenQuantifiers, OfABoundThatMayBeOutsideStayOpen) {
  for (const char* formula : {
           "forall n: N, k: nat :: k < n.x + 1 => k < 2",
           "forall n: N, k: nat :: k < 3 => k < 2",
           "forall n: N, k: nat :: k in {n.x + 1} => k < 2",
           "forall n: N, k: nat :: k > n.x => k == 1",
           "forall n: N, k: nat, j: nat :: j < k => j == 0",
       }) {
    EXPECT_EQ(outcome("safety", formula), "cut") << formula;
  }
}

TEST(OpenQuantifiers, OfAGuardCutTheStep) {
  const SourceFile file("g.tenet", R"(protocol g
role N {
  var x: nat = 0
  step top when not (exists k: nat :: k > x) { x = 1 }
}
safety never: forall n: N :: n.x == 0
deadlock ok
)");
  const frontend::Loaded loaded = frontend::load_protocol(file);
  ASSERT_TRUE(loaded.protocol);
  const auto report = explore(
      *loaded.protocol, samples::instance(*loaded.protocol, {samples::size("N", 1), samples::range("nat", 0, 0)}), {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->found.empty());
  EXPECT_EQ(report->end, End::cut);
  ASSERT_EQ(report->cuts.size(), 1U);
  EXPECT_EQ(report->cuts[0].slot, "nat");
}

}  // namespace
}  // namespace tenet::explore
