/// What is proved by induction must not be violated by the explorer.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "generator.h"
#include "tenet/explore/explorer.h"
#include "tenet/frontend/frontend.h"
#include "tenet/induct/induct.h"

namespace tenet::induct {
namespace {

/// Seeds of random protocols; every one is explored and asked about.
constexpr std::uint64_t kSeeds = 60;

struct Explored {
  std::set<ir::PropertyId> violated;
  bool faults = false;
};

Explored explore_all(const ir::Protocol& protocol, bool all_instances) {
  Explored out;
  for (const ir::InstanceDecl& declared : protocol.instances) {
    if (!all_instances && &declared != protocol.instances.data()) break;
    Diagnostics diagnostics;
    const auto instance = ir::Instance::resolve(protocol, &declared, diagnostics);
    if (!instance) continue;
    explore::Options options;
    options.memory_bytes = 16ULL << 20;
    options.max_depth = 12;
    const auto report = explore::explore(protocol, *instance, options);
    if (!report) continue;
    for (const explore::Found& found : report->found) {
      if (found.fault && !ir::of_the_protocol(found.fault->kind)) continue;
      if (found.kind == explore::FoundKind::violation) out.violated.insert(found.property);
      out.faults = out.faults || found.kind == explore::FoundKind::fault;
    }
  }
  return out;
}

/// All claims together; with `thorough` also each one alone, and in all instances.
void expect_no_contradiction(const ir::Protocol& protocol, const std::string& about, bool thorough,
                             std::size_t& proved) {
  const Explored explored = explore_all(protocol, thorough);
  Options options;
  options.resource_limit = 300'000;
  options.second_limit = 0;
  options.counterexamples = false;
  const auto ids = stated_claims(protocol);
  std::vector<std::vector<ir::PropertyId>> sets{ids};
  if (thorough) {
    for (const ir::PropertyId id : ids) sets.push_back({id});
  }
  for (const auto& set : sets) {
    std::vector<Claim> claims;
    for (const ir::PropertyId id : set) claims.push_back(claim_of(protocol, id));
    const Report report = check(protocol, claims, options);
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (!report.proved[i]) continue;
      ++proved;
      EXPECT_FALSE(explored.violated.contains(set[i])) << about << ": " << claims[i].name << " is proved and violated";
      EXPECT_FALSE(explored.faults) << about << ": " << claims[i].name << " is proved of steps that read nothing";
    }
  }
}

TEST(InductAgainstExplorer, RandomProtocols) {
  std::size_t proved = 0, protocols = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const SourceFile file("random.tenet", campaign::random_protocol(seed));
    const auto loaded = frontend::load_protocol(file);
    if (!loaded.protocol || loaded.diagnostics.has_errors()) continue;
    ++protocols;
    expect_no_contradiction(*loaded.protocol, "seed " + std::to_string(seed), true, proved);
  }
  // It would say nothing if nothing were ever proved.
  EXPECT_GT(protocols, kSeeds / 3);
  EXPECT_GT(proved, 10U);
}

TEST(InductAgainstExplorer, WrongVariantsOfTheShippedProtocols) {
  const std::filesystem::path folder = std::string(TENET_SOURCE_DIR) + "/protocols";
  std::size_t proved = 0;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    const std::string name = each.path().filename().string();
    const auto base = frontend::read_source((each.path() / (name + ".tenet")).string());
    if (!base || name == "curp") continue;
    for (const auto& wrong : std::filesystem::directory_iterator(each.path() / "wrong")) {
      const auto file = frontend::read_source(wrong.path().string());
      ASSERT_TRUE(file.has_value());
      const auto loaded = frontend::load_variant(*file, *base);
      ASSERT_TRUE(loaded.variant.has_value());
      expect_no_contradiction(loaded.variant->protocol, wrong.path().string(), false, proved);
    }
  }
}

}  // namespace
}  // namespace tenet::induct
