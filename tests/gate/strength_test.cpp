#include "strength.h"

#include <gmock/gmock.h>

#include <optional>

namespace tenet::gate {
namespace {

constexpr const char* kHead = R"(protocol p
type T
const limit: nat = 2
role Node {
  var a: bool = false
  var b: bool = false
  var n: nat = 0
  step move when not a { a = true  n = n + 1 }
}
)";

std::optional<ir::Protocol> load(const std::string& rest, const std::string& head = kHead) {
  auto loaded = frontend::load_protocol(SourceFile("p.tenet", head + rest));
  for (const auto& each : loaded.diagnostics.sorted()) {
    if (each.severity == Severity::error) ADD_FAILURE() << each.message << " in " << rest;
  }
  return std::move(loaded.protocol);
}

/// How many claims are lost from one text to the other.
std::size_t lost(const std::string& before, const std::string& after, const std::string& head = kHead) {
  const auto was = load(before);
  const auto is = load(after, head);
  return was && is ? lost_claims(*was, *is).size() : 99;
}

std::string claim(const std::string& formula) { return "safety s: forall x: Node :: " + formula + "\n"; }

TEST(Strength, TakesWhatSaysMore) {
  EXPECT_EQ(lost(claim("x.a"), claim("x.a")), 0U);
  EXPECT_EQ(lost(claim("x.a"), claim("x.a and x.b")), 0U);
  EXPECT_EQ(lost(claim("x.a or x.b"), claim("x.b")), 0U);
  EXPECT_EQ(lost(claim("x.a and x.b => x.n == 0"), claim("x.a => x.n == 0")), 0U);
  EXPECT_EQ(lost(claim("x.a => x.n == 0"), claim("x.n == 0")), 0U);
  EXPECT_EQ(lost(claim("x.a => x.n == 0"), claim("x.a or x.b => x.n == 0 and x.a")), 0U);
  EXPECT_EQ(lost(claim("not (x.a and x.b)"), claim("not x.a")), 0U);
  EXPECT_EQ(lost(claim("x.a and (x.b or x.n == 0)"), claim("x.n == 0 and x.a")), 0U);
  EXPECT_EQ(lost("reachable r: exists x: Node :: x.a\n", "reachable r: exists x: Node :: x.a and x.n == 1\n"), 0U);
}

TEST(Strength, SeesWhatSaysLess) {
  EXPECT_EQ(lost(claim("x.a and x.b"), claim("x.a")), 1U);
  EXPECT_EQ(lost(claim("x.b"), claim("x.a or x.b")), 1U);
  EXPECT_EQ(lost(claim("x.a => x.n == 0"), claim("x.a and x.b => x.n == 0")), 1U);
  EXPECT_EQ(lost(claim("x.n == 0"), claim("x.a => x.n == 0")), 1U);
  EXPECT_EQ(lost(claim("not x.a"), claim("not (x.a and x.b)")), 1U);
  EXPECT_EQ(lost(claim("x.n <= 1"), claim("x.n <= 2")), 1U);
  EXPECT_EQ(lost("safety s: forall x: Node :: x.a\n", "safety s: exists x: Node :: x.a\n"), 1U);
  EXPECT_EQ(lost("safety s: forall x: Node :: x.a\n", "reachable s: forall x: Node :: x.a\n"), 1U);
  EXPECT_EQ(lost(claim("x.a"), ""), 1U);
  EXPECT_EQ(lost("reachable r: exists x: Node :: x.a\n", "reachable r: exists x: Node :: x.a or x.b\n"), 1U);
}

TEST(Strength, LooksBehindTheNamesOfConstants) {
  std::string other = kHead;
  other.replace(other.find("limit: nat = 2"), 14, "limit: nat = 9");
  EXPECT_EQ(lost(claim("x.n <= limit"), claim("x.n <= limit")), 0U);
  EXPECT_EQ(lost(claim("x.n <= limit"), claim("x.n <= limit"), other), 1U);
}

TEST(Strength, ComparesInstancesBySizeAndNotByName) {
  const std::string two = "instance i { Node = 2  n in 0..3 }\n";
  EXPECT_EQ(lost(two, "instance j { Node = 3  n in 0..4 }\n"), 0U);
  EXPECT_EQ(lost(two, "instance i { Node = 2  n in 0..2 }\n"), 1U);
  EXPECT_EQ(lost(two, "instance i { Node = 1  n in 0..3 }\n"), 1U);
  EXPECT_EQ(lost(two, two + "instance k { Node = 1 }\n"), 0U);
  EXPECT_EQ(lost(two, "instance i { Node = 2  n in 0..3  T = 1 }\n"), 1U) << "a default was larger";
  EXPECT_EQ(lost("", "instance i { Node = 1 }\n"), 1U) << "without instances the defaults are one";
}

TEST(Strength, SeesThatRestIsExcused) { EXPECT_EQ(lost(claim("x.a"), claim("x.a") + "deadlock ok\n"), 1U); }

TEST(Strength, SeesThatAnyNumberBecameAFixedOne) {
  const auto head = [](const std::string& what, const std::string& by) {
    std::string text = kHead;
    return text.replace(text.find(what), what.size(), by);
  };
  const std::string one = "instance i { Node = 1  T = 1  n in 0..1 }\n";
  EXPECT_EQ(lost(one, "instance i { T = 1  n in 0..1 }\n", head("role Node", "role Node single")), 1U);
  EXPECT_EQ(lost(one, "instance i { Node = 1  n in 0..1 }\n", head("type T", "enum T { only }")), 1U);
  EXPECT_EQ(lost(one, "instance i { Node = 1  n in 0..1 }\n", head("type T", "struct T { a: bool }")), 1U);
}

/// The kinds and names of what is assumed in one text and not in the other.
std::vector<std::string> added(const std::string& before, const std::string& after) {
  const auto was = load("", before);
  const auto is = load("", after);
  std::vector<std::string> names;
  if (!was || !is) return {"does not load"};
  for (const Lost& each : added_assumptions(*was, *is)) names.push_back(each.kind + " " + each.subject);
  return names;
}

TEST(Strength, SeesWhatIsAssumedNow) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  const std::string base = R"(protocol p
const limit: nat = 2
const free: nat
message Add
role Node {
  const id: nat
  var n: nat
  step move { n = 1 send Add to self }
  receive Add { n = 2 }
}
axiom |Node| >= limit
init: forall x: Node :: x.n < limit
)";
  const auto now = [&](const std::string& what, const std::string& by) {
    std::string text = base;
    return added(base, text.replace(text.find(what), what.size(), by));
  };
  EXPECT_THAT(added(base, base), IsEmpty());
  EXPECT_THAT(now("limit: nat = 2", "limit: nat = 3"),
              ElementsAre("axiom |Node| >= limit", "init forall x: Node :: x.n < limit"));
  EXPECT_THAT(now("axiom |Node| >= limit", "axiom |Node| >= limit\naxiom free > 1"), ElementsAre("axiom free > 1"));
  EXPECT_THAT(now("init:", "init: forall x: Node :: x.n == 0\ninit:"), ElementsAre("init forall x: Node :: x.n == 0"));
  EXPECT_THAT(now("init: forall x: Node :: x.n < limit", ""), IsEmpty());
  EXPECT_THAT(now("const id: nat", "const id: nat unique"), ElementsAre("const Node.id"));
  EXPECT_THAT(now("const id: nat", "const other: nat unique"), ElementsAre("const Node.other"));
  EXPECT_THAT(now("free: nat", "free: nat = 4"), ElementsAre("const free"));
  EXPECT_THAT(now("var n: nat", "var n: nat = 0"), ElementsAre("var Node.n"));
  EXPECT_THAT(now("message Add", "message Add at most once"), ElementsAre("message Add"));
}

TEST(Strength, EndsOnArrowsWithinArrows) {
  std::string before = "x.a";
  std::string after = "x.b";
  for (int i = 0; i < 60; ++i) {
    before = "(" + before + " => x.n == " + std::to_string(i) + ")";
    after = "(" + after + " => x.n == " + std::to_string(i) + ")";
  }
  EXPECT_EQ(lost(claim(before), claim(after)), 1U);
}

}  // namespace
}  // namespace tenet::gate
