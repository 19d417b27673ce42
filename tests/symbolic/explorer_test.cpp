/// Symbolic search against the explorer: in the bounds of an instance both find
/// the same, at the same length.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "generator.h"
#include "tenet/explore/explorer.h"
#include "tenet/frontend/frontend.h"
#include "tenet/symbolic/search.h"

namespace tenet::symbolic {
namespace {

/// Seeds of random protocols.
constexpr std::uint64_t kSeeds = 80;
constexpr unsigned kRandomDepth = 4;

/// The lengths of shortest runs to what was found, by property; kNone: a step without a result.
using Lengths = std::map<std::uint32_t, std::size_t>;

struct Explored {
  Lengths lengths;
  bool whole = false;  ///< every run of up to the depth was looked at
};

bool of_the_instance(const std::optional<ir::Fault>& fault) { return fault && !ir::of_the_protocol(fault->kind); }

Explored explored(const ir::Protocol& protocol, const ir::Instance& instance, unsigned depth,
                  const std::vector<ir::PropertyId>& properties) {
  explore::Options options;
  options.max_depth = depth;
  options.memory_bytes = 64ULL << 20;
  options.properties = properties;
  options.deadlocks = false;
  const auto report = explore::explore(protocol, instance, options);
  Explored made;
  if (!report) return made;
  made.whole = report->end != explore::End::memory;
  for (const explore::Found& found : report->found) {
    if (of_the_instance(found.fault)) {
      made.whole = false;  // the other engine does not count these
      continue;
    }
    const std::uint32_t which = found.kind == explore::FoundKind::fault ? ir::PropertyId::kNone : found.property.value;
    made.lengths.emplace(which, found.trace.actions.size());
  }
  return made;
}

Lengths lengths_of(const Report& report) {
  Lengths made;
  for (const Found& found : report.found) {
    made.emplace(found.property.valid() ? found.property.value : ir::PropertyId::kNone, found.trace.actions.size());
  }
  return made;
}

ir::Instance instance_of(const ir::Protocol& protocol, const ir::InstanceDecl& decl) {
  Diagnostics diagnostics;
  auto made = ir::Instance::resolve(protocol, &decl, diagnostics);
  EXPECT_TRUE(made.has_value());
  return *made;
}

TEST(SymbolicAgainstExplorer, RandomProtocols) {
  std::size_t compared = 0, found = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const SourceFile file("random.tenet", campaign::random_protocol(seed));
    const auto loaded = frontend::load_protocol(file);
    if (!loaded.protocol || loaded.diagnostics.has_errors()) continue;
    const ir::Protocol& protocol = *loaded.protocol;
    for (const ir::InstanceDecl& decl : protocol.instances) {
      const ir::Instance instance = instance_of(protocol, decl);
      const Explored seen = explored(protocol, instance, kRandomDepth, {});
      if (!seen.whole) continue;
      Options options;
      options.any_numbers = false;
      options.depth = kRandomDepth - 1;
      options.resource_limit = 3'000'000;
      const Report report = search(protocol, instance, options);
      if (!report.depth) continue;
      const Lengths lengths = lengths_of(report);
      const std::string about = "seed " + std::to_string(seed) + ", " + decl.name + "\n" + std::string(file.text());
      for (const auto& [which, length] : lengths) {
        const auto other = seen.lengths.find(which);
        ASSERT_TRUE(other != seen.lengths.end()) << about << "only symbolic search finds property " << which;
        EXPECT_EQ(other->second, length) << about << "property " << which;
        ++found;
      }
      for (const auto& [which, length] : seen.lengths) {
        if (length > *report.depth || lengths.contains(which)) continue;
        const bool open = std::any_of(report.open.begin(), report.open.end(), [&](const auto& each) {
          return (each.property.valid() ? each.property.value : ir::PropertyId::kNone) == which;
        });
        EXPECT_TRUE(open) << about << "only the explorer finds property " << which;
      }
      ++compared;
    }
  }
  // It would say nothing if nothing were ever compared or found.
  EXPECT_GT(compared, kSeeds / 3);
  EXPECT_GT(found, kSeeds / 2);
}

/// Both engines on the first instance; with any numbers the search may find more, and sooner, but no less.
std::size_t compare(const ir::Protocol& protocol, const std::string& about, unsigned depth) {
  const ir::Instance instance = instance_of(protocol, protocol.instances.front());
  const Explored seen = explored(protocol, instance, depth, {});
  EXPECT_TRUE(seen.whole) << about;
  Options options;
  options.depth = depth;
  options.any_numbers = false;
  const Report bounded = search(protocol, instance, options);
  EXPECT_TRUE(bounded.end == End::depth || bounded.end == End::decided || bounded.end == End::exhausted)
      << about << ": " << bounded.reason;
  EXPECT_TRUE(bounded.open.empty()) << about;
  EXPECT_EQ(lengths_of(bounded), seen.lengths) << about;
  options.any_numbers = true;
  const Lengths any = lengths_of(search(protocol, instance, options));
  for (const auto& [which, length] : seen.lengths) {
    const auto other = any.find(which);
    EXPECT_TRUE(other != any.end() && other->second <= length) << about << ": property " << which;
  }
  return seen.lengths.size();
}

/// Shipped protocols and their wrong variants, and how deep they are looked at.
class Shipped : public testing::TestWithParam<std::pair<const char*, unsigned>> {};

TEST_P(Shipped, ProtocolsAndWrongVariants) {
  const auto [name, depth] = GetParam();
  const std::filesystem::path folder = std::filesystem::path(TENET_SOURCE_DIR) / "protocols" / name;
  const auto base = frontend::read_source((folder / (std::string(name) + ".tenet")).string());
  ASSERT_TRUE(base.has_value());
  const auto healthy = frontend::load_protocol(*base);
  ASSERT_TRUE(healthy.protocol.has_value());
  compare(*healthy.protocol, name, depth);
  std::size_t found = 0;
  for (const auto& wrong : std::filesystem::directory_iterator(folder / "wrong")) {
    const auto file = frontend::read_source(wrong.path().string());
    ASSERT_TRUE(file.has_value());
    const auto loaded = frontend::load_variant(*file, *base);
    ASSERT_TRUE(loaded.variant.has_value());
    found += compare(loaded.variant->protocol, wrong.path().string(), depth);
  }
  EXPECT_GT(found, 1U);
}

INSTANTIATE_TEST_SUITE_P(SymbolicAgainstExplorer, Shipped,
                         testing::Values(std::pair("distributed_lock", 6U), std::pair("echo_server", 6U),
                                         std::pair("lock_server", 6U), std::pair("paxos", 7U), std::pair("reduce", 7U),
                                         std::pair("ring_leader_election", 5U), std::pair("sharded_store", 5U),
                                         std::pair("simplified_leader_election", 6U),
                                         std::pair("two_phase_commit", 6U)),
                         [](const auto& shipped) { return std::string(shipped.param.first); });

}  // namespace
}  // namespace tenet::symbolic
