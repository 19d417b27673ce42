// From healthy runs to findings on a broken one, end to end.
#include "tenet/training/infer.h"

#include <algorithm>
#include <tuple>

#include "tenet/training/check.h"
#include "tenet/training/trace_source.h"
#include "tenet/training/trace_tools.h"
#include "toy_job.h"

namespace tenet::training {
namespace {

using namespace testing;

std::string record(const ScratchFolder& folder, const std::string& name, const ToyJob& job) {
  std::filesystem::create_directory(folder / name);
  TraceScript t(folder / (name + "/run"));
  job.run(t);
  return folder / name;
}

std::vector<std::string> healthy(const ScratchFolder& folder, int runs) {
  std::vector<std::string> out;
  for (int i = 0; i < runs; ++i) {
    ToyJob job;
    job.seed = static_cast<std::uint64_t>(i + 1);
    job.steps = 20 + 3 * i;
    out.push_back(record(folder, "healthy" + std::to_string(i), job));
  }
  return out;
}

Conclusion learn(const std::vector<std::string>& runs, const InferOptions& options = {}) {
  auto evidence = collect_evidence(runs, options);
  EXPECT_TRUE(evidence) << (evidence ? "" : evidence.error().message);
  return evidence ? conclude(*evidence, options) : Conclusion{};
}

bool has(const Conclusion& conclusion, std::string_view text) {
  return std::ranges::any_of(conclusion.invariants.invariants,
                             [&](const Invariant& i) { return i.text().find(text) != std::string::npos; });
}

TEST(Infer, FindsWhatMatters) {
  const ScratchFolder folder;
  const Conclusion c = learn(healthy(folder, 2));
  EXPECT_TRUE(has(c, "Optimizer.zero_grad is called before every call of torch.Tensor.backward"));
  EXPECT_TRUE(has(
      c, "after every call of torch.optim.Optimizer.step the data of each torch.nn.Parameter seen in it has changed"));
  EXPECT_TRUE(has(
      c, "after every call of torch.optim.Optimizer.zero_grad the grad of each torch.nn.Parameter seen in it is none"));
  EXPECT_TRUE(has(c, "data of variables of type torch.nn.Parameter does not change, "));
  EXPECT_TRUE(has(c, "arg.x.shape[0] and ret.shape[0]"));
}

TEST(Infer, ErrorsAreFoundAtTheirStepAndHealthyRunsAreSilent) {
  const ScratchFolder folder;
  const Conclusion c = learn(healthy(folder, 2));
  ToyJob other;
  other.seed = 77;
  other.steps = 31;
  auto silent = check_run(record(folder, "other", other), c.invariants, {});
  ASSERT_TRUE(silent);
  EXPECT_TRUE(silent->violations.empty()) << silent->violations[0].message;
  EXPECT_GT(silent->triggered, 5U);

  ToyJob broken = other;
  broken.zero_grad_until = 9;
  auto result = check_run(record(folder, "broken", broken), c.invariants, {});
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->groups.empty());
  EXPECT_EQ(result->groups[0].step, 9);
  EXPECT_NE(result->groups[0].title.find("zero_grad"), std::string::npos) << result->groups[0].title;
}

TEST(Infer, ReplicasThatDriftApart) {
  const ScratchFolder folder;
  const auto two_ranks = [&](const std::string& name, std::uint64_t seed, int sync_until) {
    std::filesystem::create_directory(folder / name);
    for (const int rank : {0, 1}) {
      TraceScript t(folder / (name + "/rank" + std::to_string(rank)));
      ToyJob job;
      job.seed = seed;
      job.rank = rank;
      job.sync_until = sync_until;
      job.run(t);
    }
    return folder / name;
  };
  const Conclusion c = learn({two_ranks("a", 1, 1000), two_ranks("b", 2, 1000)});
  EXPECT_TRUE(has(c, "data of variables of type torch.nn.Parameter is the same on every process"));
  auto result = check_run(two_ranks("c", 3, 7), c.invariants, {});
  ASSERT_TRUE(result);
  ASSERT_FALSE(result->groups.empty());
  EXPECT_NE(result->groups[0].title.find("ranks"), std::string::npos) << result->groups[0].title;
}

TEST(Infer, IsDeterministicWhateverTheOrderAndTheThreads) {
  const ScratchFolder folder;
  const auto runs = healthy(folder, 3);
  InferOptions one;
  one.threads = 1;
  InferOptions many;
  many.threads = 3;
  const std::string expected = print_invariants(learn(runs, one).invariants);
  EXPECT_EQ(print_invariants(learn(runs, many).invariants), expected);
  EXPECT_EQ(print_invariants(learn({runs[2], runs[0], runs[1]}, many).invariants), expected);
}

TEST(Infer, ShardsMergeToTheSame) {
  const ScratchFolder folder;
  const auto runs = healthy(folder, 3);
  EvidenceSet merged;
  for (const std::string& run : runs) {
    auto part = collect_evidence({run}, {});
    ASSERT_TRUE(part);
    auto back = parse_evidence(print_evidence(*part));
    ASSERT_TRUE(back) << back.error().message;
    merged = merge(std::move(merged), *back);
  }
  EXPECT_EQ(print_invariants(conclude(merged, {}).invariants), print_invariants(learn(runs).invariants));
}

TEST(Infer, ShardsOfDifferentProgramsMergeToTheSameInTwoRounds) {
  const ScratchFolder folder;
  auto runs = healthy(folder, 2);
  ToyJob other;
  other.dtype = "torch.bfloat16";
  other.zero_grad_until = 0;
  runs.push_back(record(folder, "other", other));
  InferOptions options;
  for (const std::string& run : runs) {
    auto first = collect_evidence({run}, {});
    ASSERT_TRUE(first);
    for (const Hypothesis& hypothesis : first->hypotheses) options.others.push_back(hypothesis.claim);
  }
  EvidenceSet merged;
  for (const std::string& run : runs) {
    auto second = collect_evidence({run}, options);
    ASSERT_TRUE(second);
    auto back = parse_evidence(print_evidence(*second));
    ASSERT_TRUE(back) << back.error().message;
    merged = merge(std::move(merged), *back);
  }
  EXPECT_EQ(print_invariants(conclude(merged, {}).invariants), print_invariants(learn(runs).invariants));
  // What only others have proposed is not concluded from a shard alone.
  auto alone = collect_evidence({runs[2]}, options);
  ASSERT_TRUE(alone);
  EXPECT_EQ(print_invariants(conclude(*alone, {}).invariants), print_invariants(learn({runs[2]}).invariants));
}

TEST(Infer, WhatOneRunContradictsIsDropped) {
  const ScratchFolder folder;
  auto runs = healthy(folder, 2);
  ToyJob half;
  half.dtype = "torch.bfloat16";
  const Conclusion before = learn(runs);
  runs.push_back(record(folder, "half", half));
  const Conclusion after = learn(runs);
  EXPECT_TRUE(has(before, "data.dtype of variables of type torch.nn.Parameter is torch.float32"));
  EXPECT_FALSE(has(after, "data.dtype of variables of type torch.nn.Parameter is torch.float32"));
}

// Runs of so many programs, one each, which are alike.
std::vector<std::string> one_of_each(const ScratchFolder& folder, int programs) {
  std::vector<std::string> out;
  for (int i = 0; i < programs; ++i) {
    ToyJob job;
    job.seed = static_cast<std::uint64_t>(i + 1);
    job.steps = 20 + 3 * i;
    job.program = "program" + std::to_string(i) + ".py";
    out.push_back(record(folder, "of" + std::to_string(i), job));
  }
  return out;
}

constexpr std::string_view kOrder = "Optimizer.zero_grad is called before every call of torch.Tensor.backward";
constexpr std::string_view kUpdate =
    "after every call of torch.optim.Optimizer.step the data of each torch.nn.Parameter seen in it has changed";

TEST(Infer, OfSeveralProgramsOnlyWhatTheyShareIsClaimed) {
  const ScratchFolder folder;
  const auto runs = one_of_each(folder, 4);
  const Conclusion shared = learn(runs);
  EXPECT_TRUE(has(shared, kUpdate));
  EXPECT_TRUE(has(shared, "in 4 runs of 4 programs"));
  EXPECT_FALSE(has(shared, kOrder));       // how four programs happen to be written
  EXPECT_FALSE(has(shared, "__main__."));  // means something else in each
  InferOptions options;
  options.min_habit_programs = 4;
  EXPECT_TRUE(has(learn(runs, options), kOrder));
  // The user may know better than the traces.
  options = {};
  options.programs = Programs::one;
  const Conclusion own = learn(runs, options);
  EXPECT_TRUE(has(own, kOrder));
  EXPECT_TRUE(has(own, "__main__.Net.forward"));
  EXPECT_FALSE(has(own, " programs)"));
  options.programs = Programs::each;
  EXPECT_FALSE(has(learn(healthy(folder, 4), options), kOrder));
}

TEST(Infer, ARunThatNamesNoProgramIsNoSignOfASecondOne) {
  const ScratchFolder folder;
  auto runs = healthy(folder, 1);
  runs.push_back(one_of_each(folder, 1)[0]);
  runs.push_back(folder / "missing");
  EXPECT_TRUE(has(learn(runs), kOrder));
}

TEST(Infer, AProgramIsCountedOnceHoweverManyRunsItHas) {
  const ScratchFolder folder;
  auto runs = one_of_each(folder, 5);
  ToyJob bfloat;
  bfloat.dtype = "torch.bfloat16";
  bfloat.program = "bfloat.py";
  for (int i = 0; i < 4; ++i) runs.push_back(record(folder, "bfloat" + std::to_string(i), bfloat));
  const Conclusion shared = learn(runs);
  EXPECT_TRUE(has(shared, kUpdate));
  EXPECT_FALSE(has(shared, "data.dtype of variables of type torch.nn.Parameter"));
}

TEST(Infer, EvidenceKnowsTheProgramOfEachRun) {
  const ScratchFolder folder;
  auto evidence = collect_evidence(one_of_each(folder, 2), {});
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->programs, (std::vector<std::string>{"program0.py", "program1.py"}));
  std::string text = print_evidence(*evidence);
  auto back = parse_evidence(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->programs, evidence->programs);
  // Of another number of programs than of runs.
  text.replace(text.find("\"program0.py\","), 14, "");
  EXPECT_FALSE(parse_evidence(text));
}

