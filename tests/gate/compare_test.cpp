#include "compare.h"

#include <gmock/gmock.h>

namespace tenet::gate {
namespace {

using result::Verdict;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kText = "protocol p\nrole Node { var a: bool = false }\nsafety s: forall x: Node :: not x.a\n";

/// Both sides have the same text, and the answers that are said.
std::vector<std::string> compared(Verdict before, Verdict after) {
  TreeFile file;
  file.path = "p.tenet";
  file.source = std::make_shared<SourceFile>("p.tenet", kText);
  file.kind = frontend::FileKind::protocol;
  file.protocol = std::make_shared<ir::Protocol>(std::move(*frontend::load_protocol(*file.source).protocol));
  Unit unit;
  unit.base = {&file, "p", std::nullopt, nullptr};
  unit.head = unit.base;
  const auto answered = [&](Verdict verdict) {
    result::FileResult result;
    result.source = file.source;
    result::Finding finding;
    finding.verdict = verdict;
    finding.subject = "s";
    finding.subject_kind = "safety";
    result.findings.push_back(finding);
    return result;
  };
  const result::FileResult was = answered(before);
  const result::FileResult is = answered(after);
  std::vector<std::string> names;
  for (const Compared& each : compare(unit, &was, &is)) names.emplace_back(name(each.item.change));
  return names;
}

TEST(Comparisons, TakeWhatIsAsGoodOrBetter) {
  EXPECT_THAT(compared(Verdict::proved, Verdict::proved), IsEmpty());
  EXPECT_THAT(compared(Verdict::violated, Verdict::proved), IsEmpty());
  EXPECT_THAT(compared(Verdict::unknown, Verdict::proved), IsEmpty());
  EXPECT_THAT(compared(Verdict::unknown, Verdict::holds_bounded), ElementsAre("only-bounded"));
}

TEST(Comparisons, SeeAProofThatIsLost) {
  EXPECT_THAT(compared(Verdict::proved, Verdict::holds_bounded), ElementsAre("only-bounded", "proof-lost"));
  EXPECT_THAT(compared(Verdict::proved, Verdict::unknown), ElementsAre("newly-unknown", "proof-lost"));
  EXPECT_THAT(compared(Verdict::proved, Verdict::violated), ElementsAre("newly-violated"));
}

TEST(Comparisons, TellNewFromOld) {
  EXPECT_THAT(compared(Verdict::holds_bounded, Verdict::violated), ElementsAre("newly-violated"));
  EXPECT_THAT(compared(Verdict::unknown, Verdict::violated), ElementsAre("newly-violated"));
  EXPECT_THAT(compared(Verdict::violated, Verdict::violated), ElementsAre("still-violated"));
  EXPECT_THAT(compared(Verdict::holds_bounded, Verdict::unknown), ElementsAre("newly-unknown"));
  EXPECT_THAT(compared(Verdict::holds_bounded, Verdict::unsupported), ElementsAre("newly-unknown"));
  EXPECT_THAT(compared(Verdict::unsupported, Verdict::unknown), ElementsAre("still-unknown"));
}

TEST(Comparisons, NeedTheBaseOnlyWhereItCouldBeBetter) {
  result::FileResult file;
  EXPECT_TRUE(beyond_doubt(file));
  file.findings.resize(1);
  file.findings[0].verdict = Verdict::reached;
  EXPECT_TRUE(beyond_doubt(file));
  file.findings[0].verdict = Verdict::holds_bounded;
  EXPECT_FALSE(beyond_doubt(file));
}

}  // namespace
}  // namespace tenet::gate
