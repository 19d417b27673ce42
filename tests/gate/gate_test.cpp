#include "tenet/gate/gate.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "scratch.h"

namespace tenet::gate {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kTwoLocks;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using testing::with;

using Gate = testing::Scratch;

constexpr const char* kProtocol = "specs/lock.tenet";
constexpr const char* kVariant = "specs/wrong/forgetful.tenet";

TEST_F(Gate, PassesAChangeThatTouchesNoProtocol) {
  change("README.md", "other words\n");
  const Outcome outcome = run();
  EXPECT_THAT(outcome.units, IsEmpty());
  EXPECT_EQ(outcome.untouched, 2U);
  EXPECT_EQ(exit_status(outcome), 0);
  EXPECT_THAT(text(outcome), HasSubstr("no protocol and no variant is touched"));
}

TEST_F(Gate, LooksOnlyAtWhatIsTouched) {
  on_main("specs/other.tenet", with(kTwoLocks, "protocol lock", "protocol other"));
  change("specs/other.tenet", with(kTwoLocks, "protocol lock", "/// Documented.\nprotocol other"));
  const Outcome outcome = run();
  ASSERT_THAT(outcome.units, SizeIs(1));
  EXPECT_EQ(outcome.units[0].what, "protocol other");
  EXPECT_EQ(outcome.untouched, 2U);
  EXPECT_THAT(items(outcome), IsEmpty());
  EXPECT_EQ(exit_status(outcome), 0);
}

TEST_F(Gate, RunsTheVariantsOfATouchedProtocol) {
  change(kProtocol, kTwoLocks + "// a comment\n");
  EXPECT_THAT(run().units, SizeIs(2));
}

TEST_F(Gate, FailsWhatIsNewlyViolatedWithItsRun) {
  change(kProtocol, with(kTwoLocks, "free = false  send", "send"));
  const Outcome outcome = run();
  EXPECT_THAT(outcome.problems, SizeIs(1)) << "the variant has nothing left to drop";
  EXPECT_EQ(exit_status(outcome), 3);
  git({"rm", "-q", kVariant});
  commit();
  const Outcome without = run();
  EXPECT_THAT(items(without), UnorderedElementsAre("newly-violated exclusive", "proof-lost forgetful"));
  EXPECT_EQ(exit_status(without), 1);
  EXPECT_THAT(markdown(without),
              AllOf(HasSubstr("Tenet gate: failed"), HasSubstr("does grant"), HasSubstr("newly-violated")));
  const auto log = nlohmann::json::parse(sarif(without));
  const auto& results = log.at("runs").at(0).at("results");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].at("ruleId"), "newly-violated");
  EXPECT_EQ(results[0].at("level"), "error");
  EXPECT_EQ(results[0].at("locations")[0].at("physicalLocation").at("artifactLocation").at("uri"), kProtocol);
  EXPECT_TRUE(results[0].contains("codeFlows"));
  EXPECT_EQ(log.at("runs").at(0).at("invocations").at(0).at("exitCode"), 1);
}

TEST_F(Gate, OnlyWarnsOfWhatWasViolatedBefore) {
  git({"checkout", "-q", "main"});
  git({"rm", "-q", kVariant});
  on_main(kProtocol, with(kTwoLocks, "free = false  send", "send"));
  change(kProtocol, with(kTwoLocks, "free = false  send", "send") + "// still\n");
  const Outcome outcome = run();
  EXPECT_THAT(items(outcome), ElementsAre("still-violated exclusive"));
  EXPECT_EQ(exit_status(outcome), 0);
}

TEST_F(Gate, FailsWhatIsNewlyUnknown) {
  change(kProtocol, with(kTwoLocks, "step release when has {", "step release when has and false {"));
  const Outcome outcome = run();
  EXPECT_THAT(items(outcome), Contains("newly-unknown Client, step release"));
  EXPECT_EQ(exit_status(outcome), 2);
}

TEST_F(Gate, FailsAVariantThatSurvives) {
  change(kVariant,
         "variant forgetful of lock\n  in Client, step release: drop send Release\n  expect violated exclusive\n");
  const Outcome outcome = run();
  EXPECT_THAT(items(outcome), UnorderedElementsAre("variant-survived forgetful", "proof-lost forgetful"));
  EXPECT_EQ(exit_status(outcome), 2);
}

TEST_F(Gate, FailsAVariantThatEditsAnotherProtocol) {
  write("specs/other.tenet", with(kTwoLocks, "protocol lock", "protocol other"));
  change(kVariant, with(testing::kForgetful, "of lock", "of other"));
  const Outcome other = run();
  EXPECT_THAT(items(other), ElementsAre("proof-lost forgetful"));
  EXPECT_EQ(exit_status(other), 2);
}

