// What is shipped as proved is proved by the command that a user types.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

namespace tenet::tests {
namespace {

int verify(const std::string& arguments) {
  const std::string command = "'" TENET_TOOL "' verify --no-cache --quiet " + arguments + " > /dev/null 2> /dev/null";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

class ProvedProtocol : public testing::TestWithParam<std::string> {};

TEST_P(ProvedProtocol, IsProvedForAnyNumberOfHosts) {
  const std::string folder = TENET_SOURCE_DIR "/protocols/" + GetParam();
  const std::string file = folder + "/" + GetParam() + ".tenet";
  // On a machine that does much else the default may be too short.
  EXPECT_EQ(verify("--prove-seconds 200 " + file), 0);
  EXPECT_EQ(verify("--explore-only " + file), 2) << "the proof is what makes the difference";
}

INSTANTIATE_TEST_SUITE_P(Protocols, ProvedProtocol,
                         testing::Values("distributed_lock", "echo_server", "flexible_paxos", "lock_server", "paxos",
                                         "raft_leader_election", "reduce", "ring_leader_election", "sharded_store",
                                         "sharded_store_batched", "simplified_leader_election", "three_phase_commit",
                                         "two_phase_commit"),
                         [](const auto& test) { return test.param; });

TEST(ProvedProtocol, AWrongVariantStaysViolated) {
  EXPECT_EQ(verify("--variants " TENET_SOURCE_DIR "/protocols/two_phase_commit/wrong"), 0);
}

}  // namespace
}  // namespace tenet::tests
