// Every wrong variant that is shipped: the property that it must violate is
// never proved.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "stop_after.h"
#include "tenet/frontend/frontend.h"
#include "tenet/provenance/prover.h"

namespace tenet::provenance {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(TENET_SOURCE_DIR) / "protocols";

std::vector<std::string> variant_paths() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".tenet" && path.parent_path().filename() == "wrong") {
      paths.push_back(fs::relative(path, kRoot).string());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

class ShippedVariant : public testing::TestWithParam<std::string> {};

TEST_P(ShippedVariant, IsNeverProvedRight) {
  const fs::path path = kRoot / GetParam();
  const std::string name = path.parent_path().parent_path().filename().string();
  const auto base = frontend::read_source((kRoot / name / (name + ".tenet")).string());
  const auto file = frontend::read_source(path.string());
  ASSERT_TRUE(base && file);
  const auto loaded = frontend::load_variant(*file, *base);
  ASSERT_TRUE(loaded.variant.has_value());
  const ir::Protocol& protocol = loaded.variant->protocol;
  const auto expected = std::ranges::find(protocol.properties, loaded.variant->expected_property, &ir::Property::name);
  ASSERT_NE(expected, protocol.properties.end());

  const campaign::StopAfter stop(std::chrono::milliseconds(1500));
  ProveOptions options;
  options.properties = {ir::PropertyId(static_cast<std::size_t>(expected - protocol.properties.begin()))};
  options.generations = 3;
  options.resource_limit = 200'000;
  options.stop = stop.flag();
  const Proof proof = prove(protocol, options);
  ASSERT_EQ(proof.claims.size(), 1U);
  EXPECT_EQ(proof.claims[0].property, options.properties[0]);
  EXPECT_NE(proof.claims[0].verdict, ClaimVerdict::proved) << expected->name << " is violated by a run";
  RecordProperty("stopped", stop.flag()->requested() ? "yes" : "no");
}

INSTANTIATE_TEST_SUITE_P(All, ShippedVariant, testing::ValuesIn(variant_paths()), [](const auto& test) {
  const fs::path path(test.param);
  return path.parent_path().parent_path().string() + "_" + path.stem().string();
});

}  // namespace
}  // namespace tenet::provenance
