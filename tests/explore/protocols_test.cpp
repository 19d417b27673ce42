/// The shipped protocols against the obvious explorer.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "oracle.h"
#include "orbits.h"
#include "samples.h"
#include "tenet/frontend/frontend.h"

namespace tenet::explore {
namespace {

ir::Protocol load(const std::string& name) {
  const std::string path = std::string(TENET_SOURCE_DIR) + "/protocols/" + name + "/" + name + ".tenet";
  const auto source = frontend::read_source(path);
  EXPECT_TRUE(source) << source.error().message;
  auto loaded = frontend::load_protocol(*source);
  for (const Diagnostic& diagnostic : loaded.diagnostics.sorted()) ADD_FAILURE() << render(diagnostic, *source, false);
  return loaded.protocol ? std::move(*loaded.protocol) : ir::Protocol{};
}

struct Case {
  std::string protocol;
  std::vector<ir::InstanceEntry> entries;
};

void PrintTo(const Case& of, std::ostream* out) { *out << of.protocol; }

class Shipped : public testing::TestWithParam<Case> {};

TEST_P(Shipped, AgreesWithTheObviousExplorer) {
  const ir::Protocol p = load(GetParam().protocol);
  const ir::Instance instance = samples::instance(p, GetParam().entries);
  const oracle::Answer answer = oracle::explore(p, instance);
  for (const unsigned threads : {1U, 2U}) {
    Options options;
    options.threads = threads;
    options.symmetry = false;
    oracle::expect_agrees(p, instance, answer, options);
    options.symmetry = true;
    oracle::expect_agrees(p, instance, answer, options, false);
  }
}

TEST_P(Shipped, HasTheOrbitsThatAllPermutationsGive) {
  const ir::Protocol p = load(GetParam().protocol);
  const ir::Instance instance = samples::instance(p, GetParam().entries);
  const oracle::Orbits orbits(p, instance);
  const oracle::Answer answer =
      oracle::explore(p, instance, [&](const oracle::Whole& whole) { return orbits.smallest(whole); });
  oracle::expect_agrees(p, instance, answer, Options{});
}

using samples::range;
using samples::size;

INSTANTIATE_TEST_SUITE_P(All, Shipped,
                         testing::Values(Case{"two_phase_commit", {size("Participant", 2)}},
                                         Case{"two_phase_commit", {size("Participant", 3)}}, Case{"echo_server", {}},
                                         Case{"simplified_leader_election", {}}, Case{"ring_leader_election", {}},
                                         Case{"distributed_lock", {}}, Case{"raft_leader_election", {}},
                                         Case{"three_phase_commit", {size("Participant", 2)}},
                                         Case{"paxos",
                                              {size("Leader", 1), size("Acceptor", 2), size("Learner", 1),
                                               size("Value", 2), range("ballot", 0, 1)}}),
                         [](const auto& of) { return of.param.protocol + "_" + std::to_string(of.index); });

}  // namespace
}  // namespace tenet::explore