TEST(Infer, LoopLaws) {
  const ScratchFolder folder;
  std::vector<std::string> runs;
  int number = 0;
  for (const auto& [batches, accumulation, epochs] : {std::tuple{10, 4, 3}, std::tuple{9, 2, 2}, std::tuple{7, 3, 5}}) {
    const std::string name = "run" + std::to_string(number++);
    std::filesystem::create_directory(folder / name);
    TraceScript t(folder / (name + "/run"));
    t.scalar("loop.batches", std::int64_t{batches});
    t.scalar("loop.accumulation", std::int64_t{accumulation});
    t.scalar("loop.epochs", std::int64_t{epochs});
    t.scalar("loop.max_steps", std::int64_t{(batches + accumulation - 1) / accumulation * epochs});
    runs.push_back(folder / name);
  }
  EXPECT_TRUE(has(learn(runs), "loop.max_steps = ceil(loop.batches / loop.accumulation) * loop.epochs"));
}

TEST(Infer, LoopLawsAmongManyOtherQuantitiesAndNames) {
  const ScratchFolder folder;
  std::vector<std::string> runs;
  int number = 0;
  for (const auto& [batches, accumulation, epochs] : {std::tuple{10, 4, 3}, std::tuple{9, 2, 2}, std::tuple{7, 3, 5}}) {
    const std::string name = "run" + std::to_string(number++);
    std::filesystem::create_directory(folder / name);
    TraceScript t(folder / (name + "/run"));
    for (int i = 0; i < 60; ++i)
      t.scalar("loop.a" + std::to_string(i), std::int64_t{1000 + 37 * i * number * number + i * number});
    const std::int64_t steps = std::int64_t{(batches + accumulation - 1) / accumulation} * epochs;
    t.scalar("loop.batches", std::int64_t{batches});
    t.scalar("loop.accumulation", std::int64_t{accumulation});
    t.scalar("loop.epochs", std::int64_t{epochs});
    t.scalar("loop.max_steps", steps);
    t.scalar("loop.total_updates", steps);  // the same under another name
    runs.push_back(folder / name);
  }
  EXPECT_TRUE(has(learn(runs), "loop.max_steps = ceil(loop.batches / loop.accumulation) * loop.epochs"));
}

