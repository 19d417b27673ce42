// Damaged and strange input: whatever can be read is read, and it is said what was not.
#include <algorithm>
#include <random>

#include "tenet/training/trace_follow.h"
#include "tenet/training/trace_source.h"
#include "tenet/training/trace_tools.h"
#include "toy_job.h"

namespace tenet::training {
namespace {

using namespace testing;

struct Files {
  std::vector<std::uint8_t> file;
  std::vector<std::uint8_t> tail;
  std::uint64_t records = 0;
};

// Two sealed blocks and a tail.
Files unfinished_trace() {
  const ScratchFolder folder;
  TraceScript t(folder / "run");
  ToyJob job;
  job.run(t);
  EXPECT_EQ(tenet_trace_flush(t.raw()), 0);
  job.run(t);
  EXPECT_EQ(tenet_trace_flush(t.raw()), 0);
  for (int i = 0; i < 10; ++i) t.call("tail");
  tenet_trace_statistics s{sizeof s, 0, 0, 0, 0, 0};
  EXPECT_EQ(tenet_trace_get_statistics(t.raw(), &s), 0);
  return {read_bytes(t.path()), read_bytes(t.path() + ".tail"), s.records};
}

std::uint64_t count(RecordSource& source) {
  std::uint64_t records = 0;
  while (source.next() != nullptr) ++records;
  return records;
}

TEST(TraceReader, TakesTheTail) {
  Files files = unfinished_trace();
  Vocabulary v;
  auto source = open_trace_bytes(files.file, files.tail, v);
  ASSERT_TRUE(source);
  EXPECT_EQ(count(**source), files.records);
  EXPECT_EQ((*source)->report().problems.size(), 1U);
}

TEST(TraceReader, ATornBlockIsStillInTheTail) {
  // A crash between writing a block and emptying the tail: cut the second block, use the tail of before it was sealed.
  const ScratchFolder folder;
  TraceScript t(folder / "run");
  ToyJob().run(t);
  ASSERT_EQ(tenet_trace_flush(t.raw()), 0);
  ToyJob().run(t);
  const auto tail_before = read_bytes(t.path() + ".tail");
  ASSERT_EQ(tenet_trace_flush(t.raw()), 0);
  auto file = read_bytes(t.path());
  file.resize(file.size() - 5);
  tenet_trace_statistics s{sizeof s, 0, 0, 0, 0, 0};
  ASSERT_EQ(tenet_trace_get_statistics(t.raw(), &s), 0);
  Vocabulary v;
  auto source = open_trace_bytes(file, tail_before, v);
  ASSERT_TRUE(source);
  EXPECT_EQ(count(**source), s.records);
  EXPECT_GT((*source)->report().torn_bytes, 0U);
}

TEST(TraceReader, EveryTruncationIsReadAsFarAsItGoes) {
  const Files files = unfinished_trace();
  std::uint64_t last = 0;
  for (std::size_t size = 0; size < files.file.size(); size += 7) {
    Vocabulary v;
    auto source = open_trace_bytes({files.file.begin(), files.file.begin() + static_cast<std::ptrdiff_t>(size)}, {}, v);
    if (size < 64) {
      EXPECT_FALSE(source);
      continue;
    }
    ASSERT_TRUE(source);
    const std::uint64_t records = count(**source);
    EXPECT_GE(records, last);
    EXPECT_FALSE((*source)->report().problems.empty());
    last = records;
  }
}

TEST(TraceReader, FlippedBitsAreNoticed) {
  const Files files = unfinished_trace();
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    auto file = files.file;
    file[64 + random() % (file.size() - 64)] ^= static_cast<std::uint8_t>(1U << random() % 8);
    Vocabulary v;
    auto source = open_trace_bytes(file, {}, v);
    ASSERT_TRUE(source);
    EXPECT_LT(count(**source), files.records);
    EXPECT_GT((*source)->report().torn_bytes, 0U);
  }
}

TEST(TraceReader, ADamagedTailNeverLeadsAstray) {
  const Files files = unfinished_trace();
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    auto tail = files.tail;
    tail.resize(8192);
    for (int i = 0; i < 4; ++i) tail[random() % tail.size()] = static_cast<std::uint8_t>(random());
    Vocabulary v;
    auto source = open_trace_bytes(files.file, tail, v);
    ASSERT_TRUE(source);
    EXPECT_LE(count(**source), files.records + 8192 / 32);
  }
}

TEST(TraceReader, SaysWhatItIsNot) {
  Vocabulary v;
  auto empty = open_trace_bytes({}, {}, v);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().kind, ErrorKind::bad_input);
  Files files = unfinished_trace();
  files.file[8] = 9;
  auto newer = open_trace_bytes(files.file, {}, v);
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().kind, ErrorKind::unsupported);
  EXPECT_NE(newer.error().message.find("version 9"), std::string::npos);
  EXPECT_FALSE(open_run("/no/such/folder", v));
  const ScratchFolder folder;
  auto nothing = open_run(folder.path(), v);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, ErrorKind::bad_input);
}

TEST(TraceReader, OneBadFileDoesNotSpoilTheRun) {
  const ScratchFolder folder;
  {
    TraceScript t(folder / "run");
    ToyJob().run(t);
  }
  std::ofstream(folder / "other.tnt") << "this is no trace";
  Vocabulary v;
  auto run = open_run(folder.path(), v);
  ASSERT_TRUE(run);
  EXPECT_GT(count(**run), 100U);
  ASSERT_EQ((*run)->report().problems.size(), 1U);
  EXPECT_NE((*run)->report().problems[0].find("other.tnt"), std::string::npos);
}

TEST(TraceFollower, SeesEachRecordOnceWhileItIsWritten) {
  const ScratchFolder folder;
  Vocabulary v;
  TraceFollower follower(folder.path(), v);
  std::vector<std::int64_t> seen;
  const Symbol key = v.intern("arg.i");
  const auto use = [&](const Record& record) {
    Value value;
    if (record.kind == RecordKind::enter && record.get(key, value)) seen.push_back(value.integer());
  };
  EXPECT_EQ(follower.poll(use), 0U);
  TraceScript t(folder / "run");
  std::mt19937 random(5);
  constexpr std::int64_t kCalls = 3000;
  for (std::int64_t i = 0; i < kCalls; ++i) {
    t.call("f" + std::to_string(i % 50), {{"arg.i", i}});
    if (random() % 20 == 0) follower.poll(use);
    if (random() % 50 == 0) {
      ASSERT_EQ(tenet_trace_flush(t.raw()), 0);
    }
  }
  follower.poll(use);
  EXPECT_FALSE(follower.finished());
  t.close();
  follower.poll(use);
  EXPECT_TRUE(follower.finished());
  ASSERT_EQ(seen.size(), static_cast<std::size_t>(kCalls));
  for (std::int64_t i = 0; i < kCalls; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST(TraceTools, PrintsAndSumsUp) {
  const ScratchFolder folder;
  {
    TraceScript t(folder / "run");
    ToyJob().run(t);
  }
  Vocabulary v;
  auto run = open_run(folder.path(), v);
  ASSERT_TRUE(run);
  std::string text;
  cat(**run, v, {.json = true, .limit = 3}, [&](std::string_view part) { text += part; });
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  auto again = open_run(folder.path(), v);
  ASSERT_TRUE(again);
  const TraceStatistics s = statistics(**again, v);
  EXPECT_EQ(s.first_step, 0);
  EXPECT_EQ(s.last_step, 19);
  EXPECT_EQ(s.functions.at("torch.optim.sgd.SGD.step"), 20U);
}

}  // namespace
}  // namespace tenet::training
