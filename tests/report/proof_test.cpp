// Proofs in every report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sample_run.h"
#include "tenet/report/report.h"

namespace tenet::report {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// One property proved, none violated.
result::RunResult proved_run() {
  result::RunResult run = testing::sample_run();
  run.files[0].findings = {testing::sample_pass(result::Verdict::proved, "calm", "safety")};
  run.files[0].proof = testing::sample_proof();
  return run;
}

TEST(Proof, TextSaysInALineWhatItRestsOn) {
  const std::string out = text(proved_run(), {});
  EXPECT_THAT(out, HasSubstr("  proved    safety calm: fine\n"));
  EXPECT_THAT(
      out, HasSubstr("  proof     1 of 2 properties: 2 derived invariants, 1 obligation discharged by Z3, 0.75 s\n"));
  EXPECT_THAT(out, HasSubstr("1 proved (1.50 s)"));
}

TEST(Proof, InvariantsAreGroupedByKindInAFixedOrder) {
  result::RunResult run = proved_run();
  run.command = "invariants";
  const std::string out = text(run, {});
  EXPECT_THAT(out, HasSubstr("\nstate: of the state of one host\n  forall c: Client :: c.ok\n"));
  EXPECT_LT(out.find("\nstate:"), out.find("\nmonotone:"));
  EXPECT_THAT(out, Not(HasSubstr("quiet")));
}

TEST(Proof, JsonHasClaimsInvariantsAndObligations) {
  const Json file = Json::parse(json(proved_run(), {}))["files"][0];
  EXPECT_EQ(file["proof"]["claims"][1], Json({{"property", "quiet"},
                                              {"proved", false},
                                              {"reason", "an execution remains"},
                                              {"open_execution", {"at 0: Server#1 does grant"}},
                                              {"rests_on", Json::array()}}));
  EXPECT_THAT(text(proved_run(), {}), HasSubstr("            at 0: Server#1 does grant\n"));
  EXPECT_EQ(file["proof"]["invariants"][0]["kind"], "monotone");
  EXPECT_EQ(file["proof"]["obligations"][0]["resources"], 7777);
  EXPECT_EQ(file["proof"]["obligations"][1]["discharged"], false);
  EXPECT_FALSE(Json::parse(json(testing::sample_run(), {}))["files"][0].contains("proof"));
}

TEST(Proof, PageTellsWhyItHolds) {
  const std::string page = html(proved_run(), {});
  EXPECT_THAT(page, HasSubstr("Why it holds for any number of hosts"));
  EXPECT_THAT(page, HasSubstr("<code>forall c: Client :: old(c.has) =&gt; c.has</code>"));
  EXPECT_THAT(page, HasSubstr("<summary>1 obligation discharged</summary>"));
  EXPECT_THAT(page, HasSubstr("1 attempt in vain, on which nothing rests"));
  EXPECT_THAT(html(testing::hostile_run(), {}), Not(HasSubstr("<script>alert")));
}

TEST(Proof, SarifAndJUnitPassWhatIsProved) {
  const Json result = Json::parse(sarif(proved_run(), {}))["runs"][0]["results"][0];
  EXPECT_EQ(result["kind"], "pass");
  EXPECT_EQ(result["properties"]["verdict"], "proved");
  EXPECT_THAT(junit(proved_run(), {}), HasSubstr("tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\""));
}

TEST(Proof, DeterministicLeavesOutTimesAndResources) {
  Style style;
  style.deterministic = true;
  for (const std::string& out : {text(proved_run(), style), json(proved_run(), style), html(proved_run(), style)}) {
    EXPECT_THAT(out, Not(HasSubstr("0.75")));
    EXPECT_THAT(out, Not(HasSubstr("7777")));
    EXPECT_THAT(out, Not(HasSubstr("7,777")));
    EXPECT_THAT(out, Not(HasSubstr("cached")));
  }
}

}  // namespace
}  // namespace tenet::report
