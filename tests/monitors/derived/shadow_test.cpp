#include "tenet/derived/shadow.h"

#include <gtest/gtest.h>

#include <memory>

namespace tenet::derived {
namespace {

enum Op : std::uint16_t {
  kOpen,
  kPut,
  kDelete,
  kGet,
  kSnapshot,
  kRelease,
  kNewCursor,
  kSeek,
  kNext,
  kAdd,
  kCount,
  kPush,
  kPop
};

Schema schema() {
  Schema s;
  s.system = "test";
  s.roles = {"key", "value", "at", "handle", "cursor", "valid", "scope", "fresh", "sync"};
  s.outcomes = {"ok", "not_found", "error"};
  s.ops = {{"Open", OpKind::open, {kScope, kFresh}, {}, true, 0},
           {"Put", OpKind::mutate, {kKey, kValue, kFirstNamed}, {}, true, 0},
           {"Delete", OpKind::mutate, {kKey}, {}, true, 0},
           {"Get", OpKind::query, {kKey, kAt}, {kValue}, true, 0},
           {"Snapshot", OpKind::handle, {}, {kHandle}, false, 0},
           {"Release", OpKind::release, {kHandle}, {}, false, 0},
           {"NewCursor", OpKind::cursor, {kAt}, {kCursor}, false, 0},
           {"Seek", OpKind::position, {kKey, kCursor}, {kValid, kKey, kValue}, false, 0},
           {"Next", OpKind::position, {kCursor}, {kValid, kKey, kValue}, false, 0},
           {"Add", OpKind::mutate, {kKey, kValue}, {}, false, 1},
           {"Count", OpKind::query, {kKey}, {kValue}, false, 1},
           {"Push", OpKind::mutate, {kValue}, {}, false, 2},
           {"Pop", OpKind::update, {}, {kValue}, false, 2}};
  return s;
}

class ShadowTest : public testing::Test {
 protected:
  /// One after the other, unless an interval is given.
  Operation make(Op op, std::vector<FieldValue> fields) {
    Operation operation;
    operation.op = op;
    operation.self = 7;
    operation.start = ++now_;
    operation.end = ++now_;
    operation.effect = kApplied;
    operation.fields = std::move(fields);
    return operation;
  }
  static FieldValue in(std::uint8_t role, const std::string& bytes) { return {role, false, bytes_value(bytes)}; }
  static FieldValue out(std::uint8_t role, const std::string& bytes) { return {role, true, bytes_value(bytes)}; }
  static FieldValue in(std::uint8_t role, std::int64_t number) { return {role, false, number_value(number)}; }
  static FieldValue out(std::uint8_t role, std::int64_t number) { return {role, true, number_value(number)}; }

  Operation open(bool fresh = true) { return make(kOpen, {in(kScope, "db"), in(kFresh, fresh ? 1 : 0)}); }
  Operation put(const std::string& key, const std::string& value) {
    return make(kPut, {in(kKey, key), in(kValue, value)});
  }
  Operation get(const std::string& key, const std::string& value, std::int64_t at = 0) {
    return make(kGet, {in(kKey, key), in(kAt, at), out(kValue, value)});
  }
  Operation missing(const std::string& key, std::int64_t at = 0) {
    Operation operation = make(kGet, {in(kKey, key), in(kAt, at)});
    operation.outcome = 1;
    return operation;
  }
  static Operation during(Operation operation, std::uint64_t start, std::uint64_t end) {
    operation.start = start;
    operation.end = end;
    return operation;
  }

  static Checker after(Op change, Op reader, std::vector<Expected> then) {
    Checker checker;
    checker.op = reader;
    checker.given.change = change;
    checker.then = std::move(then);
    return checker;
  }
  static Expected outcome(std::uint8_t which) {
    Expected expected;
    expected.constant = number_value(which);
    return expected;
  }
  static Expected its(std::uint8_t field) {
    Expected expected;
    expected.field = field;
    expected.kind = Expected::Kind::of_change;
    expected.role = field;
    return expected;
  }
  Checker reads_last() const { return after(kPut, kGet, {outcome(0), its(kValue)}); }

