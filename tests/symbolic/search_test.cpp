#include "tenet/symbolic/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "parse.h"

namespace tenet::symbolic {
namespace {

using tests::parse;

ir::Instance first_instance(const ir::Protocol& protocol) {
  Diagnostics diagnostics;
  auto made =
      ir::Instance::resolve(protocol, protocol.instances.empty() ? nullptr : protocol.instances.data(), diagnostics);
  EXPECT_TRUE(made.has_value());
  return *made;
}

Report search_text(const std::string& text, unsigned depth) {
  const ir::Protocol protocol = parse(text);
  Options options;
  options.depth = depth;
  return search(protocol, first_instance(protocol), options);
}

/// One thing is found, after so many steps, and what is found replays.
void expect_found(const std::string& text, std::size_t steps) {
  const ir::Protocol protocol = parse(text);
  Options options;
  options.depth = static_cast<unsigned>(steps) + 1;
  const Report report = search(protocol, first_instance(protocol), options);
  for (const Report::Open& open : report.open) ADD_FAILURE() << open.reason;
  ASSERT_EQ(report.found.size(), 1U) << report.reason;
  const Found& found = report.found.front();
  EXPECT_EQ(found.trace.actions.size(), steps);
  EXPECT_EQ(ir::replay(protocol, found.instance, found.trace), "");
}

/// Nothing is found in runs of up to so many steps, and all of them were looked at.
void expect_nothing(const std::string& text, unsigned depth) {
  const Report report = search_text(text, depth);
  EXPECT_TRUE(report.found.empty());
  EXPECT_TRUE(report.open.empty());
  ASSERT_TRUE(report.depth.has_value()) << report.reason;
  EXPECT_EQ(report.end, End::depth) << report.reason;
  EXPECT_EQ(*report.depth, depth);
}

const std::string kMeter = R"(protocol meter
role R {
  var n: nat = 0
  step add(by: nat) { n = n + by }
}
safety small: forall r: R :: r.n <= 1000
deadlock ok
instance tiny { R = 2  nat in 0..5 }
)";

TEST(Symbolic, FindsAValueThatNoInstanceHas) { expect_found(kMeter, 1); }

TEST(Symbolic, CountsStepsWhereTheyAreNeeded) {
  expect_found(R"(protocol doubling
role R single {
  var n: nat = 1
  step grow { n = 2 * n }
}
safety small: R.n <= 100
deadlock ok
instance tiny { nat in 0..5 }
)",
               7);
}

TEST(Symbolic, PrefersSmallNumbers) {
  const ir::Protocol protocol = parse(kMeter);
  const Report report = search(protocol, first_instance(protocol), {});
  ASSERT_EQ(report.found.size(), 1U);
  EXPECT_LE(report.found.front().trace.actions.front().parameters.front().number, 4096);
}

TEST(Symbolic, ChoosesConstantsThatTheAxiomsAllow) {
  expect_found(R"(protocol budget
const n: nat
axiom: n > 50
role R {
  const share: nat unique
  var used: nat = 0
  step take(k: nat) when k <= n and k > share { used = used + k }
}
safety within: forall r: R :: r.used <= n + 3
deadlock ok
instance tiny { R = 2  n in 51..52  nat in 0..3 }
)",
               2);
}

TEST(Symbolic, FollowsMessagesAndCollectionsOverNumbers) {
  expect_found(R"(protocol tally
struct Vote { round: nat, yes: bool }
message Cast(vote: Vote, weights: set<R>)
role R {
  var votes: Vote -> set<R> = v => {}
  var last: map<nat, int> = {}
  step cast(round: nat, yes: bool) when round > 70 { send Cast(Vote(round, yes), {self}) to all R }
  receive Cast(vote, weights) from r: R when r in weights {
    votes[vote] += r
    last[vote.round] = vote.yes ? 1 : -2
  }
}
safety never: forall r: R :: not (exists n: nat :: n > 70 and n < 72 and n in keys(r.last) and r.last[n] == -2)
deadlock ok
instance tiny { R = 2  nat in 0..2 }
)",
               2);
}

