// Protocols that a prover may get wrong: every claim named `bad…` is violated
// in the instance given, or the steps read what is not there; claims named
// `good…` are true and simple enough to be proved.
#include <gtest/gtest.h>

#include <ostream>

#include <fmt/format.h>

#include "contest.h"
#include "parse.h"
#include "stop_after.h"
#include "tenet/explore/explorer.h"
#include "tenet/frontend/frontend.h"
#include "tenet/provenance/prover.h"

namespace tenet::campaign {
namespace {

/// What is true and simple is proved well before.
constexpr std::chrono::seconds kLong{20};
constexpr std::chrono::seconds kShort{2};

/// `limit`: for the false claims, which are tried to the end.
void judge(const std::string& text, std::chrono::seconds limit = kLong) {
  const ir::Protocol protocol = tests::parse(text);
  ASSERT_FALSE(protocol.properties.empty());
  std::vector<bool> refuted(protocol.properties.size(), false);
  bool faults = false;
  for (const ir::InstanceDecl& declared : protocol.instances) {
    Diagnostics diagnostics;
    const auto instance = ir::Instance::resolve(protocol, &declared, diagnostics);
    ASSERT_TRUE(instance.has_value());
    const auto report = explore::explore(protocol, *instance, {});
    if (!report) {
      // No value at the start.
      EXPECT_EQ(report.error().id, "fault-at-start") << report.error().message;
      faults = true;
      continue;
    }
    for (const explore::Found& found : report->found) {
      if (found.kind == explore::FoundKind::fault) faults = true;
      if (found.kind == explore::FoundKind::violation) refuted[found.property.index()] = true;
    }
  }
  const auto is_good = [&](ir::PropertyId id) { return protocol[id].name.starts_with("good"); };
  for (const bool good : {true, false}) {
    provenance::ProveOptions options;
    for (std::size_t i = 0; i < protocol.properties.size(); ++i) {
      (is_good(ir::PropertyId(i)) == good ? options.properties : options.helpers).emplace_back(i);
    }
    if (options.properties.empty()) continue;
    const StopAfter stop(good ? kLong : limit);
    options.generations = 4;
    options.stop = stop.flag();
    const provenance::Proof proof = provenance::prove(protocol, options);
    ASSERT_EQ(proof.claims.size(), options.properties.size());
    for (const provenance::Claim& claim : proof.claims) {
      const std::string& name = protocol[claim.property].name;
      if (good) {
        EXPECT_EQ(claim.verdict, provenance::ClaimVerdict::proved) << name << ": " << claim.reason << proof.reason;
      } else {
        EXPECT_TRUE(faults || refuted[claim.property.index()]) << name << " is no example: the explorer finds nothing";
        EXPECT_NE(claim.verdict, provenance::ClaimVerdict::proved) << name;
      }
    }
  }
}

// --- Names of the protocol that are also names of the proof --------------------

class ConstantNamed : public testing::TestWithParam<std::string> {};

TEST_P(ConstantNamed, IsNotMistakenForATermOfTheProof) {
  judge(fmt::format(R"(protocol p
const {0}: int
axiom: {0} < 4
role N {{ var x: nat = 0  step inc {{ x += 1 }} }}
safety bad: forall n: N :: n.x <= 4
safety good: forall n: N :: n.x >= 0 and {0} < 5
deadlock ok
instance i {{ N = 1  x in 0..5  {0} in 3..3 }}
)",
                    GetParam()));
  judge(fmt::format(R"(protocol p
const {0}: N
role N {{ var x: bool = false  step s {{ x = true }} }}
safety bad: forall n: N :: n == {0}
safety good: {0} == {0}
deadlock ok
instance i {{ N = 2 }}
)",
                    GetParam()));
  judge(fmt::format(R"(protocol p
const {0}: int -> int
axiom: forall t: int :: {0}[t] == 0
role N {{
  var x: nat = 0
  var y: nat = 0
  step inc {{ x += 1 }}
  step two when x > 2 {{ y = 1 }}
}}
safety bad: forall n: N :: n.y == 0
safety good: forall n: N :: n.y >= 0
deadlock ok
instance i {{ N = 1  x in 0..3  y in 0..1  int in 0..1  {0} in 0..0 }}
)",
                    GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Words, ConstantNamed,
                         testing::Values("before_last", "last", "first", "second", "third", "step", "kind", "witness",
                                         "member", "common", "difference", "subset_of", "same", "quiet", "size", "key",
                                         "host", "time", "any", "value"));

// --- Reading what is not there -------------------------------------------------

struct Case {
  std::string name, text;
  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

class Undefined : public testing::TestWithParam<Case> {};

TEST_P(Undefined, IsNeverProved) { judge("protocol p\n" + GetParam().text + "deadlock ok\n"); }

INSTANTIATE_TEST_SUITE_P(Reads, Undefined,
                         testing::Values(Case{"BelowNotExists", R"(type K
role N { var m: map<K, nat> = {}  var z: nat = 0  step w { z += 1 } }
safety bad: forall n: N :: n.z <= 2 or not (exists j: K :: n.m[j] > 5)
safety bad2: forall n: N :: (n.z > 2 and (exists j: K :: n.m[j] > 5)) => false
safety bad3: forall n: N :: n.z <= 2 or {j: K where n.m[j] > 5} == {}
safety good: forall n: N :: n.z >= 0 or not (exists j: K :: j in keys(n.m) and n.m[j] > 5)
instance i { N = 1  K = 1  z in 0..3 }
)"},
                                         Case{"InTheGuardBelowAQuantifier", R"(type K
role N { var m: map<K, nat> = {}  var z: nat = 0
  step w { z += 1 }
  step g when z > 2 and not (forall x: K :: m[x] > 5) { z = 0 } }
safety bad: forall n: N :: n.z >= 0
instance i { N = 1  K = 1  z in 0..3 }
)"},
                                         Case{"InAFunctionBuiltPointwise", R"(type K
role N { var f: K -> nat = 4  var z: nat = 0  step s { f = k => f[k] - 1  z += 1 } }
safety bad: forall n: N :: n.z <= 4
transition bad2: forall n: N, k: K :: n.f[k] != old(n.f[k]) => old(n.f[k]) > 0
instance i { N = 1  K = 1  z in 0..6  f in 0..4 }
)"},
                                         Case{"InASetThatIsFiltered", R"(type K
role N { var m: map<K, nat> = {}  var s: set<K> = {}
  step p(k: K) { s += k }
  step g { s = {x in s where m[x] > 1} } }
safety bad: forall n: N :: |n.s| >= 0
instance i { N = 1  K = 1  m in 0..1 }
)"},
                                         Case{"InASetOfAllValues", R"(type K
role N { var m: map<K, nat> = {}  var s: set<K> = {}  step g { s = {x: K where m[x] > 1} } }
safety bad: forall n: N :: |n.s| >= 0
instance i { N = 1  K = 1  m in 0..1 }
)"},
                                         Case{"InASetThatIsOnlyCounted", R"(type K
role N { var m: map<K, nat> = {}  var b: bool = false  step g when |{x: K where m[x] > 1}| == 0 { b = true } }
safety bad: forall n: N :: n.b => n.b
instance i { N = 1  K = 1  m in 0..1 }
)"},
                                         Case{"InAMessageToEach", R"(message M(x: nat)
role N { var m: map<N, nat> = {}  var z: nat = 0
  step w { z += 1 }
  step i when z > 1 { send M(m[q]) to each q in all N }
  receive M(x) { z = 0 } }
safety bad: forall n: N :: n.z >= 0
instance i { N = 1  z in 0..2  x in 0..1  m in 0..1 }
)"},
                                         Case{"InWhatIsSaidToBeSent", R"(message M(x: nat, y: nat)
role N { var m: map<N, nat> = {}  step i { send M(0, 0) to all N }  receive M(x, y) { m[self] = x } }
safety bad: forall n: N :: not sent M(n.m[n], _) or n == n
instance i { N = 1  x in 0..1  y in 0..1  m in 0..1 }
)"},
                                         Case{"InAnInitialiser", R"(const f: nat
role N { var x: nat = 2 - f  step s { x = 0 } }
safety bad: f <= 2
instance i { N = 1  f in 3..3  x in 0..2 }
)"},
                                         Case{"InADefinedConstant", R"(const f: nat
const g: nat = 2 - f
role N { var x: nat = 0  step s { x = g } }
safety bad: f <= 2
instance i { N = 1  f in 3..3  x in 0..2 }
)"},
                                         Case{"InAnAxiom", R"(const f: nat
axiom: |N| - 3 == f
role N { var x: nat = 0  step s { x = 0 } }
safety bad: |N| >= 3
instance i { N = 1  f in 0..3  x in 0..2 }
)"},
                                         Case{"InAnInitFormula",
                                              R"(role N { var x: nat  var y: nat  init: x - y == 0  step s { y = 0 } }
safety bad: forall n: N :: n.y <= n.x
instance i { N = 1  x in 0..2  y in 0..2 }
)"}),
                         [](const auto& test) { return test.param.name; });

TEST(Defined, AxiomsMayNeedOneAnother) {
  judge(R"(protocol p
const f: nat
axiom: |N| - f > 1
axiom: f < |N|
const quorum: nat = |N| - f
role N { var x: nat = quorum  step s { x = 0 } }
safety good: forall n: N :: n.x <= |N|
deadlock ok
instance i { N = 3  f in 0..5  x in 0..5 }
)");
}

TEST(Defined, AChoiceIsKnownInWhatFollows) {
  judge(R"(protocol p
type K
role N {
  var m: map<K, nat> = {}
  var x: nat = 0
  step put(k: K) { m[k] = 1 }
  step take { choose k: K where k in keys(m)  x = m[k] }
}
safety good: forall n: N :: n.x >= 0
deadlock ok
instance i { N = 1  K = 1  x in 0..1  m in 0..1 }
)");
}

TEST(Defined, AllMembersOfASetMayHaveAValue) {
  judge(R"(protocol p
type K
role N {
  var m: map<K, nat> = {}
  var s: set<K> = {}
  step put(k: K) { m[k] = 1 }
  step filter { s = {x in keys(m) where m[x] > 0} }
}
safety good: forall n: N :: |n.s| >= 0
deadlock ok
instance i { N = 1  K = 1  m in 0..1 }
)");
}

TEST(Steps, ThereMayBeNone) {
  judge(R"(protocol p
const f: nat
role N { var x: nat = 0  var y: nat  init: y <= x + f }
role L single { var z: nat }
safety bad: |N| <= 2
safety bad2: forall n: N :: n.y <= 1
safety bad3: L.z <= 1
lemma bad4: f <= 1
safety good: forall n: N :: n.x == 0
deadlock ok
instance i { N = 3  f = 3  z in 0..3  x in 0..0  y in 0..3 }
)");
}

TEST(Ring, IsOneCircleOfAnySize) {
  judge(R"(protocol p
import ring(N)
role N { var x: bool = false  step s { x = true } }
safety bad: forall a: N :: next(a) != a
safety bad2: forall a: N :: next(next(a)) == a
safety bad3: forall a, b, c: N :: between(a, b, c) => between(b, a, c)
safety bad4: forall a, b: N :: a == b or next(a) == b or next(b) == a
safety good: forall a, b: N :: next(a) == next(b) => a == b
safety good2: forall a, b, c: N :: between(a, b, c) => not between(a, c, b)
safety good3: forall a, b, c: N :: a != b and b != c and a != c => between(a, b, c) or between(a, c, b)
safety good4: forall a, b: N :: not between(a, b, next(a))
safety good5: forall a, b: N :: between(a, b, a) <=> a != b
deadlock ok
instance one { N = 1 }
instance two { N = 2 }
instance three { N = 3 }
instance four { N = 4 }
)");
}

/// Where `a - b` has no value it has one of its type in the theory: with any
/// other the undefined run would contradict itself, and be no counterexample.
class BelowZero : public testing::TestWithParam<Case> {};

TEST_P(BelowZero, IsSeenWhereverTheDifferenceStands) { judge(GetParam().text); }

INSTANTIATE_TEST_SUITE_P(Places, BelowZero,
                         testing::Values(Case{"UnderASum", R"(protocol a1
type T
role H {
  var f: T -> nat = 2
  var g: T -> nat = 0
  step inc(x: T) { g[x] += 1 }
}
safety bad: forall h: H :: (sum x: T :: h.f[x] - h.g[x]) >= 0
deadlock ok
instance small { H = 1 T = 1 f in 0..2 g in 0..3 }
)"},
                                         Case{"UnderASumInAStep", R"(protocol a3
type T
role H {
  var f: T -> nat = 2
  var g: T -> nat = 0
  var c: nat = 1
  var z: nat = 0
  step inc(x: T) { g[x] += 1 }
  step look when (sum x: T :: f[x] - g[x]) >= 1 and c - 1 >= 0 { z = 0 }
}
safety bad: forall h: H :: h.c == 1
deadlock ok
instance small { H = 1 T = 1 f in 0..2 g in 0..3 }
)"},
                                         Case{"InAFunctionThatIsAnElement", R"(protocol a4
type T
role H {
  var f: T -> nat = 2
  var g: T -> nat = 0
  var fs: set<T -> nat> = {}
  step inc(x: T) { g[x] += 1 }
}
safety bad: forall h: H :: (x => h.f[x] - h.g[x]) not in h.fs
deadlock ok
instance small { H = 1 T = 1 f in 0..2 g in 0..3 }
)"},
                                         Case{"AsAnElement", R"(protocol b3
role H {
  var a: nat = 2
  var b: nat = 0
  var c: nat = 1
  var s: set<nat> = {0}
  step inc { b += 1 }
}
safety good: forall h: H, x: nat :: h.c >= 1 and x >= 0
safety bad: forall h: H :: (h.a - h.b) in h.s or h.c >= 1
deadlock ok
instance small { H = 1 a in 0..2 b in 0..3 c in 0..2 nat in 0..3}
)"},
                                         Case{"AsAnElementInAStep", R"(protocol b4
axiom pos: forall x: nat :: x >= 0
role H {
  var a: nat = 2
  var b: nat = 0
  var c: nat = 1
  var s: set<nat> = {0}
  step inc { b += 1 }
  step look when (a - b) in s and (c - 1) in s { c = 1 }
}
safety bad: forall h: H :: h.c >= 1
deadlock ok
instance small { H = 1 a in 0..2 b in 0..3 c in 0..2 nat in 0..3}
)"},
                                         Case{"InAStructThatIsAnElement", R"(protocol k1
struct P { n: nat }
role H {
  var a: nat = 2
  var b: nat = 0
  var c: nat = 1
  var s: set<P> = {}
  step inc { b += 1 }
}
safety good: forall h: H, p: P :: h.c >= 1 and p.n >= 0
safety bad: forall h: H :: P(h.a - h.b) in h.s or h.c >= 1
deadlock ok
instance small { H = 1 a in 0..2 b in 0..3 c in 0..2 n in 0..2}
)"},
                                         Case{"InAMessage", R"(protocol k2
message M(n: nat)
role H {
  var a: nat = 2
  var b: nat = 0
  var c: nat = 1
  step inc { b += 1 }
  step tell(h: H) { send M(c) to h }
  receive M(n) when n > 5 { c = n }
}
safety good: forall h: H, x: nat :: h.c >= 1 and x >= 0
safety bad: forall h, g: H :: sent M(h.a - h.b) from g to h => h.c >= 1
deadlock ok
instance small { H = 1 a in 0..2 b in 0..3 c in 0..2 n in 0..2 nat in 0..3}
)"},
                                         Case{"InAnOptionalFunction", R"(protocol k3
type T
message F(f: T -> nat)
role H {
  var a: nat = 2
  var b: nat = 0
  var c: nat = 1
  var fs: set<option<T -> nat>> = {}
  step inc { b += 1 }
}
safety bad: forall h: H :: some(k => h.a - h.b) in h.fs or h.c >= 1
deadlock ok
instance small { H = 1 T = 1 a in 0..2 b in 0..3 c in 0..2 nat in 0..3}
)"},
                                         Case{"AsAKey", R"(protocol k4
type T
role H {
  var a: nat = 2
  var b: nat = 0
  var c: nat = 1
  var m: map<nat, T> = {}
  step inc { b += 1 }
}
safety good: forall h: H, x: nat :: h.c >= 1 and x >= 0
safety bad: forall h: H :: (h.a - h.b) in keys(h.m) or h.c >= 1
deadlock ok
instance small { H = 1 T = 1 a in 0..2 b in 0..3 c in 0..2 nat in 0..3}
)"}),
                         [](const auto& test) { return test.param.name; });

// --- Collections that travel ----------------------------------------------------

TEST(Collections, KeepWhatTheyHoldInMessages) {
  judge(R"(protocol p
type Key
message Save(keys: set<Key>)
message Saved(keys: set<Key>)
role Client {
  var mine: set<Key> = {}
  var saved: set<Key> = {}
  step touch(k: Key) { mine += k }
  step save { send Save(mine) to all Server }
  receive Saved(ks) from Server { saved = saved union ks }
}
role Server {
  var stored: set<Key> = {}
  receive Save(ks) from c: Client {
    stored = stored union ks
    send Saved(ks) to c
  }
}
safety good: forall c: Client, k in c.saved :: k in c.mine
safety good2: forall s: Server, k in s.stored :: exists c: Client :: k in c.mine
safety good3: forall c: Client, ks: set<Key> :: sent Save(ks) from c => ks subset c.mine
safety good4: forall c: Client, ks: set<Key> :: sent Save(ks) from c => |ks| <= |c.mine|
safety bad: forall c, d: Client, k in c.saved :: k in d.mine
safety bad2: forall ks, ls: set<Key> :: sent Save(ks) and sent Save(ls) => ks == ls
safety bad3: forall ks: set<Key> :: sent Save(ks) => ks == {}
safety bad4: forall ks: set<Key> :: sent Save(ks) => |ks| == 0
safety bad5: forall c: Client, ks: set<Key> :: sent Save(ks) from c => ks == c.mine
deadlock ok
instance i { Client = 2  Server = 1  Key = 1 }
)");
}

TEST(Collections, AreTheSameIfTheyHoldTheSame) {
  judge(R"(protocol p
type Key
message Tell(table: Key -> nat)
role Host {
  var got: bool = false
  var table: Key -> nat = 0
  step tell { send Tell(k => 1) to all Host }
  step tell_two { send Tell(k => 2) to all Host }
  receive Tell(t) from Host when t == (k => 1) {
    got = true
    table = t
  }
}
safety good: forall h: Host, k: Key :: h.got => h.table[k] == 1
safety good2: forall h: Host, k: Key :: h.table[k] <= 1
safety bad: forall h: Host :: not h.got
safety bad2: forall t, u: Key -> nat :: sent Tell(t) and sent Tell(u) => t == u
safety bad3: forall h: Host, k: Key :: h.table[k] == 0
deadlock ok
instance i { Host = 1  Key = 2  nat in 0..2 }
)");
}

TEST(Collections, ChosenByAStepMayBeAnything) {
  judge(R"(protocol p
type Key
role Host {
  var seen: set<Key> = {}
  var many: bool = false
  step see(ks: set<Key>) when ks != {} { seen = ks }
  step count when |seen| >= 2 { many = true }
}
safety good: forall h: Host :: h.many => h.many
transition good2: forall h: Host :: old(h.seen) != {} => h.seen != {}
safety bad: forall h: Host :: h.seen == {}
safety bad2: forall h: Host :: not h.many
safety bad3: forall h: Host, k: Key :: h.seen != {} => k in h.seen
deadlock ok
instance i { Host = 1  Key = 2 }
)");
}

TEST(Collections, WhatHasSomeMemberHasItInTheVariableThatTakesIt) {
  judge(R"(protocol p
type Key
role Host {
  var seen: set<Key> = {}
  var last: map<Key, bool> = {}
  step see(ks: set<Key>, more: set<Key>) when ks != {} and more subset ks { seen = ks }
  step swap(m: map<Key, bool>) when m != last { last = m }
}
transition good: forall h: Host :: old(h.seen) != {} => h.seen != {}
transition bad: forall h: Host :: old(h.seen) == h.seen
transition bad2: forall h: Host :: old(h.last) == h.last
safety bad3: forall h: Host :: h.seen == {} or exists k: Key :: not (k in h.seen)
deadlock ok
instance i { Host = 1  Key = 2 }
)");
}

/// What was known of a sender when it sent is no longer true of it.
TEST(Senders, KnewThenWhatTheyMayHaveForgotten) {
  judge(R"(protocol p
type Value
message Ok(v: Value)
message Say(v: Value)
role Judge {
  step approve(v: Value, t: Teller) { send Ok(v) to t }
}
role Teller {
  var held: option<Value> = none
  var quorum: set<Judge> = {}
  receive Ok(v) from j: Judge when held == none or held == some(v) { held = some(v)  quorum += j }
  step tell when held != none and majority(quorum) { send Say(held) to all Judge }
  step forget { held = none  quorum = {} }
}
safety good: forall v: Value, t: Teller, j: Judge :: sent Say(v) from t to j => sent Ok(v) to t
safety bad: forall v: Value, t: Teller, j: Judge :: sent Say(v) from t to j => t.held == some(v)
safety bad2: forall v, w: Value, t: Teller, j: Judge :: sent Say(v) from t to j and sent Say(w) from t to j => v == w
safety bad3: forall v: Value, t: Teller, j: Judge :: sent Say(v) from t to j => majority(t.quorum)
safety bad4: forall v: Value, t: Teller, j, k: Judge :: sent Say(v) from t to j => sent Ok(v) from k to t
deadlock ok
instance i { Judge = 3  Teller = 1  Value = 2 }
)");
}

/// What is so at one key is not so at another, nor later.
TEST(Keys, AreNotMixedUp) {
  judge(R"(protocol p
type Key
type Value
struct Stamped { at: nat, value: Value }
struct Write { key: Key, put: Stamped }
message Put(write: Write)
message Copy(log: Key -> option<Stamped>)
role Writer single {
  var next: Key -> nat = 0
  step put(k: Key, v: Value) {
    next[k] += 1
    send Put(Write(k, Stamped(next[k], v))) to all Store
  }
}
role Store {
  var held: Key -> option<Stamped> = none
  receive Put(w) from Writer when held[w.key] == none or held[w.key].at < w.put.at { held[w.key] = w.put }
  step share { send Copy(held) to all Store }
  receive Copy(log) from Store {
    held = k => log[k] != none and (held[k] == none or held[k].at < log[k].at) ? log[k] : held[k]
  }
}
safety good: forall s: Store, k: Key :: s.held[k] != none => sent Put(Write(k, s.held[k]))
safety good2:
  forall w, x: Write :: sent Put(w) and sent Put(x) and w.key == x.key and w.put.at == x.put.at => w == x
safety good3: forall s, t: Store, log: Key -> option<Stamped>, k: Key :: sent Copy(log) from s to t
  => log[k] == none or s.held[k] != none and log[k].at <= s.held[k].at
safety bad: forall w, x: Write :: sent Put(w) and sent Put(x) and w.put.at == x.put.at => w == x
safety bad2: forall s: Store, k, l: Key :: s.held[k] != none => sent Put(Write(l, s.held[k]))
safety bad3: forall s, t: Store, log: Key -> option<Stamped>, k: Key :: sent Copy(log) from s to t => log[k] == s.held[k]
safety bad4: forall s, t: Store, log: Key -> option<Stamped>, k, l: Key :: sent Copy(log) from s to t
  => log[k] == none or s.held[l] != none and log[k].at <= s.held[l].at
safety bad5: forall s, t: Store, k: Key :: s.held[k] == t.held[k]
deadlock ok
instance i { Store = 2  Key = 2  Value = 1  next in 0..1  at in 0..1 }
)",
        kShort);
}

TEST(Counting, AThresholdOfNothingIsAlwaysReached) {
  judge(R"(protocol p
const few: nat
const many: nat
axiom: few + many > |A|
message Vote
role A { step vote { send Vote to all L } }
role L {
  var votes: set<A> = {}
  var done: bool = false
  receive Vote from a: A { votes += a }
  step finish when |votes| >= few { done = true }
}
safety bad: forall l: L :: l.done => exists a: A :: a in l.votes
safety good: forall l: L :: l.done and few > 0 => exists a: A :: a in l.votes
safety good2: forall l: L, a in l.votes :: |l.votes| > 0
deadlock ok
instance i { A = 2  L = 1  few in 0..2  many in 0..3 }
)");
}

// --- Sums and ordered structs ---------------------------------------------------

TEST(Sums, AreOfWhatIsAddedUp) {
  judge(R"(protocol p
role W {
  const share: int
  var x: nat = 0
  var y: nat = 0
  step inc { x += 1  y += 1 }
  step only_x when x > 0 { x -= 1 }
}
safety good: (sum w: W :: w.share) == (sum v: W :: v.share)
safety good2: (sum w: W :: w.x) >= 0
safety bad: (sum w: W :: w.share) == 0
safety bad2: (sum w: W :: w.x) == (sum w: W :: w.y)
safety bad3: (sum w: W :: w.x) <= 1
safety bad4: (sum w: W :: w.share) >= 0
deadlock ok
instance i { W = 2  share in -1..1  x in 0..2  y in 0..2  int in -4..4  nat in 0..4 }
)");
}

TEST(OrderedStructs, AreComparedFieldByField) {
  judge(R"(protocol p
struct Ballot ordered { number: nat, owner: nat }
role H {
  const id: nat unique
  var at: Ballot = Ballot(0, id)
  var was: Ballot = Ballot(0, id)
  step next {
    was = at
    at = Ballot(at.number + 1, id)
  }
}
safety good: forall a, b: H :: not (a.at < b.at and b.at < a.at)
safety good2: forall a, b: H :: a.at < b.at or b.at < a.at or a == b
safety good3: forall h: H :: h.was <= h.at
transition good4: forall h: H :: old(h.at) <= h.at
safety bad: forall a, b: H :: a.id < b.id => a.at < b.at
safety bad2: forall a, b: H :: a.at <= b.at
safety bad3: forall h: H :: h.was < h.at
safety bad4: forall a, b: H :: a.at < b.at => a.id < b.id
deadlock ok
instance i { H = 2  id in 0..1  owner in 0..1  number in 0..2 }
)");
}

// --- Messages that are delivered at most once -----------------------------------

class AtMostOnce : public testing::TestWithParam<Case> {};

TEST_P(AtMostOnce, OnlyWhatIsTrueIsProved) { judge("protocol p\n" + GetParam().text, kShort); }

INSTANTIATE_TEST_SUITE_P(Deliveries, AtMostOnce,
                         testing::Values(Case{"TwoEqualSendsAreTwoCopies", R"(message M at most once
role N {
  var out: nat = 0
  var in1: nat = 0
  step s when out < 2 { out += 1  send M to self }
  receive M { in1 += 1 }
}
safety bad: forall n: N :: n.in1 <= 1
safety bad2: forall n: N :: n.out == 2 => n.in1 <= 1
safety bad3: forall n: N :: n.in1 < 2 or n.out < 2
deadlock ok
instance i { N = 1  out in 0..2  in1 in 0..3 }
)"},
                                         Case{"TwoSendsOfOneStepAreTwoCopies", R"(message M at most once
role A single {
  var done: bool = false
  step s when not done { done = true  send M to B  send M to B }
}
role B single {
  var once: bool = false
  var twice: bool = false
  receive M { if once { twice = true }  once = true }
}
safety bad: not B.twice
safety bad2: not (A.done and B.twice)
safety good: B.once => A.done
safety good2: B.twice => B.once
deadlock ok
instance i { A = 1 }
)"},
                                         Case{"ASendInEachBranch", R"(message M at most once
role A single {
  var done: bool = false
  var other: bool = false
  step s when not done {
    done = true
    if other { send M to B } else { send M to B  send M to B }
  }
  step t { other = true }
}
role B single {
  var n: nat = 0
  receive M { n += 1 }
}
safety bad: B.n <= 1
safety bad2: A.other => B.n <= 1
deadlock ok
instance i { n in 0..3 }
)"},
                                         Case{"ACopyIsConsumed", R"(message M at most once
role A single {
  var out: bool = false
  step s when not out { out = true  send M to B }
}
role B single {
  var has: bool = false
  var lost: bool = false
  receive M { has = true }
  step lose when has { has = false }
  step give_up when not has { lost = true }
}
// It may have come and gone.
safety bad: A.out and B.lost => not B.has
transition bad2: old(A.out) and old(B.has) => B.has
transition good: old(A.out) => A.out
// What is gone does not come back.
safety good2: B.has => A.out
deadlock ok
instance i { A = 1 }
)"},
                                         Case{"ConsumedWithoutEffect", R"(message M at most once
const first: N
role N {
  var has: bool = self == first
  var gone: bool = false
  step pass(to: N) when has { has = false  send M to to }
  receive M { if gone { has = false } else { has = true } }
  step go when not has { gone = true }
}
safety good: forall a, b: N :: a.has and b.has => a == b
safety bad: exists n: N :: n.has
safety good2: forall n: N :: n.gone => not n.has
deadlock ok
instance i { N = 2 }
)"},
                                         Case{"TheGuardRefuses", R"(message M at most once
role A single {
  var out: nat = 0
  step s when out < 2 { out += 1  send M to B }
}
role B single {
  var has: bool = false
  var n: nat = 0
  receive M when not has { has = true  n += 1 }
  step drop when has { has = false }
}
// What was refused is still there.
safety bad: B.n <= 1
safety bad2: B.has => B.n <= 1
safety good: B.has => A.out > 0
deadlock ok
instance i { out in 0..2  n in 0..3 }
)"},
                                         Case{"SentToAnother", R"(message M at most once
const chosen: B
role A single {
  var out: bool = false
  step s(to: B) when not out { out = true  send M to to }
}
role B {
  var has: bool = false
  receive M from A { has = true }
}
safety good: forall a, b: B :: a.has and b.has => a == b
safety bad: forall b: B :: b.has => b == chosen
safety bad2: forall b: B :: not b.has
deadlock ok
instance i { B = 2 }
)"},
                                         Case{"WhatIsCountedMayCancel", R"(message M at most once
role A single {
  var out: bool = false
  step s when not out { out = true  send M to B }
  step forget when out { out = false }
}
role B single {
  var has: bool = false
  var twice: bool = false
  receive M { if has { twice = true }  has = true }
}
safety bad: not B.twice
safety bad2: B.has => A.out
safety bad3: not (B.has and not A.out)
deadlock ok
instance i { A = 1 }
)"},
                                         Case{"UpAndDownAgain", R"(message M at most once
role N {
  var n: nat = 1
  var low: bool = false
  step pay(to: N) when n > 0 { n -= 1  send M to to }
  receive M { n += 1 }
  step look when n == 0 { low = true }
}
safety bad: forall a, b: N :: a.n + b.n >= 1
safety bad2: forall a: N :: a.n <= 1
safety bad3: forall a, b: N :: a.low and b.low => a == b
deadlock ok
instance i { N = 2  n in 0..2  copies = 3 }
)"},
                                         Case{"HandedOnAndKept", R"(message M at most once
const first: N
role N {
  var has: bool = self == first
  step pass(to: N) when has { send M to to }
  receive M { has = true }
}
safety bad: forall a, b: N :: a.has and b.has => a == b
safety good: exists n: N :: n.has
deadlock ok
instance i { N = 2 }
)"},
                                         Case{"ToAllOfThem", R"(message M at most once
role A single {
  var out: bool = false
  step s when not out { out = true  send M to all B }
}
role B {
  var n: nat = 0
  receive M { n += 1 }
}
safety bad: forall a, b: B :: a.n > 0 and b.n > 0 => a == b
safety good: forall b: B :: b.n <= 1
deadlock ok
instance i { B = 2  n in 0..3 }
)"},
                                         Case{"ToEachAnother", R"(type K
message M(k: K) at most once
const of: B -> K
role A single {
  var out: nat = 0
  step s(to: set<B>) when out < 2 { out += 1  send M(of[b]) to each b in to }
}
role B {
  var got: K -> nat = k => 0
  receive M(k) { got[k] += 1 }
}
safety good: forall b: B, k: K :: b.got[k] > 0 => of[b] == k
safety bad: forall b: B, k: K :: b.got[k] <= 1
safety bad2: forall a, b: B, k: K :: a.got[k] > 0 and b.got[k] > 0 => a == b
deadlock ok
instance i { B = 2  K = 2  out in 0..2  got in 0..3 }
)"},
                                         Case{"OtherFieldsAreOtherMessages", R"(message M(n: nat) at most once
role A single {
  var n: nat = 0
  step s when n < 2 { n += 1  send M(n) to B }
}
role B single {
  var one: nat = 0
  var all1: nat = 0
  receive M(n) { all1 += 1  if n == 1 { one += 1 } }
}
safety good: B.one <= 1
safety bad: B.all1 <= 1
safety bad2: B.one == 1 => B.all1 <= 1
deadlock ok
instance i { n in 0..2  one in 0..2  all1 in 0..3 }
)"},
                                         Case{"EqualCollectionsAreEqualFields", R"(type K
message M(ks: set<K>) at most once
const a: K
const b: K
axiom: a != b
role A single {
  var out: nat = 0
  step one when out == 0 { out = 1  send M({a, b}) to B }
  step two when out == 1 { out = 2  send M({b} union {a}) to B }
}
role B single {
  var n: nat = 0
  receive M(ks) when a in ks { n += 1 }
}
safety bad: B.n <= 1
safety good: B.n > 0 => A.out > 0
deadlock ok
instance i { K = 2  out in 0..2  n in 0..3 }
)"},
                                         Case{"FromTwoRoles", R"(message M at most once
role A single { var out: bool = false  step s when not out { out = true  send M to C } }
role B single { var out: bool = false  step s when not out { out = true  send M to C } }
role C single {
  var n: nat = 0
  receive M { n += 1 }
}
safety bad: C.n <= 1
safety bad2: C.n > 0 => A.out
safety good: C.n > 0 => A.out or B.out
deadlock ok
instance i { n in 0..3 }
)"},
                                         Case{"FromOneOfTwoRoles", R"(message M at most once
role A single { var out: bool = false  step s when not out { out = true  send M to C } }
role B single { var out: bool = false  step s when not out { out = true  send M to C } }
role C single {
  var n: nat = 0
  receive M from A { n += 1 }
}
safety good: C.n <= 1
safety good2: C.n > 0 => A.out
safety bad: C.n > 0 => B.out
deadlock ok
instance i { n in 0..3 }
)"},
                                         Case{"TwoStepsShareTheCopies", R"(message M at most once
role A single { var out: bool = false  step s when not out { out = true  send M to C } }
role C single {
  var one: bool = false
  var two: bool = false
  receive M as first { one = true }
  receive M as second { two = true }
}
safety good: not (C.one and C.two)
safety bad: not C.one
safety bad2: not C.two
deadlock ok
instance i { A = 1 }
)"},
                                         Case{"CountsAlongAndOtherwise", R"(message M at most once
role A single {
  var n: nat = 0
  var m: nat = 0
  step s { n += 1  send M to B }
  step t when n > 0 { n -= 1  m += 1  send M to B }
}
role B single {
  var got: nat = 0
  var more: nat = 0
  receive M { got += 1  more += 1 }
  step cheat { more += 1 }
}
safety bad: B.got <= A.n
safety bad2: B.more <= A.n + A.m
safety bad3: B.got <= A.m
safety good: B.got >= 0
deadlock ok
instance i { n in 0..2  m in 0..2  got in 0..3  more in 0..3 }
)"},
                                         Case{"NotedAndGivenBackTwice", R"(message Grant at most once
message Back at most once
role S single {
  var holder: option<C> = none
  step grant(c: C) when holder == none { holder = some(c)  send Grant to c }
  receive Back from c: C when holder == some(c) { holder = none }
}
role C {
  var has: bool = false
  var used: bool = false
  receive Grant { has = true  used = true }
  step leave when used { has = false  send Back to S }
}
safety bad: forall c: C :: c.has => S.holder == some(c)
safety bad2: forall a, b: C :: a.has and b.has => a == b
deadlock ok
instance i { C = 2  copies = 2 }
)"},
                                         Case{"TheNumberMovesOn", R"(message Grant(epoch: nat) at most once
role S single {
  var epoch: nat = 0
  var free: bool = true
  step grant(c: C) when free { free = false  epoch += 1  send Grant(epoch) to c }
  step on { epoch += 1 }
}
role C {
  var has: bool = false
  var epoch: nat = 0
  receive Grant(e) { has = true  epoch = e }
}
safety good: forall a, b: C :: a.has and b.has => a == b
safety bad: forall c: C :: c.has => c.epoch == S.epoch
safety bad2: forall c: C :: c.has => c.epoch < S.epoch
deadlock ok
instance i { C = 2  epoch in 0..3 }
)"},
                                         Case{"ToOneselfAndBack", R"(message M at most once
role N {
  var has: bool = true
  var n: nat = 0
  step s when has { has = false  send M to self }
  receive M { has = true  n += 1  send M to self }
}
safety bad: forall n: N :: n.n <= 1
safety bad2: forall n: N :: n.n > 0 => n.has
deadlock ok
instance i { N = 1  n in 0..2 }
)"}),
                         [](const auto& test) { return test.param.name; });

/// What holds because nothing arrives twice is not proved of a network in which it may.
class OnlyAtMostOnce : public testing::TestWithParam<Case> {};

TEST_P(OnlyAtMostOnce, IsNotProvedWithoutIt) {
  const std::string once = " at most once";
  std::string text = "protocol p\n" + GetParam().text;
  judge(text);
  for (std::size_t at = text.find(once); at != std::string::npos; at = text.find(once)) text.erase(at, once.size());
  for (std::size_t at = text.find("good"); at != std::string::npos; at = text.find("good")) text.replace(at, 4, "bad");
  judge(text, kShort);
}

INSTANTIATE_TEST_SUITE_P(Deliveries, OnlyAtMostOnce,
                         testing::Values(Case{"Ticket", R"(message HandOn at most once
const first: Guest
role Guest {
  var holds: bool = self == first
  step hand_on(friend: Guest) when holds { holds = false  send HandOn to friend }
  receive HandOn from Guest { holds = true }
}
safety good: forall a, b: Guest :: a.holds and b.holds => a == b
deadlock ok
instance i { Guest = 3 }
)"},
                                         Case{"Lock", R"(message Grant at most once
message Release at most once
role Server single {
  var free: bool = true
  step grant(c: Client) when free { free = false  send Grant to c }
  receive Release { free = true }
}
role Client {
  var has: bool = false
  receive Grant from Server { has = true }
  step release when has { has = false  send Release to Server }
}
safety good: forall a, b: Client :: a.has and b.has => a == b
safety good2: forall c: Client :: c.has => not Server.free
deadlock ok
instance i { Client = 2 }
)"},
                                         Case{"LockThatNotesItsHolder", R"(message Request at most once
message Grant at most once
message Release at most once
role Server single {
  var holder: option<Client> = none
  var waiting: set<Client> = {}
  receive Request from c: Client { waiting += c }
  step grant(c: Client) when holder == none and c in waiting { holder = some(c)  waiting -= c  send Grant to c }
  receive Release from c: Client when holder == some(c) { holder = none }
}
role Client {
  var has: bool = false
  var asked: bool = false
  step ask when not asked { asked = true  send Request to Server }
  receive Grant { has = true }
  step leave when has { has = false  asked = false  send Release to Server }
}
safety good: forall a, b: Client :: a.has and b.has => a == b
safety good2: forall c: Client :: c.has => Server.holder == some(c)
deadlock ok
instance i { Client = 2 }
)"},
                                         Case{"LeaseWithANumber", R"(message Grant(epoch: nat) at most once
message Done at most once
role Server single {
  var epoch: nat = 0
  var free: bool = true
  step grant(c: Client) when free { free = false  epoch += 1  send Grant(epoch) to c }
  receive Done { free = true }
}
role Client {
  var has: bool = false
  var epoch: nat = 0
  receive Grant(e) { has = true  epoch = e }
  step done when has { has = false  send Done to Server }
}
safety good: forall a, b: Client :: a.has and b.has => a == b
safety good2: forall c: Client :: c.has => c.epoch == Server.epoch
transition good3: forall c: Client :: old(c.epoch) <= c.epoch
deadlock ok
instance i { Client = 2  epoch in 0..3 }
)"},
                                         Case{"QuestionsAndAnswers", R"(message Ask at most once
message Answer at most once
role A single {
  var asked: nat = 0
  var answered: nat = 0
  step ask { asked += 1  send Ask to B }
  receive Answer { answered += 1 }
}
role B single {
  var got: nat = 0
  receive Ask { got += 1  send Answer to A }
}
safety good: B.got <= A.asked
safety good2: A.answered <= B.got
safety good3: A.answered <= A.asked
deadlock ok
instance i { asked in 0..2  answered in 0..3  got in 0..3 }
)"},
                                         Case{"CoinsOfTwo", R"(message Coin at most once
role Left single {
  var coins: nat = 2
  step pay when coins > 0 { coins -= 1  send Coin to Right }
  receive Coin { coins += 1 }
}
role Right single {
  var coins: nat = 2
  step pay when coins > 0 { coins -= 1  send Coin to Left }
  receive Coin { coins += 1 }
}
safety good: Left.coins <= 4
safety good2: Left.coins + Right.coins <= 4
deadlock ok
instance i { coins in 0..5  copies = 4 }
)"},
                                         Case{"Jobs", R"(type K
message Do(k: K) at most once
role S single {
  var given: set<K> = {}
  step give(k: K, w: W) when k not in given { given += k  send Do(k) to w }
}
role W {
  var done: K -> nat = k => 0
  receive Do(k) { done[k] += 1 }
}
safety good: forall w: W, k: K :: w.done[k] <= 1
deadlock ok
instance i { W = 2  K = 1  done in 0..3 }
)"},
                                         Case{"LockOfTwoKindsOfClients", R"(message Grant at most once
message Back at most once
role Server single {
  var free: bool = true
  step to_a(c: A) when free { free = false  send Grant to c }
  step to_b(c: B) when free { free = false  send Grant to c }
  receive Back { free = true }
}
role A {
  var has: bool = false
  receive Grant { has = true }
  step release when has { has = false  send Back to Server }
}
role B {
  var has: bool = false
  receive Grant { has = true }
  step release when has { has = false  send Back to Server }
}
safety good: forall a: A, b: B :: not (a.has and b.has)
deadlock ok
instance i { A = 1  B = 1 }
)"}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace tenet::campaign