  /// What a checker says of each operation that reads, in order.
  std::vector<Answer> judge(const Checker& checker, std::vector<Operation> operations, std::uint64_t mark = 1u << 30) {
    for (Operation& operation : operations) shadow_->add(std::move(operation));
    std::vector<Answer> answers;
    shadow_->advance(mark,
                     [&](const Operation& operation) { answers.push_back(shadow_->judge(checker, operation).answer); });
    return answers;
  }
  using Answers = std::vector<Answer>;

  const Schema schema_ = schema();
  std::unique_ptr<Shadow> shadow_ = std::make_unique<Shadow>(schema_);
  std::uint64_t now_ = 0;
};

TEST_F(ShadowTest, LastWriteIsRead) {
  EXPECT_EQ(judge(reads_last(), {open(), put("a", "1"), get("a", "1"), put("b", "2"), put("a", "3"), get("a", "3"),
                                 get("a", "1"), missing("a"), get("c", "9")}),
            (Answers{Answer::passed, Answer::passed, Answer::violated, Answer::violated, Answer::not_concerned}));
}

TEST_F(ShadowTest, OverlappingOperationsAreNeverJudged) {
  const Operation begin = open();
  // The read overlaps the second write: either value is right.
  EXPECT_EQ(judge(reads_last(),
                  {begin, during(put("a", "1"), 10, 11), during(put("a", "2"), 20, 30), during(get("a", "1"), 25, 26),
                   during(get("a", "2"), 27, 31), during(get("a", "2"), 40, 41)}),
            (Answers{Answer::ambiguous, Answer::ambiguous, Answer::passed}));
}

TEST_F(ShadowTest, AfterOverlappingWritesAKeyIsUnclearUntilItIsWrittenAlone) {
  EXPECT_EQ(judge(reads_last(),
                  {open(), during(put("a", "1"), 10, 20), during(put("a", "2"), 15, 25), during(get("a", "1"), 30, 31),
                   during(put("a", "3"), 40, 41), during(get("a", "3"), 50, 51)}),
            (Answers{Answer::ambiguous, Answer::passed}));
}

TEST_F(ShadowTest, AFailedWritePerhapsHappened) {
  Operation failed = put("a", "2");
  failed.outcome = 2;
  failed.effect = kPerhapsApplied;
  Operation refused = put("a", "5");
  refused.effect = kNoEffect;
  EXPECT_EQ(judge(reads_last(), {during(open(), 1, 2), during(put("a", "1"), 3, 4), during(refused, 5, 6),
                                 during(get("a", "1"), 7, 8), during(failed, 9, 10), during(get("a", "1"), 11, 12),
                                 during(get("a", "2"), 13, 14)}),
            (Answers{Answer::passed, Answer::ambiguous, Answer::ambiguous}));
}

TEST_F(ShadowTest, WhatNoPossiblePastExplainsIsWrong) {
  const Checker deleted = after(kDelete, kGet, {outcome(1)});
  const Operation begin = open();
  const auto remove = [&] { return make(kDelete, {in(kKey, "a")}); };
  const auto perhaps = [](Operation operation) {
    operation.effect = kPerhapsApplied;
    return operation;
  };
  using Wrong = std::vector<int>;  // the checker that is contradicted; -1: none
  const auto wrong = [&](const std::vector<Checker>& checkers, std::vector<Operation> operations) {
    Shadow shadow(schema_);
    shadow.add(begin);
    for (Operation& operation : operations) shadow.add(std::move(operation));
    Wrong all;
    shadow.advance(1u << 30, [&](const Operation& operation) {
      const auto found = shadow.contradicts_every_past(checkers, operation);
      all.push_back(found.has_value() ? static_cast<int>(found->checker) : -1);
    });
    return all;
  };
  // The read overlaps the second write, which is told after it.
  EXPECT_EQ(wrong({reads_last()},
                  {during(put("a", "1"), 10, 11), during(put("a", "2"), 20, 40), during(get("a", "1"), 25, 26),
                   during(get("a", "2"), 27, 28), during(get("a", "3"), 29, 30), during(missing("a"), 31, 32)}),
            (Wrong{-1, -1, 0, 0}));
  // Two writes overlap one another; what was before both is over.
  EXPECT_EQ(wrong({reads_last()},
                  {during(put("a", "0"), 5, 6), during(put("a", "1"), 10, 20), during(put("a", "2"), 15, 25),
                   during(get("a", "1"), 30, 31), during(get("a", "2"), 32, 33), during(get("a", "0"), 34, 35)}),
            (Wrong{-1, -1, 0}));
  // A write that failed may have happened, or not.
  EXPECT_EQ(wrong({reads_last()},
                  {during(put("a", "1"), 10, 11), during(perhaps(put("a", "2")), 20, 21), during(get("a", "1"), 30, 31),
                   during(get("a", "2"), 32, 33), during(get("a", "3"), 34, 35)}),
            (Wrong{-1, -1, 0}));
  // Of a past that no checker is about, nothing is known to be wrong.
  const auto over_a_deletion = [&] {
    return std::vector<Operation>{during(remove(), 10, 11), during(put("a", "2"), 20, 40),
                                  during(get("a", "3"), 25, 26)};
  };
  EXPECT_EQ(wrong({reads_last()}, over_a_deletion()), Wrong{-1});
  EXPECT_EQ(wrong({deleted, reads_last()}, over_a_deletion()), Wrong{1});
  // Nor where the key may never have been written.
  Checker nothing = deleted;
  nothing.given.change = Given::kNothing;
  const auto first = [&] {
    return std::vector<Operation>{during(put("a", "2"), 20, 40), during(get("a", "3"), 25, 26)};
  };
  EXPECT_EQ(wrong({reads_last()}, first()), Wrong{-1});
  EXPECT_EQ(wrong({reads_last(), nothing}, first()), Wrong{0});
}

TEST_F(ShadowTest, NothingIsKnownOfAStoreThatWasThereBefore) {
  Checker nothing = after(kPut, kGet, {outcome(1)});
  nothing.given.change = Given::kNothing;
  EXPECT_EQ(judge(nothing, {open(false), missing("a"), get("b", "1")}), (Answers{Answer::unknown, Answer::unknown}));
  shadow_ = std::make_unique<Shadow>(schema_);
  EXPECT_EQ(judge(nothing, {open(true), missing("a"), get("b", "1")}), (Answers{Answer::passed, Answer::violated}));
}

TEST_F(ShadowTest, AHandleSeesTheStateOfItsMaking) {
  Checker checker = reads_last();
  checker.given.as_of = true;
  EXPECT_EQ(
      judge(checker, {open(), put("a", "1"), make(kSnapshot, {out(kHandle, 99)}), put("a", "2"), put("a", "3"),
                      get("a", "1", 99), get("a", "2", 99), make(kRelease, {in(kHandle, 99)}), get("a", "1", 99)}),
      (Answers{Answer::passed, Answer::violated, Answer::unknown}));
}

TEST_F(ShadowTest, ReopeningIsACaseOfItsOwn) {
  Checker again = reads_last();
  again.given.reopened = true;
  EXPECT_EQ(judge(again, {open(), put("a", "1"), get("a", "1"), open(false), get("a", "1"), missing("a"), put("a", "2"),
                          get("a", "2")}),
            (Answers{Answer::not_concerned, Answer::passed, Answer::violated, Answer::not_concerned}));
}

TEST_F(ShadowTest, AConditionSilences) {
  Checker checker = reads_last();
  checker.unless.push_back({kFirstNamed, number_value(0)});
  Operation lazy = put("a", "1");
  lazy.fields.push_back(in(kFirstNamed, 0));
  EXPECT_EQ(judge(checker, {during(open(), 1, 2), during(lazy, 3, 4), during(missing("a"), 5, 6),
                            during(put("a", "2"), 7, 8), during(missing("a"), 9, 10)}),
            (Answers{Answer::not_concerned, Answer::violated}));
}

TEST_F(ShadowTest, LossMakesUnknownAndNeverWrong) {
  ASSERT_EQ(judge(reads_last(), {open(), put("a", "1"), get("a", "1")}), (Answers{Answer::passed}));
  shadow_->lose(0, ++now_);
  EXPECT_EQ(judge(reads_last(), {get("a", "2"), put("a", "3"), get("a", "3"), get("a", "4")}),
            (Answers{Answer::unknown, Answer::passed, Answer::violated}));
}

TEST_F(ShadowTest, AStoreThatWasOpenedBeforeALossIsNotWhole) {
  Checker nothing = after(kPut, kGet, {outcome(1)});
  nothing.given.change = Given::kNothing;
  shadow_->add(open());  // not yet handled when the loss is seen
  shadow_->lose(0, now_ += 10);
  EXPECT_EQ(judge(nothing, {get("a", "1")}), (Answers{Answer::unknown}));
  shadow_ = std::make_unique<Shadow>(schema_);
  const Operation late = open();  // told after the loss was seen
  shadow_->lose(0, now_ += 10);
  EXPECT_EQ(judge(nothing, {late, get("a", "1")}), (Answers{Answer::unknown}));
}

TEST_F(ShadowTest, WhatIsForgottenIsUnknown) {
  Shadow small(schema_, 20000);
  Checker nothing = after(kPut, kGet, {outcome(1)});
  nothing.given.change = Given::kNothing;
  small.add(open());
  for (int i = 0; i < 1000; ++i) small.add(put("k" + std::to_string(i), "v"));
  small.advance(1u << 30, [](const Operation&) {});
  EXPECT_GT(small.forgotten(), 0u);
  EXPECT_LE(small.memory(), 20000u);
  std::size_t passed = 0, unknown = 0;
  for (int i = 0; i < 1000; ++i) small.add(get("k" + std::to_string(i), "v"));
  small.add(missing("other"));
  small.advance(1u << 30, [&](const Operation& operation) {
    for (const Checker& checker : {reads_last(), nothing}) {
      const Answer answer = small.judge(checker, operation).answer;
      EXPECT_NE(answer, Answer::violated);
      passed += answer == Answer::passed ? 1 : 0;
      unknown += answer == Answer::unknown ? 1 : 0;
    }
  });
  EXPECT_GT(passed, 0u);
  EXPECT_GT(unknown, 900u);
}

TEST_F(ShadowTest, OnlyWhatEndedBeforeTheMarkIsHandled) {
  for (Operation& operation :
       std::vector<Operation>{during(open(), 1, 2), during(put("a", "1"), 3, 4), during(get("a", "1"), 5, 20)}) {
    shadow_->add(std::move(operation));
  }
  EXPECT_EQ(judge(reads_last(), {}, 10), Answers{});
  // A write that was not yet published when the mark was taken, and began within the read.
  EXPECT_EQ(judge(reads_last(), {during(put("a", "2"), 12, 15)}, 30), (Answers{Answer::ambiguous}));
}

Checker walk(Op op, Near near) {
  Checker checker;
  checker.op = op;
  checker.given.view = View::order;
  checker.near = near;
  checker.live = {kPut};
  for (const std::uint8_t field : {kValid, kKey, kValue}) {
    Expected expected;
    expected.field = field;
    expected.kind = Expected::Kind::near;
    expected.role = field;
    checker.then.push_back(expected);
  }
  return checker;
}

class WalkTest : public ShadowTest {
 protected:
  Operation cursor() { return make(kNewCursor, {in(kAt, std::int64_t{0}), out(kCursor, 5)}); }
  Operation at(Op op, const std::string& target, const std::string& key, const std::string& value) {
    Operation operation = make(op, {in(kCursor, 5), out(kValid, key.empty() ? 0 : 1)});
    if (op == kSeek) operation.fields.push_back(in(kKey, target));
    if (!key.empty()) {
      operation.fields.push_back(out(kKey, key));
      operation.fields.push_back(out(kValue, value));
    }
    return operation;
  }
};

TEST_F(WalkTest, TheNextKeyInOrder) {
  const Checker next = walk(kNext, Near::after_current);
  const std::vector<Operation> before{
      open(),   put("a", "1"),      put("b", "2"),           put("c", "3"), make(kDelete, {in(kKey, "b")}),
      cursor(), put("bb", "later"), at(kSeek, "a", "a", "1")};
  const auto step = [&](const Operation& last) {
    shadow_ = std::make_unique<Shadow>(schema_);
    std::vector<Operation> all = before;
    all.push_back(last);
    return judge(next, all).back();
  };
  EXPECT_EQ(step(at(kNext, "", "c", "3")), Answer::passed);
  EXPECT_EQ(step(at(kNext, "", "b", "2")), Answer::violated);       // deleted
  EXPECT_EQ(step(at(kNext, "", "bb", "later")), Answer::violated);  // written after the cursor was made
  EXPECT_EQ(step(at(kNext, "", "c", "2")), Answer::violated);       // the value
  EXPECT_EQ(step(at(kNext, "", "", "")), Answer::violated);         // c is passed over
  EXPECT_EQ(step(at(kNext, "", "a", "1")), Answer::violated);       // backwards
}

TEST_F(WalkTest, SeekGoesToTheFirstKeyFromThere) {
  const Checker seek = walk(kSeek, Near::at_or_after_key);
  EXPECT_EQ(judge(seek, {open(), put("a", "1"), put("c", "3"), cursor(), at(kSeek, "a", "a", "1"),
                         at(kSeek, "b", "c", "3"), at(kSeek, "d", "", ""), at(kSeek, "a", "c", "3")}),
            (Answers{Answer::passed, Answer::passed, Answer::passed, Answer::violated}));
}

TEST_F(WalkTest, AKeyInDoubtIsNoAlarm) {
  const Checker next = walk(kNext, Near::after_current);
  // b is written while the cursor is made: it may be there or not.
  EXPECT_EQ(judge(next, {during(open(), 1, 2), during(put("a", "1"), 3, 4), during(put("c", "3"), 5, 6),
                         during(put("b", "2"), 7, 12), during(cursor(), 9, 10),
                         during(at(kSeek, "a", "a", "1"), 13, 14), during(at(kNext, "", "c", "3"), 15, 16)}),
            (Answers{Answer::not_concerned, Answer::passed}));
}

TEST_F(ShadowTest, SumsCountWhatOverlapsOnlyWhenItIsOver) {
  Checker checker;
  checker.op = kCount;
  checker.given.view = View::tally;
  checker.weights.assign(schema_.ops.size(), Weight::none);
  checker.weights[kAdd] = Weight::plus_value;
  Expected expected;
  expected.field = kValue;
  expected.kind = Expected::Kind::tally;
  checker.then = {expected};
  const auto add = [&](std::int64_t n) { return make(kAdd, {in(kKey, "c"), in(kValue, n)}); };
  const auto count = [&](std::int64_t n) { return make(kCount, {in(kKey, "c"), out(kValue, n)}); };
  EXPECT_EQ(judge(checker, {during(open(), 1, 2), during(add(2), 3, 9), during(add(3), 4, 8), during(count(5), 10, 11),
                            during(count(4), 12, 13), during(add(1), 14, 20), during(count(5), 15, 16),
                            during(count(6), 21, 22)}),
            (Answers{Answer::passed, Answer::violated, Answer::ambiguous, Answer::passed}));
}

TEST_F(ShadowTest, QueuesAreUnclearAfterOverlapUntilTheyAreEmpty) {
  Checker checker;
  checker.op = kPop;
  checker.given.view = View::queue;
  checker.given.pending = true;
  checker.then = {its(kValue)};
  const auto push = [&](const std::string& text) { return make(kPush, {in(kValue, text)}); };
  const auto pop = [&](const std::string& text) { return make(kPop, {out(kValue, text)}); };
  Operation empty = make(kPop, {});
  empty.effect = kNoEffect;
  EXPECT_EQ(
      judge(checker,
            {during(open(), 1, 2), during(push("a"), 3, 4), during(push("b"), 5, 6), during(pop("a"), 7, 8),
             during(pop("x"), 9, 10), during(push("c"), 20, 30), during(push("d"), 25, 35), during(pop("d"), 40, 41),
             during(pop("c"), 42, 43), during(empty, 44, 45), during(push("e"), 46, 47), during(pop("e"), 48, 49)}),
      (Answers{Answer::passed, Answer::violated, Answer::unknown, Answer::unknown, Answer::unknown, Answer::passed}));
}

}  // namespace
}  // namespace tenet::derived
