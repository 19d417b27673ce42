// Child processes that are missing, die, hang, babble or lie.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "child_process.h"
#include "support.h"
#include "tenet/smt/term_manager.h"

namespace tenet::smt {
namespace {

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

bool has_children() {
  int status = 0;
  return ::waitpid(-1, &status, WNOHANG) >= 0 || errno != ECHILD;
}

/// Our children as the kernel lists them.
std::vector<pid_t> children() {
  std::vector<pid_t> result;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream list(task.path() / "children");
    for (pid_t pid = 0; list >> pid;) result.push_back(pid);
  }
  return result;
}

CheckResult check_something(const SolverConfig& config) {
  TermManager m;
  const auto solver = make_solver(config);
  const Term x = m.constant("x", m.integer_sort());
  solver->assert_term(m.lt(x, m.integer(0)), "a fact");
  return solver->check();
}

struct Misbehaviour {
  const char* mode;
  Cause cause;
  const char* words;
};
void PrintTo(const Misbehaviour& m, std::ostream* out) { *out << m.mode; }

class FakeTest : public testing::TestWithParam<Misbehaviour> {};

TEST_P(FakeTest, NeverGivesAVerdict) {
  const std::size_t before = open_descriptors();
  SolverConfig config = fake_config(GetParam().mode);
  config.answer_limit = 1'000'000;
  if (GetParam().cause == Cause::wall_clock) config.wall_clock_ms = 700;
  const CheckResult result = check_something(config);
  EXPECT_EQ(result.answer, Answer::unknown);
  EXPECT_EQ(result.cause, GetParam().cause) << result.reason;
  EXPECT_NE(result.reason.find(GetParam().words), std::string::npos) << result.reason;
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

INSTANTIATE_TEST_SUITE_P(
    All, FakeTest,
    testing::Values(
        Misbehaviour{"garbage", Cause::garbage, "control"}, Misbehaviour{"word", Cause::garbage, "maybe"},
        Misbehaviour{"double", Cause::garbage, "unsat"}, Misbehaviour{"truncated", Cause::died, "status 0"},
        Misbehaviour{"hang", Cause::wall_clock, "700 ms"}, Misbehaviour{"silent", Cause::wall_clock, "700"},
        Misbehaviour{"deaf", Cause::wall_clock, "700"}, Misbehaviour{"hang-with-child", Cause::died, "status 0"},
        Misbehaviour{"exit", Cause::died, "status 7: no such luck"}, Misbehaviour{"killed", Cause::died, "SIGKILL"},
        Misbehaviour{"huge", Cause::garbage, "longer"}, Misbehaviour{"deep", Cause::garbage, "nested"},
        Misbehaviour{"error", Cause::refused, "like this"}, Misbehaviour{"rejects", Cause::refused, "cannot parse"},
        Misbehaviour{"memory", Cause::memory, "bad_alloc"}, Misbehaviour{"core", Cause::garbage, "core"},
        Misbehaviour{"nameless", Cause::garbage, "name"}, Misbehaviour{"idle", Cause::incomplete, "incomplete"}),
    [](const auto& parameter) {
      std::string name = parameter.param.mode;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(ProcessTest, AMissingProgramIsSaidClearly) {
  SolverConfig config = cvc5_config();
  config.program = "no-such-solver";
  const CheckResult result = check_something(config);
  EXPECT_EQ(result.cause, Cause::unavailable);
  EXPECT_EQ(result.reason, "cannot start 'no-such-solver': No such file or directory; install it or put it into PATH");
  const auto probed = probe(config);
  ASSERT_FALSE(probed);
  EXPECT_EQ(probed.error().kind, ErrorKind::io);
}

TEST(ProcessTest, TheWrongSolverOrVersionIsRefused) {
  SolverConfig config = fake_config("unsat");
  config.required_name = "cvc5";
  CheckResult result = check_something(config);
  EXPECT_EQ(result.cause, Cause::unavailable);
  EXPECT_NE(result.reason.find("is Fake 1.2.3, not cvc5"), std::string::npos) << result.reason;
  config.required_name = "fake";
  config.minimum_version = "1.3";
  result = check_something(config);
  EXPECT_EQ(result.cause, Cause::unavailable);
  EXPECT_NE(result.reason.find("version 1.3 or later is needed"), std::string::npos) << result.reason;
  config.minimum_version = "1.2";
  EXPECT_EQ(check_something(config).answer, Answer::unsat);
}

TEST(ProcessTest, AKilledSolverIsStartedAgainWithItsStack) {
  for (const SolverConfig& config : {z3_process_config(), cvc5_config()}) {
    TermManager m;
    const auto solver = make_solver(config);
    const Term x = m.constant("x", m.integer_sort());
    solver->assert_term(m.lt(x, m.integer(3)), "small");
    solver->push();
    solver->assert_term(m.lt(m.integer(1), x), "large");
    ASSERT_EQ(solver->check().answer, Answer::sat);
    const std::vector<pid_t> pids = children();
    ASSERT_EQ(pids.size(), 1u);
    ::kill(pids[0], SIGKILL);
    EXPECT_FALSE(solver->value(x));
    solver->assert_term(m.ne(x, m.integer(2)), "not two");
    const CheckResult result = solver->check();
    EXPECT_EQ(result.answer, Answer::unsat) << result.reason;
    EXPECT_EQ(result.core.size(), 3u);
    EXPECT_EQ(solver->statistics().restarts, 1u);
    solver->pop();
    EXPECT_EQ(solver->check().answer, Answer::sat);
  }
  EXPECT_FALSE(has_children());
}

TEST(ProcessTest, MemoryLimitsEndInUnknown) {
  for (SolverConfig config : {z3_config(), z3_process_config(), cvc5_config()}) {
    config.memory_mb = 30;
    config.wall_clock_ms = 3'000;
    TermManager m;
    const auto solver = make_solver(config);
    // Terms without end: f(i) below f(f(i) + 1), for all i.
    const Function f = m.function("f", {m.integer_sort()}, m.integer_sort());
    const Term i = m.variable("i", m.integer_sort());
    const Term fi = m.apply(f, {i});
    solver->assert_term(
        m.forall({i}, m.lt(fi, m.apply(f, {m.add({m.mul(2, fi), m.apply(f, {m.add({i, m.integer(1)})})})})), {{fi}}));
    solver->assert_term(m.lt(m.integer(0), m.apply(f, {m.integer(0)})));
    const CheckResult result = solver->check();
    EXPECT_EQ(result.answer, Answer::unknown);
    EXPECT_NE(result.cause, Cause::none);
    EXPECT_NE(result.cause, Cause::interrupted);
  }
}

TEST(ProcessTest, ALargeQuestionDoesNotBlock) {
  // More than a pipe holds, while the child answers each command.
  TermManager m;
  const auto solver = make_solver(fake_config("sat"));
  for (int i = 0; i < 1500; ++i) {
    solver->assert_term(m.constant("a name that is rather long " + std::to_string(i), m.boolean_sort()));
  }
  EXPECT_EQ(solver->check().answer, Answer::sat);
}

TEST(ProcessTest, NothingIsLeftOver) {
  const std::size_t before = open_descriptors();
  for (int round = 0; round < 3; ++round) {
    for (const SolverConfig& config : {z3_process_config(), cvc5_config(), fake_config("exit"), fake_config("sat")}) {
      (void)check_something(config);
    }
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_FALSE(has_children());
}

TEST(ProcessTest, AnInterruptReachesASilentChild) {
  TermManager m;
  const auto solver = make_solver(fake_config("hang"));
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    solver->interrupt();
  });
  const CheckResult result = solver->check();
  other.join();
  EXPECT_EQ(result.cause, Cause::interrupted) << result.reason;
  EXPECT_TRUE(children().empty());
}

TEST(ProcessTest, ValuesThatAreNotOfTheSortAreErrors) {
  TermManager m;
  const auto solver = make_solver(fake_config("sat"));
  ASSERT_EQ(solver->check().answer, Answer::sat);
  EXPECT_FALSE(solver->value(m.constant("x", m.integer_sort())));
  EXPECT_FALSE(solver->value(m.constant("p", m.boolean_sort())));
  EXPECT_TRUE(solver->value(m.constant("n", m.uninterpreted("N"))));
}

}  // namespace
}  // namespace tenet::smt
