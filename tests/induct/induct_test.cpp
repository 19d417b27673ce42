#include "tenet/induct/induct.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "parse.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/printer.h"

namespace tenet::induct {
namespace {

using tests::parse;

Report check_stated(const ir::Protocol& protocol, Options options = {}) {
  std::vector<Claim> claims;
  for (const ir::PropertyId id : stated_claims(protocol)) claims.push_back(claim_of(protocol, id));
  return check(protocol, claims, options);
}

std::string told(const ir::Protocol& protocol, const Report& report) {
  std::string text = report.refused;
  for (const Obligation& o : report.obligations) {
    if (o.verdict == Verdict::discharged) continue;
    text += std::string(name_of(o.kind)) + " claim " + std::to_string(o.claim) + " step " +
            (o.step.valid() ? protocol[o.step].name : "") + ": " + o.reason + (o.counterexample ? " two states" : "") +
            "\n";
  }
  return text;
}

/// Asks for the claims of the text, all of which have to be inductive together.
void expect_inductive(const std::string& text) {
  const ir::Protocol protocol = parse(text);
  const Report report = check_stated(protocol);
  EXPECT_TRUE(report.inductive()) << told(protocol, report);
  EXPECT_TRUE(std::all_of(report.proved.begin(), report.proved.end(), [](bool p) { return p; }));
}

/// Its claims are not inductive; the obligations that are refuted, or open.
Report expect_not_inductive(const std::string& text) {
  const ir::Protocol protocol = parse(text);
  Report report = check_stated(protocol);
  EXPECT_FALSE(report.inductive());
  return report;
}

const std::string kToken = R"(protocol token
type Node
role System single {
  var holder: set<Node> = {}
  var flying: set<Node> = {}
  step start(n: Node) when holder == {} and flying == {} { holder += n }
  step pass(a: Node, b: Node) when a in holder { holder -= a  flying += b }
  step land(n: Node) when n in flying { flying -= n  holder += n }
}
safety one: forall a, b: Node :: a in System.holder and b in System.holder => a == b
)";

TEST(Induct, SafetyWithItsLemmasIsInductive) {
  expect_inductive(kToken + R"(
lemma one_flying: forall a, b: Node :: a in System.flying and b in System.flying => a == b
lemma not_both: forall a, b: Node :: not (a in System.holder and b in System.flying)
)");
}

TEST(Induct, AMissingLemmaIsShownAsTwoStatesThatReplay) {
  const ir::Protocol protocol = parse(kToken);
  const Report report = check_stated(protocol);
  EXPECT_FALSE(report.inductive());
  ASSERT_EQ(report.proved.size(), 1U);
  EXPECT_FALSE(report.proved[0]);
  const auto refuted = std::find_if(report.obligations.begin(), report.obligations.end(),
                                    [](const Obligation& o) { return o.verdict == Verdict::refuted; });
  ASSERT_NE(refuted, report.obligations.end()) << told(protocol, report);
  EXPECT_EQ(protocol[refuted->step].name, "land");
  ASSERT_TRUE(refuted->counterexample && refuted->counterexample->action && refuted->counterexample->after);
  const Counterexample& two = *refuted->counterexample;
  const ir::Interpreter interpreter(protocol, two.instance, two.constants);
  const ir::ExprId one = protocol.properties[0].formula;
  EXPECT_TRUE(std::get<bool>(interpreter.holds(one, two.before)));
  EXPECT_FALSE(std::get<bool>(interpreter.holds(one, *two.after)));
  const ir::Outcome outcome = interpreter.apply(two.before, *two.action);
  ASSERT_TRUE(std::holds_alternative<ir::Happened>(outcome));
  EXPECT_EQ(std::get<ir::Happened>(outcome).next, *two.after);
}

TEST(Induct, ALemmaThatFailsAtTheStartIsRefutedThere) {
  const Report report = expect_not_inductive(kToken + "lemma held: System.holder != {}\n");
  const auto start = std::find_if(report.obligations.begin(), report.obligations.end(), [](const Obligation& o) {
    return o.kind == ObligationKind::initiation && o.verdict == Verdict::refuted;
  });
  ASSERT_NE(start, report.obligations.end());
  ASSERT_TRUE(start->counterexample);
  EXPECT_FALSE(start->counterexample->action);
}

TEST(Induct, ClaimsThatNeedARefutedOneAreNotProved) {
  // `one` is kept only as long as the other two are, and they are not both kept.
  const ir::Protocol protocol = parse(kToken + R"(
lemma one_flying: forall a, b: Node :: a in System.flying and b in System.flying => a == b
lemma never_flying: forall a: Node :: not (a in System.flying)
)");
  const Report report = check_stated(protocol);
  EXPECT_FALSE(report.proved[0]);
  EXPECT_FALSE(report.proved[2]);
}

TEST(Induct, MessagesStayInTheNetwork) {
  expect_inductive(R"(protocol echo
type P
message Ask(p: P)
message Answer(p: P)
role Server single { receive Ask(p) from c: Client { send Answer(p) to c } }
role Client {
  var told: set<P> = {}
  step ask(p: P) { send Ask(p) to Server }
  receive Answer(p) from Server { told += p }
}
safety asked: forall c: Client, p: P :: p in c.told => sent Answer(p) to c
safety answered: forall c: Client, p: P :: sent Answer(p) to c => sent Ask(p) from c
)");
  expect_not_inductive(R"(protocol echo
type P
message Ask(p: P)
message Answer(p: P)
role Server single { receive Ask(p) from c: Client { send Answer(p) to all Client } }
role Client {
  var told: set<P> = {}
  step ask(p: P) { send Ask(p) to Server }
  receive Answer(p) from Server { told += p }
}
safety answered: forall c: Client, p: P :: sent Answer(p) to c => sent Ask(p) from c
)");
}

const std::string kVotes = R"(
role Node {
  var vote: option<Node> = none
  var votes: set<Node> = {}
  var leader: bool = false
  step stand { send Please to all Node }
  receive Please from c: Node when vote == none { vote = some(c)  send Vote to c }
  receive Vote from v: Node { votes += v }
)";

/// `threshold` says `SET` where the set of votes stands.
std::string election(const std::string& threshold, const std::string& constants = "") {
  const auto of = [&](const std::string& set) {
    std::string text = threshold;
    text.replace(text.find("SET"), 3, set);
    return text;
  };
  return "protocol election\n" + constants + "message Please\nmessage Vote" + kVotes + "  step win when " +
         of("votes") + " { leader = true }\n}\n" + R"(
safety one: forall a, b: Node :: a.leader and b.leader => a == b
lemma sent_once: forall v, c: Node :: sent Vote from v to c => v.vote == some(c)
lemma counted: forall v, c: Node :: v in c.votes => sent Vote from v to c
)" + "lemma won: forall c: Node :: c.leader => " +
         of("c.votes") + "\n";
}