TEST_F(Gate, FailsAVariantWhoseProtocolIsHiddenByACopy) {
  change("specs/wrong/lock.tenet", kTwoLocks);
  const Outcome shadowed = run();
  EXPECT_THAT(items(shadowed), ElementsAre("proof-lost forgetful"));
  EXPECT_THAT(gate::text(shadowed),
              HasSubstr("edited the protocol in specs/lock.tenet, and edits that in specs/wrong/lock.tenet now"));
}

TEST_F(Gate, TakesAVariantThatMovesWithItsProtocol) {
  git({"mv", "specs", "moved"});
  commit();
  const Outcome moved = run();
  EXPECT_THAT(moved.units, SizeIs(2));
  EXPECT_THAT(items(moved), IsEmpty()) << gate::text(moved);
}

TEST_F(Gate, FailsWhatIsGoneOrRenamed) {
  git({"rm", "-q", kVariant});
  std::string text = with(kTwoLocks, "safety exclusive", "safety at_most_one");
  change(kProtocol, with(text, "reachable held: exists c: Client :: c.has\n", ""));
  const Outcome outcome = run();
  EXPECT_THAT(items(outcome), UnorderedElementsAre("proof-lost exclusive", "proof-lost held", "proof-lost forgetful"));
  EXPECT_THAT(gate::text(outcome), HasSubstr("safety exclusive was renamed to at_most_one"));
  EXPECT_EQ(exit_status(outcome), 2);
}

TEST_F(Gate, FailsAProtocolThatIsGone) {
  git({"rm", "-q", "-r", "specs"});
  commit();
  const Outcome outcome = run();
  EXPECT_THAT(items(outcome), UnorderedElementsAre("proof-lost lock", "proof-lost forgetful"));
  EXPECT_EQ(exit_status(outcome), 2);
}

TEST_F(Gate, FailsAWeakenedPropertyAndTakesAStrongerOne) {
  change(kProtocol, with(kTwoLocks, ":: a.has and b.has =>", ":: a.has and b.has and Server.free =>"));
  EXPECT_THAT(items(run()), Contains("proof-lost exclusive"));
  change(kProtocol, with(kTwoLocks, "=> a == b", "=> a == b and not Server.free"));
  const Outcome stronger = run();
  EXPECT_THAT(items(stronger), IsEmpty()) << gate::text(stronger);
  EXPECT_EQ(exit_status(stronger), 0);
}

TEST_F(Gate, FailsWhatRestsOnFewerInstances) {
  change(kProtocol, with(kTwoLocks, "instance large { Client = 3 }\n", ""));
  EXPECT_THAT(items(run()), ElementsAre("proof-lost large"));
  change(kProtocol, with(kTwoLocks, "Client = 3", "Client = 4"));
  EXPECT_THAT(items(run()), IsEmpty());
}

TEST_F(Gate, TakesAFileThatMoved) {
  git({"mv", "specs", "protocols"});
  git({"mv", "protocols/lock.tenet", "protocols/mutual_exclusion.tenet"});
  commit();
  const Outcome outcome = run();
  EXPECT_THAT(items(outcome), IsEmpty()) << gate::text(outcome);
  EXPECT_THAT(outcome.units, SizeIs(2));
  EXPECT_EQ(exit_status(outcome), 0);
}

TEST_F(Gate, NewFilesCountFromTheFirstDay) {
  change("specs/new.tenet", with(with(kTwoLocks, "protocol lock", "protocol fresh"), "free = false  send", "send"));
  const Outcome outcome = run();
  EXPECT_THAT(items(outcome), ElementsAre("newly-violated exclusive"));
  EXPECT_EQ(outcome.units[0].items[0].before, "absent");
}

TEST_F(Gate, JudgesByThePolicyOfTheBase) {
  const std::string lost = with(kTwoLocks, "reachable held: exists c: Client :: c.has\n", "");
  write("tenet.toml", "[gate]\nproof-lost = \"ignore\"\n");
  change(kProtocol, lost);
  const Outcome excused = run();
  EXPECT_EQ(exit_status(excused), 2) << "a change cannot excuse itself";
  EXPECT_THAT(excused.notes, SizeIs(1));
  git({"checkout", "-q", "main"});
  on_main("tenet.toml", "[gate]\nproof-lost = \"warn\"\n");
  change(kProtocol, lost);
  EXPECT_EQ(exit_status(run()), 0);
}

TEST_F(Gate, TakesThePolicyOfTheTipAndNotOfTheFork) {
  change(kProtocol, with(kTwoLocks, "reachable held: exists c: Client :: c.has\n", ""));
  git({"checkout", "-q", "main"});
  change("tenet.toml", "[gate]\nproof-lost = \"ignore\"\n");
  git({"checkout", "-q", "change"});
  EXPECT_EQ(exit_status(run()), 0);
}

