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

TEST(Strength, SeesAxioms) {
  const auto was = load("");
  const auto is = load("axiom limit > 1\n");
  ASSERT_TRUE(was && is);
  EXPECT_EQ(added_axioms(*was, *is).size(), 1U);
  EXPECT_EQ(added_axioms(*is, *is).size(), 0U);
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