TEST(Symbolic, CountsCopiesOfAMessage) {
  expect_found(R"(protocol tickets
message Ticket at most once
role R {
  var sold: nat = 0
  var used: int = 0
  step sell when sold < 3 {
    sold += 1
    send Ticket to self
  }
  receive Ticket { used = used + 20 }
}
safety few: forall r: R :: r.used < 60
deadlock ok
instance tiny { R = 1  nat in 0..1 }
)",
               6);
  expect_nothing(R"(protocol tickets
message Ticket at most once
role R {
  var sold: bool = false
  var used: int = 0
  step sell when not sold {
    sold = true
    send Ticket to self
  }
  receive Ticket { used = used + 20 }
  step idle {}
}
safety few: forall r: R :: r.used < 40
deadlock ok
instance tiny { R = 1 }
)",
                 5);
}

TEST(Symbolic, AddsUpAndCounts) {
  expect_found(R"(protocol shares
role Bank single {
  var given: map<R, nat> = {}
  step give(r: R, k: nat) when r not in keys(given) and k <= 40 { given[r] = k }
}
role R { var owns: nat = 0 }
safety cheap: (sum r in keys(Bank.given) :: Bank.given[r]) <= 100
deadlock ok
instance tiny { R = 3  nat in 0..2 }
)",
               3);
  expect_found(R"(protocol crowd
role R {
  var here: set<R> = {}
  var n: nat = 0
  step meet(r: R) when r != self { here += r  n = n + |here| * 30 }
}
safety lonely: forall r: R :: |r.here| < 2 or r.n < 80
deadlock ok
instance tiny { R = 3  nat in 0..2 }
)",
               2);
}

TEST(Symbolic, KnowsWhatIsInASetOfNumbers) {
  // Seen twice is seen once: three steps are needed for three numbers.
  const std::string bag = R"(protocol bag
role R single {
  var seen: set<nat> = {}
  var weight: map<nat, int> = {}
  step see(n: nat) when n > 60 and n < 100 { seen += n  weight[n] = 1 }
  step drop(n: nat) when n in seen { seen -= n  weight -= n }
}
)";
  const std::string rest = "\ndeadlock ok\ninstance tiny { nat in 0..2 }\n";
  expect_found(bag + "safety few: |R.seen| < 3" + rest, 3);
  expect_found(bag + "safety light: (sum n in R.seen :: n) < 150" + rest, 2);
  expect_found(bag + "safety low: forall n in R.seen :: n < 64" + rest, 1);
  expect_found(bag + "safety apart: |{n in R.seen where n > 70}| < 2 or R.seen == {}" + rest, 2);
  expect_nothing(bag + "safety same: R.seen == keys(R.weight) and |R.seen| == |keys(R.weight)|" + rest, 3);
}

TEST(Symbolic, FindsAStepWithoutAResult) {
  const ir::Protocol protocol = parse(R"(protocol debt
role R {
  var n: nat = 100
  step pay(k: nat) { n = n - k }
}
safety fine: forall r: R :: r.n <= 100
deadlock ok
instance tiny { R = 1  nat in 0..100 }
)");
  const Report report = search(protocol, first_instance(protocol), {});
  ASSERT_EQ(report.found.size(), 1U) << report.reason;
  const Found& found = report.found.front();
  EXPECT_FALSE(found.property.valid());
  EXPECT_TRUE(found.trace.actions.empty());
  ASSERT_TRUE(found.fault && found.failing_action);
  EXPECT_EQ(found.fault->kind, ir::FaultKind::below_zero);
}

TEST(Symbolic, ReachesWhatNoInstanceReaches) {
  expect_found(R"(protocol far
role R {
  var n: nat = 0
  step jump(by: nat) when by <= 50 { n = n + by }
}
reachable hundred: exists r: R :: r.n == 100
deadlock ok
instance tiny { R = 1  nat in 0..2 }
)",
               2);
}

