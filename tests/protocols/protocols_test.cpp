// Every shipped protocol and every wrong variant, through the libraries.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tenet/explore/explorer.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/interpreter.h"

namespace tenet::tests {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = fs::path(TENET_SOURCE_DIR) / "protocols";

std::vector<std::string> protocol_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kRoot)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> variant_paths() {
  std::vector<std::string> paths;
  for (const std::string& name : protocol_names()) {
    for (const auto& entry : fs::directory_iterator(kRoot / name / "wrong")) {
      paths.push_back(fs::relative(entry.path(), kRoot).string());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

std::string messages(const Diagnostics& diagnostics, const SourceFile& file) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.sorted()) text += render(diagnostic, file, false);
  return text;
}

SourceFile source(const fs::path& path) {
  auto file = frontend::read_source(path.string());
  EXPECT_TRUE(file.has_value()) << path;
  return file ? *file : SourceFile();
}

ir::Instance resolve(const ir::Protocol& protocol, std::size_t index) {
  Diagnostics diagnostics;
  auto instance = ir::Instance::resolve(protocol, &protocol.instances.at(index), diagnostics);
  EXPECT_TRUE(instance.has_value() && diagnostics.empty());
  return *instance;
}

/// The recorded "states diameter" of each "protocol instance", with symmetry.
std::map<std::string, std::string> recorded_counts() {
  std::map<std::string, std::string> counts;
  std::ifstream in(fs::path(TENET_SOURCE_DIR) / "tests/protocols/counts.txt");
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string protocol, instance, states, diameter;
    words >> protocol >> instance >> states >> diameter;
    counts[protocol + " " + instance] = states + " " + diameter;
  }
  return counts;
}

class Shipped : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    file_ = source(kRoot / GetParam() / (GetParam() + ".tenet"));
    frontend::Loaded loaded = frontend::load_protocol(file_);
    ASSERT_TRUE(loaded.protocol.has_value()) << messages(loaded.diagnostics, file_);
    EXPECT_TRUE(loaded.diagnostics.empty()) << messages(loaded.diagnostics, file_);
    protocol_ = std::move(*loaded.protocol);
  }

  SourceFile file_;
  ir::Protocol protocol_;
};

TEST_P(Shipped, IsInCanonicalLayout) {
  const frontend::Formatted formatted = frontend::format(file_);
  ASSERT_TRUE(formatted.text.has_value());
  EXPECT_EQ(*formatted.text, file_.text());
}

TEST_P(Shipped, HasAPageAndNoLemma) {
  EXPECT_TRUE(fs::exists(kRoot / GetParam() / "README.md"));
  for (const ir::Property& property : protocol_.properties) EXPECT_NE(property.kind, ir::PropertyKind::lemma);
  EXPECT_EQ(protocol_.name, GetParam());
}

TEST_P(Shipped, HoldsInItsFirstInstance) {
  ASSERT_FALSE(protocol_.instances.empty());
  const ir::Instance instance = resolve(protocol_, 0);
  explore::Options options;
  options.threads = 2;
  const auto report = explore::explore(protocol_, instance, options);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_TRUE(report->end == explore::End::complete || report->end == explore::End::cut);
  std::size_t reached = 0;
  for (const explore::Found& found : report->found) {
    EXPECT_NE(found.kind, explore::FoundKind::violation) << protocol_[found.property].name;
    EXPECT_NE(found.kind, explore::FoundKind::fault);
    reached += found.kind == explore::FoundKind::reached ? 1 : 0;
  }
  EXPECT_GE(reached, 1U);
  EXPECT_TRUE(report->unreached.empty());
  EXPECT_TRUE(report->never_enabled.empty());
  EXPECT_TRUE(report->never_true.empty());

  const std::string key = GetParam() + " " + instance.name();
  EXPECT_EQ(recorded_counts()[key], std::to_string(report->states) + " " + std::to_string(report->depth)) << key;
}

INSTANTIATE_TEST_SUITE_P(Protocols, Shipped, testing::ValuesIn(protocol_names()),
                         [](const auto& test) { return test.param; });

class Wrong : public testing::TestWithParam<std::string> {};

TEST_P(Wrong, ViolatesThePropertyItNamesByATraceThatReplays) {
  const fs::path path = kRoot / GetParam();
  const SourceFile file = source(path);
  const std::string name = path.parent_path().parent_path().filename().string();
  const SourceFile base = source(kRoot / name / (name + ".tenet"));
  const frontend::LoadedVariant loaded = frontend::load_variant(file, base);
  ASSERT_TRUE(loaded.variant.has_value()) << messages(loaded.diagnostics, file);
  EXPECT_TRUE(loaded.diagnostics.empty()) << messages(loaded.diagnostics, file);
  EXPECT_EQ(loaded.variant->name, path.stem().string());
  EXPECT_FALSE(loaded.variant->doc.empty());
  EXPECT_EQ(*frontend::format(file).text, file.text());

  const ir::Protocol& protocol = loaded.variant->protocol;
  const auto property = std::ranges::find(protocol.properties, loaded.variant->expected_property, &ir::Property::name);
  ASSERT_NE(property, protocol.properties.end());
  explore::Options options;
  options.properties = {ir::PropertyId(static_cast<std::size_t>(property - protocol.properties.begin()))};
  options.deadlocks = false;
  options.threads = 2;
  bool violated = false;
  for (std::size_t i = 0; i < protocol.instances.size() && !violated; ++i) {
    const ir::Instance instance = resolve(protocol, i);
    const auto report = explore::explore(protocol, instance, options);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    for (const explore::Found& found : report->found) {
      if (found.kind != explore::FoundKind::violation) continue;
      EXPECT_FALSE(found.fault.has_value());
      EXPECT_EQ(ir::replay(protocol, instance, found.trace), "");
      violated = true;
    }
  }
  EXPECT_TRUE(violated) << loaded.variant->expected_property << " holds in every instance";
}

