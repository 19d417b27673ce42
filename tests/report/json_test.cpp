#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "sample_run.h"
#include "schemas.h"
#include "tenet/report/report.h"

namespace tenet::report {
namespace {

using Json = nlohmann::json;

TEST(JsonReport, HasEverythingByItsSchema) {
  const Json json = Json::parse(report::json(testing::sample_run(), {}));
  EXPECT_EQ(json["schema"], "tenet-report");
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["tool"]["version"], "9.9");
  EXPECT_EQ(json["exit_status"], 1);
  EXPECT_EQ(json["files"][0]["runs"][0]["states"], 1234);
  EXPECT_EQ(json["files"][0]["runs"][0]["seconds"], 0.5);
  const Json& finding = json["files"][0]["findings"][0];
  EXPECT_EQ(finding["verdict"], "violated");
  EXPECT_EQ(finding["location"]["line"], 4);
  const Json& step = finding["trace"]["steps"][1];
  EXPECT_EQ(step["number"], 2);
  EXPECT_EQ(step["received"]["sent_by_step"], 1);
  EXPECT_EQ(step["changes"][0], Json({{"host", "Client#1"}, {"name", "has"}, {"before", "false"}, {"after", "true"}}));
  EXPECT_EQ(finding["trace"]["why"]["binding"][0], Json({{"name", "a"}, {"value", "Client#1"}}));
  EXPECT_FALSE(json["files"][0]["findings"][1].contains("trace"));
}

TEST(JsonReport, DeterministicHasNoTimes) {
  Style style;
  style.deterministic = true;
  const std::string out = report::json(testing::sample_run(), style);
  EXPECT_EQ(out.find("seconds"), std::string::npos);
  EXPECT_EQ(out.find("memory"), std::string::npos);
  EXPECT_EQ(out.find("cached"), std::string::npos);
}

TEST(JsonReport, SurvivesHostileText) {
  const Json json = Json::parse(report::json(testing::hostile_run(), {}));
  const std::string subject = json["files"][0]["findings"][0]["subject"];
  EXPECT_NE(subject.find("<script>alert(\"x\")</script>"), std::string::npos);
}

TEST(Sarif, HasResultsWithCodeFlows) {
  const Json json = Json::parse(sarif(testing::sample_run(), {}));
  EXPECT_EQ(json["version"], "2.1.0");
  const Json& run = json["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["name"], "tenet");
  EXPECT_EQ(run["invocations"][0]["exitCode"], 1);
  ASSERT_EQ(run["results"].size(), 3U);
  const Json& violated = run["results"][0];
  EXPECT_EQ(violated["kind"], "fail");
  EXPECT_EQ(violated["level"], "error");
  EXPECT_EQ(violated["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "dir/lock.tenet");
  EXPECT_EQ(violated["locations"][0]["physicalLocation"]["region"]["startLine"], 4);
  const Json& flow = violated["codeFlows"][0]["threadFlows"][0]["locations"];
  ASSERT_EQ(flow.size(), 3U);
  EXPECT_EQ(flow[0]["location"]["message"]["text"],
            "Server does grant(epoch = 1); given: {} → {1}; sends Grant(1) to all Client");
  EXPECT_EQ(flow[2]["executionOrder"], 3);
  // A bounded answer is an open one; "none" must go with every kind but "fail".
  EXPECT_EQ(run["results"][1]["kind"], "open");
  EXPECT_EQ(run["results"][1]["level"], "none");
  EXPECT_EQ(run["results"][2]["kind"], "pass");
  // Every rule that is used is declared.
  std::set<std::string> rules;
  for (const Json& rule : run["tool"]["driver"]["rules"]) rules.insert(rule["id"].get<std::string>());
  for (const Json& result : run["results"]) EXPECT_TRUE(rules.count(result["ruleId"].get<std::string>()) == 1);
}

TEST(Sarif, SurvivesHostileText) {
  const Json json = Json::parse(sarif(testing::hostile_run(), {}));
  const std::string uri = json["runs"][0]["artifacts"][0]["location"]["uri"];
  EXPECT_EQ(uri.find_first_of("<>\" \x01\xff"), std::string::npos) << uri;
}

TEST(Sarif, FollowsItsSchema) {
  EXPECT_EQ(testing::SarifCheck::wrong(sarif(testing::sample_run(), {})), "");
  EXPECT_EQ(testing::SarifCheck::wrong(sarif(testing::hostile_run(), {})), "");
  EXPECT_EQ(testing::SarifCheck::wrong(sarif({}, {})), "");
  EXPECT_NE(testing::SarifCheck::wrong(R"({"version": "2.1.0"})"), "") << "the check itself notices nothing";
}

TEST(Itf, WithoutATraceIsATraceWithoutStates) { EXPECT_EQ(testing::ItfCheck::wrong(itf_without_trace()), ""); }

TEST(Sarif, AbsolutePathsAreFileUris) {
  result::RunResult run = testing::sample_run();
  run.files[0].source = std::make_shared<SourceFile>("/a b/x.tenet", testing::kSampleText);
  const Json json = Json::parse(sarif(run, {}));
  EXPECT_EQ(json["runs"][0]["artifacts"][0]["location"]["uri"], "file:///a%20b/x.tenet");
}

}  // namespace
}  // namespace tenet::report
