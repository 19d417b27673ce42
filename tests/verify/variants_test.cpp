#include <gmock/gmock.h>

#include "workspace.h"

namespace tenet::verify {
namespace {

using ::testing::HasSubstr;
using Variants = testing::Workspace;

TEST_F(Variants, AreRefutedByATraceThatReplays) {
  write("lock.tenet", testing::kLock);
  write("wrong/forgetful.tenet", testing::kForgetful);
  Options options;
  options.variants = {folder_.string()};
  const result::RunResult run = verify({}, options);
  const result::Finding* finding = find(run, "variant-refuted", "forgetful");
  ASSERT_NE(finding, nullptr) << rules(run);
  EXPECT_THAT(finding->message, HasSubstr("forgetful violates exclusive after 4 steps in small"));
  ASSERT_TRUE(finding->trace);
  EXPECT_EQ(result::exit_status(run), 0);
}

TEST_F(Variants, ThatDoNoHarmAreNoSuccess) {
  write("lock.tenet", testing::kLock);
  write("wrong/harmless.tenet",
        "variant harmless of lock\n  in Client, step release: drop send Release\n  expect violated exclusive\n");
  Options options;
  options.variants = {folder_.string()};
  const result::RunResult run = verify({}, options);
  const result::Finding* finding = find(run, "variant-not-refuted", "harmless");
  ASSERT_NE(finding, nullptr) << rules(run);
  EXPECT_THAT(finding->message, HasSubstr("no violation in small"));
  EXPECT_EQ(result::exit_status(run), 2);
}

TEST_F(Variants, FindTheirProtocolInTheNearestFolder) {
  write("lock.tenet", "protocol lock\nthis one is broken and must not be taken\n");
  write("a/other_name.tenet", testing::kLock);
  const std::string variant = write("a/b/c/forgetful.tenet", testing::kForgetful);
  Options options;
  options.variants = {variant};
  const result::RunResult run = verify({}, options);
  EXPECT_NE(find(run, "variant-refuted"), nullptr) << rules(run);
}

TEST_F(Variants, OfAProtocolThatIsNotThereAreBadInput) {
  // A name that no folder above the temporary one will hold by chance.
  std::string text = testing::kForgetful;
  text.replace(text.find("of lock"), 7, "of a_protocol_that_is_nowhere");
  const std::string variant = write("forgetful.tenet", text);
  Options options;
  options.variants = {variant};
  const result::RunResult run = verify({}, options);
  EXPECT_NE(find(run, "no-such-protocol"), nullptr) << rules(run);
  EXPECT_EQ(result::exit_status(run), 3);
}

TEST_F(Variants, OfUnknownPropertiesAreBadInput) {
  write("lock.tenet", testing::kLock);
  std::string text = testing::kForgetful;
  text.replace(text.find("violated exclusive"), 18, "violated exclusion");
  Options options;
  options.variants = {write("wrong/x.tenet", text)};
  const result::RunResult run = verify({}, options);
  EXPECT_EQ(result::exit_status(run), 3) << rules(run);
}

TEST_F(Variants, AFolderWithoutAnyIsBadInput) {
  write("lock.tenet", testing::kLock);
  Options options;
  options.variants = {folder_.string()};
  EXPECT_EQ(result::exit_status(verify({}, options)), 3);
}

using Mutants = testing::Workspace;

TEST_F(Mutants, AreMadeAndTheSurvivorsListed) {
  Options options;
  options.mutate = true;
  options.accept_bounded = true;
  const result::RunResult run = verify({write("lock.tenet", testing::kLock)}, options);
  std::size_t made = 0;
  bool forgetful = false;
  for (const auto& finding : run.files[0].findings) {
    if (finding.subject_kind != "mutant") continue;
    ++made;
    EXPECT_FALSE(finding.verdict) << "a mutant decides nothing about the protocol";
    EXPECT_FALSE(finding.category.empty());
    const bool drops_free = finding.category == "drop-assignment" && finding.subject.find("Server") == 0;
    forgetful = forgetful ||
                (drops_free && finding.rule == "mutant-refuted" && finding.message.find("violates exclusive") == 0);
  }
  EXPECT_GE(made, 8U) << rules(run);
  EXPECT_TRUE(forgetful) << rules(run);
  EXPECT_EQ(result::exit_status(run), 0) << "survivors do not change the verdict";
}

TEST_F(Mutants, AreNotMadeOfWhatIsWrongItself) {
  std::string text = testing::kLock;
  text.replace(text.find("free = false  "), 14, "");
  Options options;
  options.mutate = true;
  const result::RunResult run = verify({write("lock.tenet", text)}, options);
  EXPECT_NE(find(run, "not-mutated"), nullptr) << rules(run);
}

}  // namespace
}  // namespace tenet::verify
