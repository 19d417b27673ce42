// Reading files, and what every `.tenet` file of the repository must satisfy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "support.h"
#include "tenet/base/diagnostic_ids.h"

namespace tenet::frontend::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ReadSource : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& content) {
    const fs::path path = folder_ / "file.tenet";
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  std::string cause(const std::string& path) {
    const auto source = read_source(path);
    if (source) return "it was read";
    EXPECT_EQ(source.error().kind, ErrorKind::bad_input);
    EXPECT_THAT(source.error().message, HasSubstr(path));
    return source.error().message;
  }
  fs::path folder_ = fs::temp_directory_path() / (std::string("tenet_read_source_") +
                                                  testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ReadSource, ReadsText) {
  const auto source = read_source(write("protocol p\n// \u2264\n"));
  ASSERT_TRUE(source.has_value());
  EXPECT_EQ(source->text(), "protocol p\n// \u2264\n");
}

TEST_F(ReadSource, NamesTheCauseOfEveryRefusal) {
  EXPECT_THAT(cause((folder_ / "absent").string()), HasSubstr("no such file"));
  EXPECT_THAT(cause(folder_.string()), HasSubstr("directory"));
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(cause((folder_ / "pipe").string()), HasSubstr("it is a pipe"));
  EXPECT_THAT(cause(write("")), HasSubstr("empty"));
  EXPECT_THAT(cause(write(std::string("proto\0col", 9))), HasSubstr("byte 5 (line 1) is zero"));
  EXPECT_THAT(cause(write("abc\xff")), HasSubstr("byte 3 (line 1) is 0xff"));
  EXPECT_THAT(cause(write("a\xc0\xaf")), HasSubstr("byte 1"));         // overlong
  EXPECT_THAT(cause(write("a\xed\xa0\x80")), HasSubstr("byte 1"));     // surrogate
  EXPECT_THAT(cause(write("ab\xe2\x89")), HasSubstr("byte 2"));        // cut off
  EXPECT_THAT(cause(write("\xf4\x90\x80\x80")), HasSubstr("byte 0"));  // beyond Unicode
  EXPECT_THAT(cause(write(std::string(kMaxFileBytes + 1, 'a'))), HasSubstr("too large"));
}

TEST_F(ReadSource, AllowsExactlyTheLimit) {
  EXPECT_TRUE(read_source(write(std::string(kMaxFileBytes, ' '))).has_value());
}

TEST(KindOf, LooksAtTheFirstWord) {
  EXPECT_EQ(kind_of(SourceFile("f", "// variant\n/* x */ protocol p")), FileKind::protocol);
  EXPECT_EQ(kind_of(SourceFile("f", "/// doc\nvariant v of p")), FileKind::variant);
  EXPECT_EQ(kind_of(SourceFile("f", "")), FileKind::unknown);
  EXPECT_EQ(kind_of(SourceFile("f", "protocols p")), FileKind::unknown);
}

TEST(ProtocolOfVariant, ReadsTheHeadOnly) {
  EXPECT_EQ(protocol_of_variant(SourceFile("f", "variant v of paxos nonsense")), "paxos");
  EXPECT_EQ(protocol_of_variant(SourceFile("f", "variant v paxos")), "");
  EXPECT_EQ(protocol_of_variant(SourceFile("f", "protocol p")), "");
}

std::vector<fs::path> shipped() {
  std::vector<fs::path> files = tenet_files("protocols");
  for (const char* folder : {"examples", "tests"}) {
    if (!fs::exists(kRoot / folder)) continue;
    for (const fs::path& path : tenet_files(folder)) files.push_back(path);
  }
  return files;
}

TEST(Shipped, FilesFormatToAFixedPoint) {
  for (const fs::path& path : shipped()) {
    const Formatted once = format(SourceFile(path.string(), read_file(path)));
    if (!once.text) continue;
    const Formatted twice = format(SourceFile(path.string(), *once.text));
    ASSERT_TRUE(twice.text.has_value()) << path;
    EXPECT_EQ(*twice.text, *once.text) << path;
  }
}

TEST(Shipped, ProtocolsAndVariantsLoadWithoutAWord) {
  for (const fs::path& path : tenet_files("protocols")) {
    const SourceFile file(path.string(), read_file(path));
    if (kind_of(file) == FileKind::protocol) {
      const Loaded loaded = load_protocol(file);
      EXPECT_TRUE(loaded.protocol.has_value() && loaded.diagnostics.empty()) << render_all(loaded.diagnostics, file);
      continue;
    }
    const fs::path folder = path.parent_path().parent_path();
    const fs::path base = folder / (folder.filename().string() + ".tenet");
    const LoadedVariant loaded = load_variant(file, SourceFile(base.string(), read_file(base)));
    EXPECT_TRUE(loaded.variant.has_value()) << render_all(loaded.diagnostics, file);
  }
}

TEST(Hostile, InputsEndSoonWithAMessage) {
  const auto repeat = [](const std::string& text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
  };
  const std::string head = "protocol p\nrole R { var x: nat = 0\n step s { ";
  const std::vector<std::string> inputs{
      "protocol p\naxiom " + repeat("(", 10000),
      "protocol p\naxiom " + repeat("not ", 10000) + "true",
      "protocol p\naxiom " + repeat("true => ", 10000) + "true",
      "protocol p\naxiom " + repeat("- ", 10000) + "1 > 0",
      "protocol p\naxiom " + repeat("true ? true : ", 10000) + "true",
      "protocol p\naxiom " + repeat("forall x: bool :: ", 10000) + "true",
      "protocol p\naxiom " + repeat("{", 10000),
      "protocol p\naxiom " + repeat("|", 10000),
      "protocol p\naxiom c" + repeat(".x", 10000),
      "protocol p\naxiom c" + repeat("[0]", 10000),
      "protocol p\nconst c: " + repeat("nat -> ", 10000) + "nat",
      "protocol p\nconst c: " + repeat("(", 10000) + "nat",
      head + repeat("if true { ", 10000),
      head + "if true { } " + repeat("else if true { } ", 10000) + "} }",
      head + "x = 1 " + repeat("+ 1 ", 100000) + "} }",
      head + repeat("}", 100000),
      repeat("{", 1000000),
      repeat("protocol p ", 100000),
      "protocol p\n" + repeat("safety s: x ==\n", 20000),
      std::string("pro\0", 4),  // a NUL byte at the very end
      std::string("protocol p\n\0\0\0\0", 15),
      "protocol p\n\xe2",
  };
  for (const std::string& input : inputs) {
    const SourceFile file("hostile", input);
    const Loaded loaded = load_protocol(file);
    EXPECT_TRUE(loaded.diagnostics.has_errors()) << input.substr(0, 80);
    EXPECT_FALSE(format(file).text.has_value()) << input.substr(0, 80);
  }
}

TEST(Hostile, LongChainsAreFine) {
  std::string text = "protocol p\nconst c: nat\naxiom c == 0";
  for (int i = 1; i < 20000; ++i) text += " or c == " + std::to_string(i);
  const Loaded loaded = load_protocol(SourceFile("chain", text));
  EXPECT_TRUE(loaded.protocol.has_value());
}

/// The formatter breaks one long line thousands of times: a slow way to find
/// the places would be felt as a time-out.
TEST(Hostile, LongExpressionsAreLaidOut) {
  std::string text = "protocol p\nconst c: nat\naxiom c == 0";
  for (int i = 1; i < 60000; ++i) text += " and c == " + std::to_string(i);
  const Formatted once = format(SourceFile("chain", text));
  ASSERT_TRUE(once.text.has_value());
  std::size_t longest = 0;
  std::size_t terms = 0;
  std::istringstream lines(*once.text);
  for (std::string line; std::getline(lines, line);) {
    longest = std::max(longest, line.size());
    for (std::size_t at = line.find("=="); at != std::string::npos; at = line.find("==", at + 1)) ++terms;
  }
  EXPECT_LE(longest, 110U);
  EXPECT_GT(longest, 90U) << "lines are filled";
  EXPECT_EQ(terms, 60000U);
  EXPECT_EQ(format(SourceFile("chain", *once.text)).text, once.text);
}

}  // namespace
}  // namespace tenet::frontend::test