TEST_F(Gate, LooksOnlyAtThePathsOfThePolicy) {
  on_main("tenet.toml", "[gate]\npaths = [\"specs\"]\n");
  change("drafts/broken.tenet", "protocol broken\nthis is none\n");
  EXPECT_EQ(exit_status(run()), 0);
  change("specs/broken.tenet", "protocol broken\nthis is none\n");
  EXPECT_EQ(exit_status(run()), 3);
}

TEST_F(Gate, SaysNoWhereThePolicyCoversNothing) {
  on_main("tenet.toml", "[gate]\npaths = [\"nowhere\"]\n");
  EXPECT_EQ(exit_status(run()), 2);
}

TEST_F(Gate, IsNotDecidedByWhatIsAllUnknown) {
  on_main("tenet.toml", "[gate]\nnewly-unknown = \"ignore\"\nvariant-survived = \"ignore\"\n");
  change(kProtocol, kTwoLocks + "// touched\n");
  Options short_of_memory = options();
  short_of_memory.verify.memory_bytes = 1;
  const auto outcome = gate::run(short_of_memory);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(exit_status(*outcome), 2) << gate::text(*outcome);
}

TEST_F(Gate, ReadsCommitsAndNotTheWorkTree) {
  write(kProtocol, "not committed, and nonsense");
  EXPECT_EQ(exit_status(run()), 0);
}

TEST_F(Gate, KeepsMarkupOfFileNamesOutOfTheSummary) {
  change("specs/a <img src=x>|@all`.tenet",
         with(with(kTwoLocks, "protocol lock", "protocol b"), "free = false  send", "send"));
  const std::string summary = markdown(run());
  EXPECT_THAT(summary, AllOf(Not(HasSubstr("| specs/a <img")), Not(HasSubstr("| specs/a &lt;img src=x&gt;|@all"))));
  EXPECT_THAT(summary, HasSubstr("a &lt;img src=x&gt;\\|&#64;all\\`.tenet"));
}

TEST_F(Gate, RefusesABaseThatDoesNotLoad) {
  on_main(kProtocol, "protocol lock\nthis is none\n");
  change(kProtocol, kTwoLocks);
  const auto outcome = gate::run(options());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(outcome.error().message, HasSubstr("specs/lock.tenet:2"));
}

TEST_F(Gate, RefusesAPolicyThatCannotBeRead) {
  change("tenet.toml", "[gate]\nproof-lots = \"warn\"\n");
  EXPECT_EQ(exit_status(run()), 3) << "it would stop every later change";
  on_main("tenet.toml", "[gate\n");
  const auto outcome = gate::run(options());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::bad_input);
}

TEST_F(Gate, RefusesAShallowCloneWithoutTheBase) {
  change(kProtocol, kTwoLocks + "// more\n");
  const std::filesystem::path clone = folder_ / "clone";
  git({"clone", "-q", "--depth", "1", "--branch", "change", "file://" + folder_.string(), clone.string()});
  Options shallow = options();
  shallow.repository = clone.string();
  shallow.base = "origin/main";
  const auto outcome = gate::run(shallow);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::bad_input);
  EXPECT_THAT(outcome.error().message, HasSubstr("shallow"));
  // The base is there, but not what joins it with the head.
  git_in(clone, {"fetch", "-q", "--depth", "1", "origin", "main:refs/remotes/origin/main"});
  const auto unrelated = gate::run(shallow);
  ASSERT_FALSE(unrelated);
  EXPECT_THAT(unrelated.error().message, AllOf(HasSubstr("no common ancestor"), HasSubstr("shallow")));
}

TEST_F(Gate, RefusesRevisionsThatAreNone) {
  for (const char* base : {"no-such-branch", "--all", "-h", "main..change", "main:specs"}) {
    Options wrong = options();
    wrong.base = base;
    const auto outcome = gate::run(wrong);
    ASSERT_FALSE(outcome) << base;
    EXPECT_EQ(outcome.error().kind, ErrorKind::bad_input) << base;
  }
  Options nowhere = options();
  nowhere.repository = "/";
  EXPECT_FALSE(gate::run(nowhere));
}

TEST_F(Gate, TreatsALinkAsGone) {
  std::filesystem::remove(folder_ / kProtocol);
  std::filesystem::create_symlink("/etc/passwd", folder_ / kProtocol);
  git({"rm", "-q", "--cached", kVariant});
  std::filesystem::remove(folder_ / kVariant);
  commit();
  EXPECT_THAT(items(run()), Contains("proof-lost lock"));
}

}  // namespace
}  // namespace tenet::gate