std::string test_name(const testing::TestParamInfo<std::string>& test) {
  const fs::path path(test.param);
  return path.parent_path().parent_path().string() + "_" + path.stem().string();
}

INSTANTIATE_TEST_SUITE_P(Variants, Wrong, testing::ValuesIn(variant_paths()), test_name);

/// The shortest traces of these variants are known from models that share nothing with this tool.
struct Length {
  std::string variant;
  std::string instance;
  std::size_t steps;
};

class ShortestTrace : public testing::TestWithParam<Length> {};

TEST_P(ShortestTrace, HasTheKnownLength) {
  const fs::path path = kRoot / GetParam().variant;
  const SourceFile file = source(path);
  const std::string name = path.parent_path().parent_path().filename().string();
  const SourceFile base = source(kRoot / name / (name + ".tenet"));
  const frontend::LoadedVariant loaded = frontend::load_variant(file, base);
  ASSERT_TRUE(loaded.variant.has_value()) << messages(loaded.diagnostics, file);
  const ir::Protocol& protocol = loaded.variant->protocol;
  const auto property = std::ranges::find(protocol.properties, loaded.variant->expected_property, &ir::Property::name);
  const auto instance = std::ranges::find(protocol.instances, GetParam().instance, &ir::InstanceDecl::name);
  ASSERT_NE(instance, protocol.instances.end());
  explore::Options options;
  options.properties = {ir::PropertyId(static_cast<std::size_t>(property - protocol.properties.begin()))};
  options.deadlocks = false;
  options.threads = 2;
  const auto report = explore::explore(
      protocol, resolve(protocol, static_cast<std::size_t>(instance - protocol.instances.begin())), options);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  const auto found = std::ranges::find(report->found, explore::FoundKind::violation, &explore::Found::kind);
  ASSERT_NE(found, report->found.end());
  EXPECT_EQ(found->trace.actions.size(), GetParam().steps);
}

/// The page of each protocol says how its steps map to those of the model.
INSTANTIATE_TEST_SUITE_P(Curp, ShortestTrace,
                         testing::Values(Length{"curp/wrong/finishes_on_one_accept.tenet", "reading", 13},
                                         Length{"curp/wrong/collects_before_sync.tenet", "reading", 17},
                                         Length{"curp/wrong/does_not_freeze.tenet", "reading", 15},
                                         Length{"curp/wrong/takes_old_epochs.tenet", "reading", 17},
                                         Length{"curp/wrong/answers_despite_a_conflict.tenet", "conflict", 18},
                                         Length{"curp/wrong/reads_unsynced.tenet", "reading", 11},
                                         Length{"curp/wrong/replays_again.tenet", "conflict", 12},
                                         Length{"curp/wrong/synced_on_one_backup.tenet", "reading", 15}),
                         [](const auto& test) { return fs::path(test.param.variant).stem().string(); });

TEST(Variants, AreAtLeastFourForEachProtocol) {
  EXPECT_GE(protocol_names().size(), 17U);
  for (const std::string& name : protocol_names()) {
    const auto entries = fs::directory_iterator(kRoot / name / "wrong");
    EXPECT_GE(std::distance(fs::begin(entries), fs::end(entries)), 4) << name;
  }
}

/// 288 and 8,832 states for three and five managers, in 80 and 314 orbits.
TEST(LamportTwoPhase, HasThePublishedCounts) {
  const SourceFile file = source(fs::path(TENET_SOURCE_DIR) / "tests/protocols/lamport_two_phase.tenet");
  const frontend::Loaded loaded = frontend::load_protocol(file);
  ASSERT_TRUE(loaded.protocol.has_value()) << messages(loaded.diagnostics, file);
  const std::uint64_t expected[2][2] = {{288, 80}, {8832, 314}};
  for (std::size_t instance = 0; instance < 2; ++instance) {
    for (const bool symmetry : {false, true}) {
      for (const unsigned threads : {1U, 2U}) {
        explore::Options options;
        options.symmetry = symmetry;
        options.threads = threads;
        const auto report = explore::explore(*loaded.protocol, resolve(*loaded.protocol, instance), options);
        ASSERT_TRUE(report.has_value()) << report.error().message;
        EXPECT_EQ(report->states, expected[instance][symmetry ? 1 : 0]) << "symmetry " << symmetry;
        EXPECT_TRUE(report->unreached.empty());
      }
    }
  }
}

}  // namespace
}  // namespace tenet::tests
