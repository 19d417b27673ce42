// Files that hold input and expectation: exact diagnostics for bad ones, the
// IR for good ones, and several oracles over each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "support.h"
#include "tenet/base/diagnostic_ids.h"
#include "tenet/ir/printer.h"
#include "tenet/ir/verifier.h"

namespace tenet::frontend::test {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  std::string text;  ///< what the case expects
  Diagnostics diagnostics;
  std::optional<ir::Protocol> protocol;
};

Outcome run_case(const fs::path& path, const std::string& input) {
  Outcome outcome;
  const SourceFile file(path.filename().string(), input);
  if (kind_of(file) == FileKind::variant) {
    const std::string base_name = protocol_of_variant(file);
    const fs::path base_path = kRoot / "tests/frontend/bases" / (base_name + ".tenet");
    LoadedVariant loaded = load_variant(file, SourceFile(base_name + ".tenet", read_file(base_path)));
    outcome.diagnostics = loaded.diagnostics;
    outcome.text = render_all(loaded.diagnostics, file);
    if (loaded.variant) {
      outcome.text += loaded.variant->description + "\n";
      outcome.protocol = std::move(loaded.variant->protocol);
    }
  } else {
    Loaded loaded = load_protocol(file);
    outcome.diagnostics = loaded.diagnostics;
    outcome.text = render_all(loaded.diagnostics, file);
    outcome.protocol = std::move(loaded.protocol);
  }
  const bool prints = path.stem().string().starts_with("ir_") || path.stem().string().starts_with("pyv_ir_");
  if (outcome.protocol && prints) outcome.text += ir::print(*outcome.protocol);
  return outcome;
}

class Cases : public testing::TestWithParam<fs::path> {};

TEST_P(Cases, GiveExactlyWhatTheyExpect) {
  const Case expectation = read_case(GetParam());
  const Outcome outcome = run_case(GetParam(), expectation.input);
  if (std::getenv("TENET_UPDATE") != nullptr) {
    write_case(GetParam(), expectation.input, outcome.text);
    return;
  }
  EXPECT_EQ(outcome.text, expectation.expected) << "TENET_UPDATE=1 writes what is found now";
}

TEST_P(Cases, LowerToWellFormedIrThatReadsBack) {
  const Outcome outcome = run_case(GetParam(), read_case(GetParam()).input);
  if (!outcome.protocol) {
    EXPECT_TRUE(outcome.diagnostics.has_errors());
    return;
  }
  EXPECT_THAT(ir::verify_ir(*outcome.protocol), testing::IsEmpty());
  const std::string text = ir::print(*outcome.protocol);
  const auto again = ir::read(text);
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(ir::print(*again), text);
}

TEST_P(Cases, FormatToAFixedPointThatMeansTheSame) {
  const std::string input = read_case(GetParam()).input;
  const SourceFile file(GetParam().filename().string(), input);
  const Formatted once = format(file);
  if (!once.text) {
    EXPECT_TRUE(once.diagnostics.has_errors());
    return;
  }
  const Formatted twice = format(SourceFile("again", *once.text));
  ASSERT_TRUE(twice.text.has_value()) << *once.text;
  EXPECT_EQ(*twice.text, *once.text);
  const Outcome before = run_case(GetParam(), input);
  const Outcome after = run_case(GetParam(), *once.text);
  ASSERT_EQ(before.protocol.has_value(), after.protocol.has_value());
  if (before.protocol) {
    EXPECT_EQ(ir::print(*before.protocol), ir::print(*after.protocol));
  }
}

TEST_P(Cases, AreCutOffAnywhereWithoutHarm) {
  const std::string input = read_case(GetParam()).input;
  for (std::size_t size = 0; size < input.size(); ++size) {
    const SourceFile file(GetParam().filename().string(), input.substr(0, size));
    const Loaded loaded = load_protocol(file);
    for (const Diagnostic& d : loaded.diagnostics.sorted()) {
      ASSERT_LE(d.span.end, size);
      ASSERT_NE(find_diagnostic_id(d.id), nullptr) << d.id;
    }
    (void)format(file);
  }
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) { return info.param.stem().string(); }

INSTANTIATE_TEST_SUITE_P(Cases, Cases, testing::ValuesIn(tenet_files("tests/frontend/cases")), test_name);

TEST(DiagnosticIds, AreEachProducedByACase) {
  std::set<std::string> produced;
  const auto note = [&](const Diagnostics& diagnostics) {
    for (const Diagnostic& d : diagnostics.sorted()) {
      EXPECT_NE(find_diagnostic_id(d.id), nullptr) << "not registered: " << d.id;
      produced.insert(d.id);
    }
  };
  for (const fs::path& path : tenet_files("tests/frontend/cases")) {
    note(run_case(path, read_case(path).input).diagnostics);
  }
  // What no case should be large enough for.
  note(load_protocol(SourceFile("large", std::string(kMaxFileBytes + 1, ' '))).diagnostics);
  std::string complex = "protocol p\nconst s: set<nat> = {";
  for (int i = 0; i < (1 << 18) + 1; ++i) complex += "1,";
  note(load_protocol(SourceFile("complex", complex + "1}")).diagnostics);
  std::string wrong = "protocol p\naxiom nowhere";
  for (int i = 0; i < 300; ++i) wrong += " or nowhere";
  note(load_protocol(SourceFile("wrong", wrong)).diagnostics);
  for (const DiagnosticId& entry : diagnostic_ids()) {
    EXPECT_EQ(produced.count(std::string(entry.id)), 1u) << "no case produces " << entry.id;
  }
}

}  // namespace
}  // namespace tenet::frontend::test
