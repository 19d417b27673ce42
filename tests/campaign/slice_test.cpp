// A slice of the campaign that `./dev campaign` runs at length.
#include <gtest/gtest.h>

#include "contest.h"
#include "disguise.h"
#include "generator.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/verifier.h"
#include "tenet/provenance/prover.h"

namespace tenet::campaign {
namespace {

/// So many seeds a test; about one text in two means something.
constexpr std::uint64_t kSeeds = 12;

class RandomProtocols : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomProtocols, ProverAndExplorerAgree) {
  Limits limits;
  limits.prove_milliseconds = 700;
  limits.explore_bytes = 16ULL << 20;
  Score total;
  for (std::uint64_t seed = GetParam() * kSeeds; seed < (GetParam() + 1) * kSeeds; ++seed) {
    const std::string text = random_protocol(seed);
    const auto loaded = frontend::load_protocol(SourceFile("random.tenet", text));
    if (!loaded.protocol) continue;
    const Score score = contest(*loaded.protocol, limits);
    for (const std::string& what : score.contradictions) ADD_FAILURE() << what << "\n" << text;
    total.add(score);
  }
  RecordProperty("claims", static_cast<int>(total.claims));
  RecordProperty("violated", static_cast<int>(total.violated));
  RecordProperty("proved", static_cast<int>(total.proved));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProtocols, testing::Range(std::uint64_t{1}, std::uint64_t{9}));

TEST(RandomProtocols, AreTheSameForTheSameSeed) {
  EXPECT_EQ(random_protocol(7), random_protocol(7));
  EXPECT_NE(random_protocol(7), random_protocol(8));
}

/// A slice that decides nothing would agree with everything.
TEST(RandomProtocols, AreWellTypedViolatedAndProvedOftenEnough) {
  Score total;
  for (std::uint64_t seed = 1; seed < 40 && (total.violated < 3 || total.proved < 3); ++seed) {
    const auto loaded = frontend::load_protocol(SourceFile("random.tenet", random_protocol(seed)));
    if (loaded.protocol) total.add(contest(*loaded.protocol, {}));
  }
  EXPECT_GE(total.violated, 3U);
  EXPECT_GE(total.proved, 3U);
}

TEST(Disguise, KeepsWhatIsProved) {
  for (const char* name : {"two_phase_commit", "distributed_lock", "ring_leader_election"}) {
    const std::string path = std::string(TENET_SOURCE_DIR) + "/protocols/" + name + "/" + name + ".tenet";
    const auto file = frontend::read_source(path);
    ASSERT_TRUE(file.has_value());
    const ir::Protocol protocol = *frontend::load_protocol(*file).protocol;
    const Disguise other = disguise(protocol, 3);
    EXPECT_TRUE(ir::verify_ir(other.protocol).empty());
    EXPECT_NE(other.protocol.roles[0].name, protocol.roles[0].name);
    const provenance::Proof plain = provenance::prove(protocol, {}), proof = provenance::prove(other.protocol, {});
    ASSERT_EQ(proof.claims.size(), plain.claims.size());
    for (const provenance::Claim& claim : proof.claims) {
      EXPECT_EQ(claim.verdict, provenance::ClaimVerdict::proved)
          << protocol.properties[other.order[claim.property.index()]].name << " in " << name;
    }
  }
}

}  // namespace
}  // namespace tenet::campaign
