// The checker inside a job, through its C interface, while the job writes.
#include "tenet/training/online.h"

#include "tenet/training/follow.h"
#include "tenet/training/invariant.h"
#include "toy_job.h"

namespace tenet::training {
namespace {

using namespace testing;

std::string write_rule(const ScratchFolder& folder) {
  InvariantSet set;
  Invariant i;
  i.relation = Relation::before;
  i.subject = "torch.optim.Optimizer.zero_grad";
  i.object = "torch.Tensor.backward";
  i.evidence.positives = 20;
  set.invariants.push_back(i);
  const std::string path = folder / "inv.json";
  std::ofstream(path) << print_invariants(set);
  return path;
}

TEST(OnlineChecker, SaysSoWhileTheJobRuns) {
  const ScratchFolder folder;
  const std::string rules = write_rule(folder);
  std::filesystem::create_directory(folder / "trace");
  const char* error = nullptr;
  tenet_check* check = tenet_check_open(rules.c_str(), (folder / "trace").c_str(), &error);
  ASSERT_NE(check, nullptr) << error;
  EXPECT_EQ(tenet_check_poll(check), 0);
  TraceScript t(folder / "trace/run");
  for (int step = 0; step < 10; ++step) {
    t.step(step);
    if (step < 6) t.call("torch.optim.optimizer.Optimizer.zero_grad");
    t.call("torch.Tensor.backward");
    EXPECT_EQ(tenet_check_poll(check), step < 6 ? 0 : 1) << step;
  }
  EXPECT_EQ(tenet_check_step(check, 0), 6);
  EXPECT_NE(std::string(tenet_check_message(check, 0)).find("zero_grad"), std::string::npos);
  EXPECT_EQ(tenet_check_judged(check), 1);
  EXPECT_NE(std::string(tenet_check_report(check)).find("\"groups\""), std::string::npos);
  EXPECT_EQ(tenet_check_finish(check), 1);
  tenet_check_close(check);
}

TEST(OnlineChecker, AnswersMisuse) {
  const char* error = nullptr;
  EXPECT_EQ(tenet_check_open("/no/such/file", "/tmp", &error), nullptr);
  EXPECT_NE(std::string(error), "");
  EXPECT_EQ(tenet_check_open(nullptr, nullptr, nullptr), nullptr);
  EXPECT_EQ(tenet_check_poll(nullptr), -1);
  EXPECT_EQ(std::string(tenet_check_message(nullptr, 0)), "");
  tenet_check_close(nullptr);
}

TEST(Follow, EndsWhenTheTraceIsClosed) {
  const ScratchFolder folder;
  const std::string rules = write_rule(folder);
  std::filesystem::create_directory(folder / "trace");
  {
    TraceScript t(folder / "trace/run");
    ToyJob job;
    job.zero_grad_until = 5;
    job.run(t);
  }
  auto set = load_invariants(rules);
  ASSERT_TRUE(set);
  int told = 0;
  CheckOptions options;
  options.on_violation = [&](const Violation& violation) {
    ++told;
    EXPECT_EQ(violation.step, 5);
  };
  const StopFlag never;
  auto result = follow_and_check(folder / "trace", *set, options, 5, never);
  ASSERT_TRUE(result);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(result->violations.size(), 1U);
}

}  // namespace
}  // namespace tenet::training