TEST(Induct, TwoMajoritiesMeet) { expect_inductive(election("majority(SET)")); }

TEST(Induct, ThresholdsMeetOnlyIfTheNumbersSaySo) {
  expect_inductive(election("|SET| >= |Node| - f", "const f: nat\naxiom: |Node| > 2 * f\n"));
  expect_not_inductive(election("|SET| >= |Node| - f", "const f: nat\naxiom: |Node| >= 2 * f\n"));
  expect_inductive(election("2 * |SET| > |Node|"));
  expect_not_inductive(election("2 * |SET| >= |Node|"));
  expect_inductive(election("|SET| == |Node|"));
  expect_not_inductive(election("|SET| >= 2"));
}

TEST(Induct, AThresholdThatNobodyReachesIsNotAssumedToBeReached) {
  // No set has more hosts than there are; without a witness nothing follows.
  expect_not_inductive(R"(protocol beyond
role Node {
  var seen: set<Node> = {}
  var done: bool = false
  step see(n: Node) { seen += n }
  step finish { done = true }
}
safety never: forall n: Node :: not n.done
lemma large: forall n: Node :: |n.seen| <= |Node| + 1
)");
}

TEST(Induct, WhatReadsNothingIsNoProof) {
  // The option may be none: whatever the solver's value for it, nothing is proved.
  const Report report = expect_not_inductive(R"(protocol reads
role Node {
  var next: map<Node, Node> = {}
  var last: Node = self
  step go(n: Node) { last = next[n] }
}
safety mine: forall n: Node :: n.last == n.last
)");
  EXPECT_FALSE(report.proved[0]);
  expect_inductive(R"(protocol reads
role Node {
  var next: map<Node, Node> = {}
  var last: Node = self
  step go(n: Node) when n in keys(next) { last = next[n] }
}
safety mine: forall n: Node :: n.last == n.last
)");
}

TEST(Induct, ADefinednessThatNeedsALemmaUsesIt) {
  const std::string text = R"(protocol counts
role Counter single {
  var up: nat = 0
  var down: nat = 0
  step more { up += 1 }
  step less when down < up { down += 1 }
  var left: nat = 0
  step tell { left = up - down }
}
)";
  expect_inductive(text + "safety below: Counter.down <= Counter.up\n");
  expect_not_inductive(text + "safety anything: Counter.left >= 0\n");
}

