// The writer through its C interface, read back: contents, crash, fork, threads, limits.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <set>
#include <thread>

#include "tenet/training/trace_source.h"
#include "trace_script.h"

namespace tenet::training {
namespace {

using namespace testing;

std::vector<Record> read_all(RecordSource& source, std::vector<std::vector<std::uint64_t>>* values = nullptr) {
  std::vector<Record> out;
  while (const Record* record = source.next()) {
    out.push_back(*record);
    if (values != nullptr) values->emplace_back(record->values.begin(), record->values.end());
  }
  return out;
}

TEST(TraceWriter, WhatIsWrittenIsRead) {
  const ScratchFolder folder;
  std::string path;
  {
    TraceScript t(folder / "run");
    path = t.path();
    t.step(3);
    t.enter("f", {{"arg.0", std::int64_t{-5}}, {"arg.x", 2.5}, {"arg.s", std::string("text")}, {"arg.n", None{}}});
    t.state("torch.nn.Parameter", "w", {{"data", Hash{0xFEEDFACECAFEBEEF}}, {"data.shape", Dims{"64,10"}}});
    t.exit({{"ret", true}});
    t.scalar("loop.loss", 0.25);
  }
  Vocabulary v;
  auto run = open_run(path, v);
  ASSERT_TRUE(run) << run.error().message;
  std::vector<std::vector<std::uint64_t>> values;
  const auto records = read_all(**run, &values);
  ASSERT_EQ(records.size(), 5U);
  EXPECT_EQ(records[0].kind, RecordKind::context);
  EXPECT_EQ(v.text(records[0].name), "step");
  EXPECT_EQ(values[0], std::vector<std::uint64_t>{3});
  EXPECT_EQ(records[1].kind, RecordKind::enter);
  EXPECT_EQ(v.text(records[1].name), "f");
  ASSERT_EQ(values[1].size(), 4U);
  EXPECT_EQ(static_cast<std::int64_t>(values[1][0]), -5);
  EXPECT_EQ(std::bit_cast<double>(values[1][1]), 2.5);
  EXPECT_EQ(v.text(static_cast<Symbol>(values[1][2])), "text");
  EXPECT_EQ(records[1].layout->types[3], ValueType::none);
  EXPECT_EQ(records[2].kind, RecordKind::state);
  EXPECT_EQ(v.text(records[2].variable_type), "torch.nn.Parameter");
  EXPECT_EQ(values[2][0], 0xFEEDFACECAFEBEEF);
  EXPECT_EQ(v.text(static_cast<Symbol>(values[2][1])), "64,10");
  EXPECT_EQ(records[3].kind, RecordKind::exit);
  EXPECT_EQ(records[3].call, records[1].call);
  EXPECT_EQ(records[4].kind, RecordKind::scalar);
  EXPECT_TRUE((*run)->report().problems.empty());
  EXPECT_FALSE(std::filesystem::exists(path + ".tail"));
}

TEST(TraceWriter, ManyBlocksKeepTheOrderAndStaySmall) {
  const ScratchFolder folder;
  constexpr int kCalls = 60'000;
  std::string path;
  {
    TraceScript t(folder / "run");
    path = t.path();
    for (int i = 0; i < kCalls; ++i) {
      t.call("torch.nn.Linear.forward",
             {{"arg.0.shape", Dims{"64," + std::to_string(i % 7)}}, {"arg.i", std::int64_t{i}}},
             {{"ret", Hash{static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U}}});
    }
    tenet_trace_statistics s{sizeof s, 0, 0, 0, 0, 0};
    ASSERT_EQ(tenet_trace_get_statistics(t.raw(), &s), 0);
    EXPECT_GT(s.blocks, 0U);
    EXPECT_EQ(s.records, 2U * kCalls);
  }
  Vocabulary v;
  auto run = open_run(path, v);
  ASSERT_TRUE(run);
  std::int64_t next = 0;
  const Symbol key = v.intern("arg.i");
  while (const Record* record = (*run)->next()) {
    Value value;
    if (record->kind != RecordKind::enter || !record->get(key, value)) continue;
    EXPECT_EQ(value.integer(), next++);
  }
  EXPECT_EQ(next, kCalls);
  EXPECT_LT(static_cast<double>((*run)->report().bytes) / (2.0 * kCalls), 60.0);
}

TEST(TraceWriter, SurvivesKillNine) {
  const ScratchFolder folder;
  constexpr int kCalls = 50'000;  // some blocks, and a tail
  const pid_t child = ::fork();
  if (child == 0) {
    tenet_trace* t = tenet_trace_open((folder / "run").c_str(), nullptr);
    const std::uint32_t f = tenet_trace_string(t, "f", 1);
    for (int i = 0; i < kCalls; ++i) tenet_trace_exit(t, tenet_trace_enter(t, f, 0, nullptr, 0), 0, nullptr, 0);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  Vocabulary v;
  auto run = open_run(folder.path(), v);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(read_all(**run).size(), 2U * kCalls);
  EXPECT_EQ((*run)->report().lost, 0U);
  EXPECT_EQ((*run)->report().unclosed, 1U);
}

TEST(TraceWriter, AChildContinuesInItsOwnFile) {
  const ScratchFolder folder;
  {
    TraceScript t(folder / "run");
    t.context("rank", std::int64_t{2});
    t.call("parent");
    const pid_t child = ::fork();
    if (child == 0) {
      t.call("child");
      tenet_trace_close(t.raw());
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    t.call("parent");
  }
  Vocabulary v;
  auto run = open_run(folder.path(), v);
  ASSERT_TRUE(run);
  std::map<std::string, int> calls;
  std::map<std::uint16_t, int> ranks;
  while (const Record* record = (*run)->next()) {
    if (record->kind == RecordKind::enter) ++calls[std::string(v.text(record->name))];
    if (record->kind == RecordKind::context) ++ranks[record->process];
  }
  EXPECT_EQ((*run)->report().files, 2U);
  EXPECT_EQ(calls["parent"], 2);
  EXPECT_EQ(calls["child"], 1);
  EXPECT_EQ(ranks.size(), 2U) << "the context goes along";
}

TEST(TraceWriter, ThreadsShareAHandle) {
  const ScratchFolder folder;
  constexpr int kThreads = 4;
  constexpr int kCalls = 5000;
  {
    TraceScript t(folder / "run");
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&t, i] {
        const std::string name = "f" + std::to_string(i);
        for (int call = 0; call < kCalls; ++call) {
          const std::uint32_t id = tenet_trace_string(t.raw(), name.data(), name.size());
          tenet_trace_exit(t.raw(), tenet_trace_enter(t.raw(), id, 0, nullptr, 0), 0, nullptr, 0);
        }
      });
    }
    for (auto& thread : threads) thread.join();
  }
  Vocabulary v;
  auto run = open_run(folder.path(), v);
  ASSERT_TRUE(run);
  std::map<std::uint16_t, std::set<Symbol>> names;
  std::size_t records = 0;
  while (const Record* record = (*run)->next()) {
    ++records;
    if (record->kind == RecordKind::enter) names[record->thread].insert(record->name);
  }
  EXPECT_EQ(records, 2U * kThreads * kCalls);
  EXPECT_EQ(names.size(), std::size_t{kThreads});
  for (const auto& [thread, used] : names) EXPECT_EQ(used.size(), 1U);
}

TEST(TraceWriter, MisuseIsAnsweredNotObeyed) {
  const ScratchFolder folder;
  TraceScript t(folder / "run");
  EXPECT_EQ(tenet_trace_exit(t.raw(), 0, 0, nullptr, 0), TENET_TRACE_EINVAL);
  EXPECT_EQ(tenet_trace_state(t.raw(), 99, 0, 0, nullptr, 0), TENET_TRACE_EINVAL);
  EXPECT_EQ(tenet_trace_enter(t.raw(), 0, 12, nullptr, 0), 0U) << "unknown layout";
  EXPECT_EQ(tenet_trace_flush(nullptr), TENET_TRACE_EINVAL);
  EXPECT_EQ(tenet_trace_close(nullptr), TENET_TRACE_OK);
  EXPECT_EQ(tenet_trace_string(nullptr, "x", 1), 0U);
  EXPECT_EQ(tenet_trace_open("/nowhere/at/all", nullptr), nullptr);
  tenet_trace_count_dropped(t.raw(), 7);
  tenet_trace_statistics s{sizeof s, 0, 0, 0, 0, 0};
  ASSERT_EQ(tenet_trace_get_statistics(t.raw(), &s), 0);
  EXPECT_EQ(s.dropped, 9U);
  t.close();
  Vocabulary v;
  auto run = open_run(folder.path(), v);
  ASSERT_TRUE(run);
  EXPECT_TRUE(read_all(**run).empty());
  EXPECT_EQ((*run)->report().dropped, 9U);
}

}  // namespace
}  // namespace tenet::training
