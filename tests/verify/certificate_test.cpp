// What a proof rests on: written down, without circles, confirmed by a second solver.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tenet/report/report.h"
#include "tenet/verify/verify.h"
#include "workspace.h"

namespace tenet::verify {
namespace {

using Json = nlohmann::json;

class Certificate : public ::testing::TestWithParam<std::string> {
 protected:
  static result::RunResult run() {
    Options options;
    options.recheck = true;
    options.keep_queries = true;
    options.prove_seconds = 200;
    return verify({std::string(TENET_SOURCE_DIR) + "/protocols/" + GetParam() + "/" + GetParam() + ".tenet"}, options);
  }
};

TEST_P(Certificate, UsesNothingThatIsNotShownBefore) {
  const auto files = report::certificate(run());
  const auto manifest = std::find_if(files.begin(), files.end(),
                                     [&](const auto& file) { return file.path == GetParam() + "/manifest.json"; });
  ASSERT_NE(manifest, files.end());
  const Json json = Json::parse(manifest->text);
  std::set<std::string> shown;  // so far
  std::set<std::string> all;    // anywhere: enough for times before
  for (const Json& o : json.at("obligations")) all.insert(o.at("statement").get<std::string>());
  std::size_t uses = 0;
  for (const Json& o : json.at("obligations")) {
    const std::string statement = o.at("statement");
    for (const Json& use : o.at("uses")) {
      ++uses;
      const std::string used = use.at("statement");
      const bool earlier = use.at("earlier");
      EXPECT_TRUE(all.count(used) != 0) << statement << " uses " << used << ", which nothing shows";
      EXPECT_TRUE(earlier || used != statement) << statement << " uses itself";
      EXPECT_TRUE(earlier || shown.count(used) != 0) << statement << " uses " << used << ", which is shown later";
    }
    shown.insert(statement);
  }
  EXPECT_GT(uses, 0U);
  for (const Json& claim : json.at("claims")) {
    EXPECT_TRUE(claim.at("proved").get<bool>());
    EXPECT_TRUE(shown.count(claim.at("property").get<std::string>()) != 0);
  }
}

TEST_P(Certificate, HasAQueryForEachObligationThatNeedsASolver) {
  const result::RunResult result = run();
  const auto files = report::certificate(result);
  std::map<std::string, std::string> text;
  for (const auto& file : files) text[file.path] = file.text;
  const Json json = Json::parse(text.at(GetParam() + "/manifest.json"));
  std::size_t queries = 0;
  for (const Json& o : json.at("obligations")) {
    if (!o.contains("file")) {
      EXPECT_EQ(o.at("solver"), result::kSyntactic);
      continue;
    }
    ++queries;
    const std::string& query = text.at(GetParam() + "/" + o.at("file").get<std::string>());
    EXPECT_NE(query.find("(check-sat)"), std::string::npos);
    EXPECT_EQ(o.at("expected"), "unsat");
    EXPECT_NE(o.value("rechecked", ""), "") << o.dump(2);
  }
  EXPECT_EQ(queries + 1, files.size());
  const result::Proof& proof = *result.files[0].proof;
  EXPECT_EQ(proof.rechecked(), queries);
  EXPECT_EQ(proof.rechecked() + proof.syntactic(), proof.discharged());
}

INSTANTIATE_TEST_SUITE_P(Protocols, Certificate,
                         ::testing::Values("distributed_lock", "two_phase_commit", "echo_server",
                                           "simplified_leader_election"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace tenet::verify
