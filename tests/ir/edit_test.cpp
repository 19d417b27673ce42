#include "tenet/ir/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.h"
#include "tenet/ir/builder.h"
#include "tenet/ir/printer.h"
#include "tenet/ir/verifier.h"

namespace tenet::ir::test {
namespace {

struct Edits : testing::Test {
  Edits() : p(two_phase_commit()), make(p) {}

  const Step& step(const Protocol& of, const char* name) const { return of[step_named(of, name)]; }
  std::string guard(const Protocol& of, const char* name) const { return to_source(of, step(of, name).guard); }
  std::vector<std::string> body(const Protocol& of, const char* name) const {
    std::vector<std::string> result;
    for (const StmtId stmt : step(of, name).body) result.push_back(to_source(of, stmt));
    return result;
  }
  Protocol edited(const std::vector<Edit>& edits) {
    const std::string before = print(p);
    Protocol result = ir::apply(p, edits);
    EXPECT_EQ(print(p), before) << "the original stays as it is";
    EXPECT_THAT(verify_ir(result), testing::IsEmpty());
    return result;
  }

  Protocol p;
  Builder make;
};

TEST_F(Edits, DropAGuard) {
  EXPECT_EQ(guard(edited({DropGuard{step_named(p, "decide_commit")}}), "decide_commit"), "true");
}

TEST_F(Edits, ReplaceAnExpression) {
  const ExprId guard_id = step(p, "decide_commit").guard;
  const ExprId all_voted = p[guard_id].args[1];
  const ExprId quorum = make.unary(Op::majority, p[all_voted].args[0]);
  EXPECT_EQ(guard(edited({ReplaceExpr{all_voted, quorum}}), "decide_commit"), "decision == none and majority(ayes)");
}

TEST_F(Edits, ReplaceAnExpressionByOneThatContainsIt) {
  const ExprId all_voted = p[step(p, "decide_commit").guard].args[1];
  const ExprId negated = make.negate(all_voted);
  const Protocol result = edited({ReplaceExpr{all_voted, negated}});
  EXPECT_EQ(guard(result, "decide_commit"), "decision == none and not ayes == all Participant");
  // Twice: the second edit finds what the first one put there.
  EXPECT_EQ(
      guard(edited({ReplaceExpr{all_voted, negated}, ReplaceExpr{all_voted, make.boolean(true)}}), "decide_commit"),
      "decision == none and true");
}

TEST_F(Edits, LaterEditsFindWhatEarlierOnesMoved) {
  const ExprId whole = step(p, "decide_commit").guard;
  const ExprId first = p[whole].args[0];
  const Protocol result = edited({ReplaceExpr{first, make.boolean(false)}, ReplaceExpr{whole, make.negate(whole)}});
  EXPECT_EQ(guard(result, "decide_commit"), "not (false and ayes == all Participant)");
}

TEST_F(Edits, DropReplaceAndAddStatements) {
  const std::vector<StmtId> stmts = step(p, "decide_commit").body;
  EXPECT_THAT(body(edited({DropStmt{stmts[0]}}), "decide_commit"),
              testing::ElementsAre("send Outcome(commit) to all Participant"));
  const StmtId other = make.send(p[stmts[1]].message, {make.enum_literal(EnumId(1), 1)}, p[stmts[1]].target);
  EXPECT_THAT(body(edited({ReplaceStmt{stmts[1], {other}}}), "decide_commit"),
              testing::ElementsAre("decision = some(commit)", "send Outcome(abort) to all Participant"));
  EXPECT_THAT(body(edited({InsertStmt{step_named(p, "decide_commit"), {other}}}), "decide_commit").back(),
              "send Outcome(abort) to all Participant");
}

TEST_F(Edits, ReplaceAStatementByOneThatContainsIt) {
  const std::vector<StmtId> stmts = step(p, "decide_commit").body;
  const StmtId inner = make.if_then(make.boolean(true), {stmts[0]});
  const StmtId outer = make.if_then(make.boolean(true), {inner});
  EXPECT_THAT(body(edited({ReplaceStmt{stmts[0], {outer}}}), "decide_commit")[0],
              "if true { if true { decision = some(commit) } }");
}

TEST_F(Edits, DropAStatementInABranch) {
  const StmtId choice = step(p, "receive Ballot").body[0];
  const StmtId nay = p[choice].else_branch[0];
  EXPECT_EQ(body(edited({DropStmt{nay}}), "receive Ballot")[0], "if vote == yes { ayes += p }");
}

TEST_F(Edits, DropAStep) {
  const Protocol result = edited({DropStep{step_named(p, "ask")}, DropGuard{step_named(p, "decide_commit")}});
  EXPECT_EQ(result.steps.size(), p.steps.size() - 1);
  EXPECT_EQ(guard(result, "decide_commit"), "true") << "ids mean the original's steps throughout";
  EXPECT_EQ(result.roles[1].steps, (std::vector<StepId>{StepId(3), StepId(4)}));
}

TEST(EditsOfClaims, DropAxiomsAndInitFormulas) {
  const Protocol p = kitchen_sink();
  const Protocol result = ir::apply(p, {DropAxiom{0}, DropAxiom{2}, DropInit{0}});
  EXPECT_THAT(verify_ir(result), testing::IsEmpty());
  ASSERT_EQ(result.axioms.size(), 1u);
  EXPECT_EQ(to_source(result, result.axioms[0].formula), "forall a: Node :: a.id < |Node|");
  EXPECT_TRUE(result.inits.empty());
}

TEST(EditsOfClaims, SetTheDelivery) {
  const Protocol p = kitchen_sink();
  const Protocol result = ir::apply(p, {SetDelivery{MessageId(1), Delivery::any}});
  EXPECT_EQ(result.messages[1].delivery, Delivery::any);
  EXPECT_EQ(p.messages[1].delivery, Delivery::at_most_once);
}

}  // namespace
}  // namespace tenet::ir::test
