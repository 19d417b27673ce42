// Each relation on a trace where it holds and on one where it fails, at the right step.
#include "tenet/training/check.h"

#include <cmath>

#include "toy_job.h"

namespace tenet::training {
namespace {

using namespace testing;

CheckResult check(const std::string& folder, std::vector<Invariant> invariants) {
  InvariantSet set;
  set.invariants = std::move(invariants);
  auto result = check_run(folder, set, {});
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(*result) : CheckResult{};
}

// The result for one invariant on one script.
template <typename Script>
CheckResult run(const Invariant& invariant, Script script) {
  const ScratchFolder folder;
  {
    TraceScript t(folder / "run");
    script(t);
  }
  return check(folder.path(), {invariant});
}

Invariant make(Relation relation, std::string subject, std::string object = "") {
  Invariant i;
  i.relation = relation;
  i.subject = std::move(subject);
  i.object = std::move(object);
  return i;
}

Invariant on_variables(Relation relation, std::string type, std::string field) {
  Invariant i = make(relation, std::move(type));
  i.kind = SubjectKind::variable_type;
  i.field = std::move(field);
  return i;
}

void expect_first_failure(const CheckResult& result, std::int64_t step) {
  ASSERT_EQ(result.violations.size(), 1U);
  EXPECT_EQ(result.violations[0].step, step);
  EXPECT_EQ(exit_status(result), 1);
}

void expect_holds(const CheckResult& result) {
  EXPECT_TRUE(result.violations.empty()) << result.violations[0].message;
  EXPECT_EQ(exit_status(result), 0);
}

TEST(Checker, ContainsCall) {
  const auto script = [](bool broken) {
    return [broken](TraceScript& t) {
      for (int step = 0; step < 4; ++step) {
        t.step(step);
        t.enter("outer");
        t.enter("middle");
        if (!broken || step < 2) t.call("inner");
        t.exit();
        t.exit();
        t.call("inner");  // outside does not count
      }
    };
  };
  const Invariant i = make(Relation::contains_call, "outer", "inner");
  expect_holds(run(i, script(false)));
  expect_first_failure(run(i, script(true)), 2);
}

TEST(Checker, WhatAnOptimizerDoesIsJudgedOfItsOwnParameters) {
  Invariant i = make(Relation::each_change, "torch.optim.Optimizer.step", "torch.nn.Parameter");
  i.field = "data";
  i.mode = Mode::changes;
  const auto script = [](std::uint64_t owner_of_what_stays) {
    return [owner_of_what_stays](TraceScript& t) {
      for (int step = 0; step < 3; ++step) {
        t.step(step);
        t.enter("torch.optim.sgd.SGD.step", {{"self", Ref{1}}});
        t.state("torch.nn.Parameter", "a", {{"data", Hash{100U + static_cast<unsigned>(step)}}, {"optimizer", Ref{1}}});
        t.state("torch.nn.Parameter", "b", {{"data", Hash{7}}, {"optimizer", Ref{owner_of_what_stays}}});
        t.exit();
      }
    };
  };
  expect_holds(run(i, script(2)));
  expect_first_failure(run(i, script(1)), 1);
}

TEST(Checker, EachChange) {
  Invariant i = make(Relation::each_change, "torch.optim.Optimizer.step", "torch.nn.Parameter");
  i.field = "data";
  i.mode = Mode::changes;
  ToyJob job;
  expect_holds(run(i, [&](TraceScript& t) { job.run(t); }));
  job.step_works_until = 7;
  const CheckResult result = run(i, [&](TraceScript& t) { job.run(t); });
  expect_first_failure(result, 7);
  EXPECT_EQ(result.violations[0].variables.size(), 2U);
}

TEST(Checker, ContainsChangeIsUnknownWhereNobodyLooked) {
  Invariant i = make(Relation::contains_change, "f", "torch.nn.Parameter");
  i.field = "data";
  i.mode = Mode::changes;
  const CheckResult result = run(i, [](TraceScript& t) { t.call("f"); });
  EXPECT_EQ(result.triggered, 0U);
  EXPECT_EQ(exit_status(result), 2);
}

TEST(Checker, BeforeFindsAMissingZeroGradAtOnce) {
  const Invariant i = make(Relation::before, "torch.optim.Optimizer.zero_grad", "torch.Tensor.backward");
  ToyJob job;
  expect_holds(run(i, [&](TraceScript& t) { job.run(t); }));
  job.zero_grad_until = 5;
  expect_first_failure(run(i, [&](TraceScript& t) { job.run(t); }), 5);
}

TEST(Checker, WhatAJobNeverUsesIsNotMissing) {
  const auto script = [](bool loader) {
    return [loader](TraceScript& t) {
      for (int step = 0; step < 4; ++step) {
        t.step(step);
        if (loader && step == 0) t.call("torch.utils.data.DataLoader.__iter__");
        t.call("torch.Tensor.backward");
      }
    };
  };
  const Invariant i = make(Relation::before, "torch.utils.data.DataLoader.__iter__", "torch.Tensor.backward");
  EXPECT_EQ(run(i, script(false)).triggered, 0U);
  expect_first_failure(run(i, script(true)), 1);
}

TEST(Checker, After) {
  const Invariant i = make(Relation::after, "a", "b");
  const auto script = [](TraceScript& t) {
    for (int step = 0; step < 6; ++step) {
      t.step(step);
      t.call("a");
      if (step != 3) t.call("b");
    }
  };
  expect_first_failure(run(i, script), 3);
}

TEST(Checker, ConstantWithPrecondition) {
  Invariant i = make(Relation::constant, "dropout");
  i.field = "arg.training";
  i.value = Constant{ValueType::boolean, 0, {}};
  i.when.any_of = {{{"stage", {Constant{ValueType::text, 0, "evaluation"}}, 0}}};
  const auto script = [](bool broken) {
    return [broken](TraceScript& t) {
      t.stage("training");
      t.step(0);
      t.call("dropout", {{"arg.training", true}});
      t.stage("evaluation");
      t.call("dropout", {{"arg.training", broken}});
    };
  };
  expect_holds(run(i, script(false)));
  expect_first_failure(run(i, script(true)), 0);
}

TEST(Checker, EqualFieldsOfShapes) {
  Invariant i = make(Relation::equal_fields, "process");
  i.field = "arg.images.shape[0]";
  i.other_field = "ret.shape[0]";
  const auto script = [](const char* out) {
    return [out](TraceScript& t) {
      t.step(1);
      t.call("process", {{"arg.images.shape", Dims{"50,3,4,4"}}}, {{"ret.shape", Dims{out}}});
    };
  };
  expect_holds(run(i, script("50,7")));
  expect_first_failure(run(i, script("1,7")), 1);
}

TEST(Checker, OutputTypeUnderAutocast) {
  Invariant i = make(Relation::equal_fields, "relu");
  i.field = "ret.dtype";
  i.other_field = "context.autocast.dtype";
  const auto script = [](const char* dtype) {
    return [dtype](TraceScript& t) {
      t.call("relu", {}, {{"ret.dtype", std::string("torch.float32")}});  // outside autocast: nothing is claimed
      t.context("autocast.dtype", std::string("torch.bfloat16"));
      t.call("relu", {}, {{"ret.dtype", std::string(dtype)}});
    };
  };
  expect_holds(run(i, script("torch.bfloat16")));
  expect_first_failure(run(i, script("torch.float32")), -1);
}

TEST(Checker, DistinctWithinAStep) {
  const Invariant i = on_variables(Relation::distinct, "batch", "data");
  const auto script = [](bool broken) {
    return [broken](TraceScript& t) {
      for (int step = 0; step < 3; ++step) {
        t.step(step);
        t.state("batch", "loader", {{"data", Hash{10}}});  // the same as in the step before is no matter
        t.state("batch", "loader", {{"data", Hash{broken && step == 2 ? 10U : 11U}}});
      }
    };
  };
  expect_holds(run(i, script(false)));
  expect_first_failure(run(i, script(true)), 2);
}

TEST(Checker, SameOnRanks) {
  const Invariant i = on_variables(Relation::same_on_ranks, "torch.nn.Parameter", "data");
  const auto two_ranks = [&](int sync_until) {
    const ScratchFolder folder;
    for (const int rank : {0, 1}) {
      TraceScript t(folder / ("rank" + std::to_string(rank)));
      ToyJob job;
      job.rank = rank;
      job.sync_until = sync_until;
      job.run(t);
    }
    return check(folder.path(), {i});
  };
  expect_holds(two_ranks(1000));
  const CheckResult result = two_ranks(4);
  expect_first_failure(result, 4);  // the state after step 4 is version 5
  EXPECT_EQ(result.violations[0].rank + result.violations[0].other_rank, 1);
}

TEST(Checker, StableIncrementRatioAndRange) {
  const auto script = [](TraceScript& t) {
    for (int step = 0; step < 6; ++step) {
      t.step(step);
      t.state("s", "x",
              {{"fixed", Hash{step == 4 ? 9U : 1U}},
               {"count", std::int64_t{step < 3 ? step : step + 1}},
               {"norm", step == 5 ? 1e9 : 1.0}});
    }
  };
  expect_first_failure(run(on_variables(Relation::stable, "s", "fixed"), script), 4);
  Invariant increment = on_variables(Relation::increment, "s", "count");
  increment.low = increment.high = 1;
  expect_first_failure(run(increment, script), 3);
  Invariant ratio = on_variables(Relation::ratio, "s", "norm");
  ratio.low = 0.5;
  ratio.high = 2;
  expect_first_failure(run(ratio, script), 5);
  Invariant range = on_variables(Relation::range, "s", "norm");
  range.high = 10;
  expect_first_failure(run(range, script), 5);
}

TEST(Checker, NaNIsInNoRange) {
  Invariant range = on_variables(Relation::range, "s", "norm");
  range.high = 10;
  expect_first_failure(run(range,
                           [](TraceScript& t) {
                             t.step(1);
                             t.state("s", "x", {{"norm", std::nan("")}});
                           }),
                       1);
}

TEST(Checker, CheckpointMirrorsTheLiveVariables) {
  Invariant i = on_variables(Relation::mirrors, "checkpoint.saved", "data");
  i.object = "torch.nn.Parameter";
  i.other_field = "data";
  const auto script = [](std::uint64_t saved) {
    return [saved](TraceScript& t) {
      t.step(9);
      t.state("torch.nn.Parameter", "model.w", {{"data", Hash{5}}});
      t.state("checkpoint.saved", "model.w", {{"data", Hash{saved}}});
    };
  };
  expect_holds(run(i, script(5)));
  expect_first_failure(run(i, script(6)), 9);
}

TEST(Checker, TiedWeights) {
  Invariant i = on_variables(Relation::pair_equal, "emb.weight", "data");
  i.object = "head.weight";
  const auto script = [](TraceScript& t) {
    for (int step = 0; step < 4; ++step) {
      t.step(step);
      const auto version = static_cast<std::uint64_t>(step);
      t.state("torch.nn.Parameter", "emb.weight", {{"data", Hash{version}}});
      t.state("torch.nn.Parameter", "head.weight", {{"data", Hash{step < 2 ? version : 99}}});
    }
  };
  expect_first_failure(run(i, script), 2);
}

TEST(Checker, LoopLawAndEachStep) {
  Invariant law = make(Relation::loop_law, "loop.max_steps", "ceil(loop.batches / loop.accumulation) * loop.epochs");
  const auto script = [](std::int64_t max_steps) {
    return [max_steps](TraceScript& t) {
      t.scalar("loop.batches", std::int64_t{10});
      t.scalar("loop.accumulation", std::int64_t{4});
      t.scalar("loop.epochs", std::int64_t{3});
      t.scalar("loop.max_steps", max_steps);
    };
  };
  expect_holds(run(law, script(9)));
  expect_first_failure(run(law, script(6)), -1);

  Invariant each = make(Relation::each_step, "torch.distributed.all_reduce");
  each.low = each.high = 1;
  expect_first_failure(run(each,
                           [](TraceScript& t) {
                             for (int step = 0; step < 5; ++step) {
                               t.step(step);
                               if (step != 2) t.call("torch.distributed.all_reduce");
                             }
                           }),
                       2);
}

TEST(Checker, SilencedInvariantsAreCountedNotReported) {
  Invariant i = make(Relation::before, "__main__.a", "b");
  i.silenced = "known, see the notes of the release";
  const CheckResult result = run(i, [](TraceScript& t) { t.call("b"); });
  EXPECT_TRUE(result.violations.empty());
  EXPECT_EQ(result.silenced, 1U);
}

TEST(Checker, AnEmptyTraceChecksNothing) {
  const CheckResult result = run(make(Relation::before, "a", "b"), [](TraceScript&) {});
  EXPECT_EQ(exit_status(result), 2);
  EXPECT_FALSE(result.problems.empty());
}

TEST(Checker, StrayDuplicatedAndUnfinishedCallsDoNoHarm) {
  const ScratchFolder folder;
  {
    TraceScript t(folder / "run");
    t.step(0);
    const std::uint64_t call = t.enter("outer");
    const tenet_trace_row again{TENET_TRACE_KIND_ENTER, 0, 0, tenet_trace_string(t.raw(), "outer", 5), 0, 1, call};
    EXPECT_EQ(tenet_trace_put(t.raw(), &again, nullptr, 0), 0);
    t.enter("never returns");
    const tenet_trace_row stray{TENET_TRACE_KIND_EXIT, 0, 0, 0, 0, 2, 4711};
    EXPECT_EQ(tenet_trace_put(t.raw(), &stray, nullptr, 0), 0);
    EXPECT_EQ(tenet_trace_exit(t.raw(), call, 0, nullptr, 0), 0);
    t.step(5);
    t.step(1);
    t.call("outer");
  }
  const CheckResult result = check(folder.path(), {make(Relation::contains_call, "outer", "never returns")});
  EXPECT_EQ(result.violations.size(), 1U);
  EXPECT_EQ(result.problems.size(), 3U);  // twice, no open call, the step went back
}

TEST(Grouping, TheRootIsOnTop) {
  const ScratchFolder folder;
  {
    TraceScript t(folder / "run");
    ToyJob job;
    job.step_works_until = 6;
    job.run(t);
  }
  Invariant root = make(Relation::each_change, "torch.optim.Optimizer.step", "torch.nn.Parameter");
  root.field = "data";
  root.mode = Mode::changes;
  root.evidence = {40, 0, 2, 40};
  Invariant noise = make(Relation::before, "__main__.never", "torch.Tensor.backward");
  noise.when.any_of = {{{"step", {}, 15}}};
  noise.evidence = {8, 4, 1, 5};
  const CheckResult result = check(folder.path(), {noise, root});
  ASSERT_EQ(result.groups.size(), 2U);
  EXPECT_EQ(result.violations[result.groups[0].violations[0]].invariant, 1U);
  EXPECT_EQ(result.groups[0].step, 6);
}

}  // namespace
}  // namespace tenet::training