TEST(Symbolic, LooksAtTwoStatesForATransition) {
  expect_found(R"(protocol steady
role R {
  var n: int = 0
  step up(by: int) when by > 0 { n = n + by }
  step back when n > 200 { n = 7 }
}
transition grows: forall r: R :: old(r.n) <= r.n
deadlock ok
instance tiny { R = 1 }
)",
               2);
}

TEST(Symbolic, SaysThatNoRunIsLonger) {
  const Report report = search_text(R"(protocol brief
role R single {
  var n: nat = 0
  step once(k: nat) when n == 0 and k > 0 { n = k }
}
safety positive: R.n != 1 or R.n < 2
deadlock ok
instance tiny { nat in 0..1 }
)",
                                    9);
  EXPECT_EQ(report.end, End::exhausted) << report.reason;
  EXPECT_EQ(report.depth, 1U);
  EXPECT_TRUE(report.found.empty());
}

TEST(Symbolic, RefusesWhatHasNoTranslation) {
  const Report product = search_text(R"(protocol areas
role R single {
  var n: nat = 2
  step square { n = n * n }
}
safety small: R.n < 100
deadlock ok
)",
                                     5);
  EXPECT_EQ(product.end, End::refused);
  EXPECT_NE(product.reason.find("product"), std::string::npos) << product.reason;
  EXPECT_LT(product.depth.value_or(0), 2U);

  const Report size = search_text(R"(protocol bag
role R single {
  var n: nat = 0
  step see(k: nat) { n = k }
}
safety few: |{k: nat where k < R.n}| < 2
safety low: R.n < 30
deadlock ok
instance tiny { nat in 0..2 }
)",
                                  5);
  // One property cannot be said; the other is looked at all the same.
  ASSERT_EQ(size.open.size(), 1U);
  EXPECT_NE(size.open.front().reason.find("the size of a set of numbers"), std::string::npos);
  ASSERT_EQ(size.found.size(), 1U);
  EXPECT_EQ(size.found.front().trace.actions.size(), 1U);
}

TEST(Symbolic, StopsWhenAsked) {
  const ir::Protocol protocol = parse(kMeter);
  StopFlag stop;
  stop.request();
  Options options;
  options.stop = &stop;
  const Report report = search(protocol, first_instance(protocol), options);
  EXPECT_EQ(report.end, End::stopped);
  EXPECT_TRUE(report.found.empty());
}

TEST(Symbolic, SaysThatItRanOut) {
  const ir::Protocol protocol = parse(kMeter);
  Options options;
  options.resource_limit = 1;
  const Report report = search(protocol, first_instance(protocol), options);
  EXPECT_EQ(report.end, End::unknown);
  EXPECT_FALSE(report.reason.empty());
  EXPECT_TRUE(report.found.empty());
}

TEST(Symbolic, KeepsToTheInstanceIfAsked) {
  const ir::Protocol protocol = parse(kMeter);
  Options options;
  options.any_numbers = false;
  options.depth = 3;
  const Report report = search(protocol, first_instance(protocol), options);
  EXPECT_EQ(report.end, End::depth) << report.reason;
  EXPECT_TRUE(report.found.empty());
}

TEST(Symbolic, RepeatsItself) {
  const ir::Protocol protocol = parse(kMeter);
  const Report one = search(protocol, first_instance(protocol), {});
  const Report two = search(protocol, first_instance(protocol), {});
  ASSERT_EQ(one.found.size(), 1U);
  ASSERT_EQ(two.found.size(), 1U);
  EXPECT_EQ(one.found.front().trace.actions, two.found.front().trace.actions);
  EXPECT_EQ(one.resources, two.resources);
}

TEST(Symbolic, KnowsWhatInstancesBound) {
  EXPECT_TRUE(has_unbounded_values(parse(kMeter)));
  EXPECT_FALSE(has_unbounded_values(parse(R"(protocol flags
role R { var up: bool = false  step raise(s: set<R>) when |s| > 1 { up = true } }
safety fine: forall r: R :: r.up or not r.up
deadlock ok
)")));
}

}  // namespace
}  // namespace tenet::symbolic