TEST(Infer, SizesThatVaryFromRunToRun) {
  const ScratchFolder folder;
  const auto run = [&](const std::string& name, const std::string& size) {
    std::filesystem::create_directory(folder / name);
    TraceScript t(folder / (name + "/run"));
    for (int step = 0; step < 6; ++step) {
      t.step(step);
      t.call("__main__.Processor.forward", {{"arg.x.shape", Dims{size + ",3"}}}, {{"ret.shape", Dims{size + ",7"}}});
      t.call("__main__.Fixed.forward", {{"arg.x.shape", Dims{"5,3"}}}, {{"ret.shape", Dims{"5,7"}}});
    }
    return folder / name;
  };
  const Conclusion c = learn({run("a", "8"), run("b", "12")});
  EXPECT_TRUE(has(c, "arg.x.shape[0] and ret.shape[0] of __main__.Processor.forward are equal"));
  EXPECT_FALSE(has(c, "arg.x.shape[0] and ret.shape[0] of __main__.Fixed.forward"));
  auto again = parse_invariants(print_invariants(c.invariants));
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->problems.empty()) << again->problems.front();
}

TEST(Infer, LimitsOfTheLoop) {
  const ScratchFolder folder;
  const auto run = [&](const std::string& name, std::int64_t length) {
    std::filesystem::create_directory(folder / name);
    TraceScript t(folder / (name + "/run"));
    for (int step = 0; step < 6; ++step) {
      t.step(step);
      if (step != 2) continue;
      t.scalar("loop.max_new_tokens", std::int64_t{6});
      t.scalar("loop.response_length", length);
    }
    return folder / name;
  };
  const Conclusion c = learn({run("a", 6), run("b", 5)});
  EXPECT_TRUE(has(c, "loop.response_length is at most loop.max_new_tokens"));
  auto again = parse_invariants(print_invariants(c.invariants));
  ASSERT_TRUE(again);
  auto result = check_run(run("c", 11), *again, {});
  ASSERT_TRUE(result);
  ASSERT_EQ(result->violations.size(), 1U);
  EXPECT_EQ(result->violations[0].step, 2);
}

