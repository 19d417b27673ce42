/// A folder of protocol files for one test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tenet/verify/verify.h"

namespace tenet::testing {

/// A lock that one client holds at a time; correct.
inline constexpr const char* kLock = R"(protocol lock
message Grant at most once
message Release at most once
role Server single {
  var free: bool = true
  step grant(c: Client) when free { free = false  send Grant to c }
  receive Release { free = true }
}
role Client {
  var has: bool = false
  receive Grant { has = true }
  step release when has { has = false  send Release to Server }
}
safety exclusive: forall a, b: Client :: a.has and b.has => a == b
reachable held: exists c: Client :: c.has
deadlock ok
instance small { Client = 2 }
)";

/// The same with a server that forgets to note what it gave away.
inline constexpr const char* kForgetful = R"(variant forgetful of lock
  in Server, step grant: drop assignment free
  expect violated exclusive
)";

class Workspace : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "tenet-verify-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  static const result::Finding* find(const result::RunResult& run, const std::string& rule,
                                     const std::string& subject = "") {
    for (const auto& file : run.files) {
      for (const auto& finding : file.findings) {
        if (finding.rule == rule && (subject.empty() || finding.subject == subject)) return &finding;
      }
    }
    return nullptr;
  }
  static std::string rules(const result::RunResult& run) {
    std::string text;
    for (const auto& problem : run.problems) text += problem.rule + ": " + problem.message + "\n";
    for (const auto& file : run.files) {
      for (const auto& finding : file.findings) text += finding.rule + ": " + finding.message + "\n";
    }
    return text;
  }

  std::filesystem::path folder_;
};

}  // namespace tenet::testing
