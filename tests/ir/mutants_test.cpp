#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.h"
#include "tenet/ir/edit.h"
#include "tenet/ir/printer.h"
#include "tenet/ir/verifier.h"

namespace tenet::ir::test {
namespace {

std::vector<std::string> descriptions(const Protocol& p) {
  std::vector<std::string> result;
  for (const Mutant& mutant : mutants(p)) result.push_back(mutant.description);
  return result;
}

/// A protocol of one step with that guard and body.
Protocol guarded(const std::string& guard, const std::string& body = "") {
  return from_text(
      "(protocol p (sort L ordered) (role A (single)) (role B) (message M (fields)) (const f nat)"
      " (var s (set (host B)) (role A) (value (set_literal (set (host B)))))"
      " (var n nat (role A) (value (int_literal nat 0)))"
      " (var b bool (role A) (value false))"
      " (step go (role A) (guard " +
      guard + ") (body " + body + ")))");
}
const std::string kS = "(state_var A s (self (host A)))";
const std::string kN = "(state_var A n (self (host A)))";
const std::string kB = "(state_var A b (self (host A)))";
const std::string kF = "(global_const f)";
const std::string kSize = "(cardinality nat (state_var A s (self (host A))))";

TEST(Mutants, OfTwoPhaseCommitAreTheseAndNoOthers) {
  EXPECT_THAT(
      descriptions(two_phase_commit()),
      testing::ElementsAre(
          "Coordinator, step ask: drop 'send Request to all Participant'",
          "Coordinator, receive Ballot: drop 'vote == yes'", "Coordinator, receive Ballot: drop 'ayes += p'",
          "Coordinator, receive Ballot: drop 'nays += p'", "Coordinator, step decide_commit: drop 'decision == none'",
          "Coordinator, step decide_commit: drop 'ayes == all Participant'",
          "Coordinator, step decide_commit: replace 'ayes == all Participant' by '|ayes| + 1 >= |Participant|'",
          "Coordinator, step decide_commit: drop 'decision = some(commit)'",
          "Coordinator, step decide_commit: drop 'send Outcome(commit) to all Participant'",
          "Coordinator, step decide_abort: drop 'decision == none'",
          "Coordinator, step decide_abort: drop 'nays != {}'",
          "Coordinator, step decide_abort: drop 'decision = some(abort)'",
          "Coordinator, step decide_abort: drop 'send Outcome(abort) to all Participant'",
          "Participant, receive Request: drop 'send Ballot(preference) to c'",
          "Participant, receive Outcome: drop 'decision == none'",
          "Participant, receive Outcome: drop 'decision = some(d)'"));
}

TEST(Mutants, WeakenComparisonsByOneStep) {
  EXPECT_THAT(descriptions(guarded("(and " + kB + " (lt " + kN + " " + kF + "))")),
              testing::ElementsAre("A, step go: drop 'b'", "A, step go: drop 'n < f'",
                                   "A, step go: replace 'n < f' by 'n <= f'"));
  EXPECT_THAT(descriptions(guarded("(and " + kB + " (gt " + kN + " " + kF + "))")),
              testing::Contains("A, step go: replace 'n > f' by 'n >= f'"));
  EXPECT_THAT(descriptions(guarded("(or " + kB + " (le " + kN + " " + kF + "))")),
              testing::ElementsAre("A, step go: drop 'b or n <= f'"))
      << "a true operand makes the whole guard true, which is there already";
}

TEST(Mutants, WeakenUnderANegationByStrengtheningInside) {
  EXPECT_THAT(descriptions(guarded("(not (le " + kN + " " + kF + "))")),
              testing::ElementsAre("A, step go: drop 'not n <= f'", "A, step go: replace 'n <= f' by 'n < f'"));
  EXPECT_THAT(descriptions(guarded("(implies (ge " + kN + " " + kF + ") " + kB + ")")),
              testing::Contains("A, step go: replace 'n >= f' by 'n > f'"));
}

TEST(Mutants, LowerThresholdsByOne) {
  const auto shrunk = [](const std::string& guard) {
    for (const Mutant& mutant : mutants(guarded(guard))) {
      if (mutant.kind == MutationKind::shrink_threshold) return mutant.description.substr(sizeof "A, step go:");
    }
    return std::string("none");
  };
  EXPECT_EQ(shrunk("(majority " + kS + ")"), "replace 'majority(s)' by '2 * |s| >= |B|'");
  EXPECT_EQ(shrunk("(eq (all_hosts (set (host B))) " + kS + ")"), "replace 'all B == s' by '|s| + 1 >= |B|'");
  EXPECT_EQ(shrunk("(ge " + kSize + " (sub nat (role_size B) " + kF + "))"),
            "replace '|s| >= |B| - f' by '|s| + 1 >= |B| - f'");
  EXPECT_EQ(shrunk("(le " + kF + " " + kSize + ")"), "replace 'f <= |s|' by 'f <= |s| + 1'");
  EXPECT_EQ(shrunk("(gt " + kSize + " " + kF + ")"), "replace '|s| > f' by '|s| >= f'");
  EXPECT_EQ(shrunk("(eq " + kSize + " " + kF + ")"), "replace '|s| == f' by '|s| + 1 >= f'");
  EXPECT_EQ(shrunk("(lt " + kN + " " + kF + ")"), "none");
}

TEST(Mutants, ThresholdsInValuesCountToo) {
  EXPECT_THAT(descriptions(guarded("true", "(assign b (majority " + kS + "))")),
              testing::ElementsAre("A, step go: replace 'majority(s)' by '2 * |s| >= |B|'",
                                   "A, step go: drop 'b = majority(s)'"));
}

TEST(Mutants, NothingToChangeGivesNone) { EXPECT_THAT(descriptions(guarded("true")), testing::IsEmpty()); }

TEST(Mutants, OfEverythingAreWellFormedDifferentAndInSourceOrder) {
  std::size_t made = 0;
  for (const Protocol& p : all_protocols()) {
    std::set<std::string> seen{print(p)};
    std::set<std::string> described;
    std::uint32_t last = 0;
    for (const Mutant& mutant : mutants(p)) {
      ++made;
      EXPECT_THAT(verify_ir(mutant.protocol), testing::IsEmpty()) << p.name << ": " << mutant.description;
      EXPECT_TRUE(seen.insert(print(mutant.protocol)).second) << p.name << ": " << mutant.description;
      EXPECT_GE(mutant.span.begin, last) << mutant.description;
      last = mutant.span.begin;
    }
  }
  EXPECT_GT(made, 100u);
}

TEST(Mutants, AreMostlyRefutedOrStuck) {
  const Protocol p = two_phase_commit();
  std::vector<std::string> violating;
  for (const Mutant& mutant : mutants(p)) {
    const Instance where = instance(mutant.protocol, "Participant=2");
    const Explored found = explore(mutant.protocol, where);
    for (const Trace& trace : found.traces) EXPECT_EQ(replay(mutant.protocol, where, trace), "");
    if (!found.violated.empty()) violating.push_back(mutant.description);
  }
  EXPECT_THAT(violating, testing::IsSupersetOf({
                             "Coordinator, receive Ballot: drop 'vote == yes'",
                             "Coordinator, step decide_commit: drop 'ayes == all Participant'",
                             "Coordinator, step decide_commit: replace 'ayes == all Participant' by '|ayes| + 1 >= "
                             "|Participant|'",
                         }));
}

}  // namespace
}  // namespace tenet::ir::test