TEST(Infer, OrderIsMissedBeforeTraining) {
  const ScratchFolder folder;
  const auto run = [&](const std::string& name, bool early) {
    std::filesystem::create_directory(folder / name);
    TraceScript t(folder / (name + "/run"));
    t.stage("init");
    if (early) t.call("torch.nn.modules.module.Module.eval", {}, {});
    for (int step = 0; step < 6; ++step) {
      t.step(step);
      t.stage("training");
      t.call("torch.optim.sgd.SGD.step", {}, {});
      t.call("torch.nn.modules.module.Module.eval", {}, {});
    }
    return folder / name;
  };
  const Conclusion c = learn({run("a", false), run("b", false)});
  auto result = check_run(run("c", true), c.invariants, {});
  ASSERT_TRUE(result);
  EXPECT_TRUE(std::ranges::any_of(result->violations, [](const Violation& v) {
    return v.message.find("no call of torch.optim.Optimizer.step came before it") != std::string::npos;
  }));
}

TEST(Infer, UnreadableRunsAreNamedAndTheRestIsUsed) {
  const ScratchFolder folder;
  auto runs = healthy(folder, 1);
  runs.push_back(folder / "missing");
  std::filesystem::create_directory(folder / "empty");
  {
    TraceScript t(folder / "empty/run");
  }
  runs.push_back(folder / "empty");
  auto evidence = collect_evidence(runs, {});
  ASSERT_TRUE(evidence);
  EXPECT_EQ(evidence->problems.size(), 2U);
  EXPECT_FALSE(collect_evidence({folder / "missing"}, {}));
  EXPECT_FALSE(collect_evidence({}, {}));
}

TEST(Infer, TheShippedTraceInBothFormatsGivesTheSame) {
  const ScratchFolder folder;
  const std::string sample = unpack_sample(folder);
  Vocabulary v;
  auto run = open_run(sample, v);
  ASSERT_TRUE(run);
  auto done = convert(**run, v, folder / "binary");
  ASSERT_TRUE(done);
  const Conclusion from_json = learn({sample});
  EXPECT_EQ(print_invariants(from_json.invariants), print_invariants(learn(done->files).invariants));
  EXPECT_TRUE(has(from_json, "zero_grad is called before every call of torch._tensor.Tensor.backward"));
  auto again = check_run(sample, from_json.invariants, {});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->violations.empty());
}

TEST(Infer, IdentitiesAndTimesAreNeverConditions) {
  const ScratchFolder folder;
  for (const Invariant& i : learn({unpack_sample(folder)}).invariants.invariants) {
    for (const Conjunction& conjunction : i.when.any_of) {
      for (const Condition& condition : conjunction) {
        for (const Constant& value : condition.values) {
          EXPECT_TRUE(value.type == ValueType::boolean || value.type == ValueType::text) << i.text();
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenet::training