TEST(Induct, AtMostOnceMeansThatASecondCopyIsPossible) {
  // Two sends are two messages: the lock can be had twice.
  expect_not_inductive(R"(protocol twice
message Grant at most once
role Server single {
  step grant(c: Client) { send Grant to c }
}
role Client {
  var held: nat = 0
  receive Grant from Server { held += 1 }
}
safety once: forall c: Client :: c.held <= 1
)");
}

TEST(Induct, TransitionClaimsAreAskedOfEveryStep) {
  const std::string text = R"(protocol grows
role Node {
  var n: nat = 0
  step up { n += 1 }
)";
  expect_inductive(text + "}\ntransition grows: forall a: Node :: old(a.n) <= a.n\n");
  expect_not_inductive(text +
                       "  step down when n > 0 { n = 0 }\n}\ntransition grows: forall a: Node :: old(a.n) <= a.n\n");
}

TEST(Induct, OrderedStructsAreComparedFieldByField) {
  const auto climber = [](const std::string& guard) {
    return R"(protocol climber
type Time ordered
struct Stamp ordered { at: Time, count: nat }
struct Ballot ordered { number: nat, stamp: Stamp }
role Node {
  var ballot: Ballot
  step climb(b: Ballot) when )" +
           guard + R"( { ballot = b }
}
transition grows: forall n: Node :: old(n.ballot) <= n.ballot
)";
  };
  expect_inductive(climber("b > ballot"));
  expect_inductive(climber("b.number > ballot.number"));
  expect_inductive(
      climber("b.number == ballot.number and b.stamp.at == ballot.stamp.at and ballot.stamp.count <= b.stamp.count"));
  expect_not_inductive(climber("b.number >= ballot.number"));
  expect_not_inductive(climber("b.stamp > ballot.stamp"));
}

TEST(Induct, RingsGoRound) {
  expect_inductive(R"(protocol ring
import ring(Node)
message Claim(id: nat)
role Node {
  const id: nat unique
  var leader: bool = false
  step begin { send Claim(id) to next(self) }
  receive Claim(i) from Node {
    if i == id { leader = true } else { if i > id { send Claim(i) to next(self) } }
  }
}
safety one: forall a, b: Node :: a.leader and b.leader => a == b
lemma real: forall n, to: Node, i: nat :: sent Claim(i) to to => exists o: Node :: o.id == i
lemma passed: forall o, to, n: Node :: sent Claim(o.id) to to and between(o, n, to) => n.id < o.id
lemma highest: forall a, b: Node :: a.leader => b.id <= a.id
lemma passed_all: forall o, to, n: Node :: sent Claim(o.id) to o and n != o => n.id < o.id
)");
}

TEST(Induct, ChoicesOfWholeFunctionsAreArbitrary) {
  const std::string text = R"(protocol whole
type K
role S single {
  var on: set<K> = {}
  var ever: set<K> = {}
  step any { choose s: set<K> where s subset ever  on = s }
  step add(k: K) { ever += k }
}
)";
  expect_inductive(text + "safety within: S.on subset S.ever\n");
  expect_not_inductive(text + "safety empty: S.on == {}\n");
}

TEST(Induct, WhatHasNoTranslationIsRefusedByName) {
  const ir::Protocol protocol = parse(R"(protocol sizes
role Node {
  var seen: set<Node> = {}
  var most: nat = 0
  step see(n: Node) { seen += n  most = |seen| }
}
safety few: forall n: Node :: n.most >= 0
)");
  const Report report = check_stated(protocol);
  EXPECT_FALSE(report.inductive());
  EXPECT_NE(report.refused.find("size of a set"), std::string::npos) << report.refused;
}

TEST(Induct, TheSameOnAnyNumberOfThreads) {
  const ir::Protocol protocol = parse(election("majority(SET)"));
  Options two;
  two.threads = 2;
  const Report a = check_stated(protocol), b = check_stated(protocol, two);
  ASSERT_EQ(a.obligations.size(), b.obligations.size());
  for (std::size_t i = 0; i < a.obligations.size(); ++i) {
    EXPECT_EQ(a.obligations[i].verdict, b.obligations[i].verdict);
    EXPECT_EQ(a.obligations[i].uses, b.obligations[i].uses);
    EXPECT_EQ(a.obligations[i].resources, b.obligations[i].resources);
  }
}

}  // namespace
}  // namespace tenet::induct
