#include "tenet/smt/portfolio.h"

#include <gtest/gtest.h>

#include <thread>

#include "support.h"
#include "tenet/smt/term_manager.h"

namespace tenet::smt {
namespace {

class PortfolioTest : public testing::Test {
 protected:
  TermManager m;
  Term x = m.constant("x", m.integer_sort());
  Term positive = m.lt(m.integer(0), x);
  Term negative = m.lt(x, m.integer(0));

  static SolverConfig missing() {
    SolverConfig config = cvc5_config();
    config.program = "no-such-solver";
    return config;
  }
};

TEST_F(PortfolioTest, FallsBackInOrder) {
  const auto solver =
      make_portfolio({missing(), fake_config("idle"), z3_config(), fake_config("unsat")}, PortfolioMode::in_order);
  solver->assert_term(positive);
  const CheckResult result = solver->check();
  EXPECT_EQ(result.answer, Answer::sat);
  EXPECT_NE(result.solver.find("Z3"), std::string::npos);
  ASSERT_EQ(result.attempts.size(), 3u);
  EXPECT_EQ(result.attempts[0].cause, Cause::unavailable);
  EXPECT_EQ(result.attempts[1].cause, Cause::incomplete);
  EXPECT_EQ(result.attempts[2].answer, Answer::sat);
  EXPECT_TRUE(solver->value(positive)->boolean);
}

TEST_F(PortfolioTest, ARaceIsWonAndTheOthersAreStopped) {
  const auto solver = make_portfolio({fake_config("hang"), cvc5_config(), fake_config("silent")}, PortfolioMode::race);
  solver->push();
  solver->assert_term(positive, "positive");
  solver->assert_term(negative, "negative");
  CheckResult result = solver->check();
  EXPECT_EQ(result.answer, Answer::unsat) << result.reason;
  EXPECT_EQ(result.core, (std::vector<std::string>{"positive", "negative"}));
  ASSERT_EQ(result.attempts.size(), 3u);
  EXPECT_EQ(result.attempts[0].cause, Cause::interrupted);
  EXPECT_EQ(result.attempts[2].cause, Cause::interrupted);
  solver->pop();
  solver->assert_term(positive);
  EXPECT_EQ(solver->check().answer, Answer::sat);
  EXPECT_TRUE(solver->value(positive)->boolean);
}

TEST_F(PortfolioTest, RealSolversRaceManyTimes) {
  const auto solver = make_portfolio({z3_config(), cvc5_config()}, PortfolioMode::race);
  for (int i = 0; i < 20; ++i) {
    solver->push();
    solver->assert_term(i % 2 == 0 ? positive : m.and_({positive, m.lt(x, m.integer(1))}));
    EXPECT_EQ(solver->check().answer, i % 2 == 0 ? Answer::sat : Answer::unsat);
    solver->pop();
  }
}

TEST_F(PortfolioTest, ALieIsADisagreementAndNoVerdict) {
  for (const PortfolioMode mode : {PortfolioMode::cross_check}) {
    for (const char* lie : {"sat", "unsat"}) {
      const auto solver = make_portfolio({fake_config(lie), z3_config(), cvc5_config()}, mode);
      solver->assert_term(positive);
      if (std::string(lie) == "sat") solver->assert_term(negative);
      const CheckResult result = solver->check();
      EXPECT_EQ(result.answer, Answer::unknown);
      EXPECT_EQ(result.cause, Cause::disagreement);
      EXPECT_NE(result.reason.find("Fake 1.2.3 answers"), std::string::npos) << result.reason;
      EXPECT_EQ(result.attempts.size(), 3u);
      EXPECT_FALSE(solver->value(x));
    }
  }
}

TEST_F(PortfolioTest, CrossCheckedAnswersComeFromTheFirstInOrder) {
  const auto solver = make_portfolio({cvc5_config(), z3_config()}, PortfolioMode::cross_check);
  solver->assert_term(positive);
  const CheckResult result = solver->check();
  EXPECT_EQ(result.answer, Answer::sat);
  EXPECT_NE(result.solver.find("cvc5"), std::string::npos);
  ASSERT_EQ(result.attempts.size(), 2u);
  EXPECT_EQ(result.attempts[0].answer, result.attempts[1].answer);
}

TEST_F(PortfolioTest, WithoutAnAnswerAllReasonsAreGiven) {
  const auto solver = make_portfolio({missing(), fake_config("exit")}, PortfolioMode::cross_check);
  const CheckResult result = solver->check();
  EXPECT_EQ(result.answer, Answer::unknown);
  EXPECT_EQ(result.cause, Cause::died);
  EXPECT_NE(result.reason.find("no-such-solver"), std::string::npos);
  EXPECT_NE(result.reason.find("no such luck"), std::string::npos);
}

TEST_F(PortfolioTest, InterruptsReachTheMembers) {
  for (const PortfolioMode mode : {PortfolioMode::in_order, PortfolioMode::race, PortfolioMode::cross_check}) {
    const auto solver = make_portfolio({fake_config("hang"), fake_config("silent")}, mode);
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      solver->interrupt();
    });
    EXPECT_EQ(solver->check().cause, Cause::interrupted);
    other.join();
    solver->interrupt();
    EXPECT_EQ(solver->check().cause, Cause::interrupted);
  }
}

TEST_F(PortfolioTest, AStopRequestEndsEveryCheck) {
  const std::vector<SolverConfig> members{fake_config("hang"), fake_config("silent")};
  std::vector<std::unique_ptr<Solver>> solvers;
  solvers.push_back(make_solver(fake_config("hang")));
  for (const PortfolioMode mode : {PortfolioMode::in_order, PortfolioMode::race, PortfolioMode::cross_check}) {
    solvers.push_back(make_portfolio(members, mode));
  }
  for (const auto& solver : solvers) {
    StopFlag stop;
    solver->stop_on(&stop);
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      stop.request();
    });
    EXPECT_EQ(solver->check().cause, Cause::interrupted);
    other.join();
    EXPECT_EQ(solver->check().cause, Cause::interrupted);
    solver->stop_on(nullptr);
  }
  StopFlag stop;
  stop.request();
  EXPECT_EQ(ask(Query{}, fake_config("hang"), &stop).cause, Cause::interrupted);
}

TEST_F(PortfolioTest, WithoutAStopRequestACheckAnswers) {
  const StopFlag stop;
  const Query query{{{positive, "positive"}, {negative, "negative"}}, {}};
  for (const StopFlag* flag : {&stop, static_cast<const StopFlag*>(nullptr)}) {
    EXPECT_EQ(ask(query, z3_config(), flag).answer, Answer::unsat);
  }
}

TEST_F(PortfolioTest, RecheckTellsWhatTheOtherSays) {
  const Query query{{{positive, "positive"}, {negative, "negative"}}, {}};
  EXPECT_EQ(recheck(query, Answer::unsat, cvc5_config()).confirmation, Confirmation::confirmed);
  EXPECT_EQ(recheck(query, Answer::unsat, z3_process_config()).confirmation, Confirmation::confirmed);
  EXPECT_EQ(recheck(query, Answer::sat, z3_config()).confirmation, Confirmation::contradicted);
  EXPECT_EQ(recheck(query, Answer::unsat, fake_config("sat")).confirmation, Confirmation::contradicted);
  EXPECT_EQ(recheck(query, Answer::unsat, missing()).confirmation, Confirmation::open);
  EXPECT_EQ(recheck(query, Answer::unknown, z3_config()).confirmation, Confirmation::open);
}

}  // namespace
}  // namespace tenet::smt
