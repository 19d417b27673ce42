/// A Git repository for one test.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "process.h"
#include "tenet/gate/gate.h"

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
instance large { Client = 3 }
)";

/// The same with a server that forgets to note what it gave away.
inline constexpr const char* kForgetful = R"(variant forgetful of lock
  in Server, step grant: drop assignment free
  expect violated exclusive
)";

/// Text with one place replaced, which must be there.
inline std::string with(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

/// Begins with one commit on `main` that has the lock and its variant, and
/// stands on a branch for a change.
class Scratch : public ::testing::Test {
 protected:
  void SetUp() override {
    // Nothing of the user's own settings: hooks, signatures, names of branches.
    ::setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    std::string pattern = (std::filesystem::temp_directory_path() / "tenet-gate-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    git({"init", "-q", "-b", "main"});
    write("specs/lock.tenet", kLock);
    write("specs/wrong/forgetful.tenet", kForgetful);
    write("README.md", "a repository\n");
    commit();
    git({"checkout", "-q", "-b", "change"});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void git(const std::vector<std::string>& words) const { git_in(folder_, words); }
  static void git_in(const std::filesystem::path& folder, const std::vector<std::string>& words) {
    std::vector<std::string> all{
        "git", "-C", folder.string(), "-c", "user.name=Test", "-c", "user.email=test@example.org"};
    all.insert(all.end(), words.begin(), words.end());
    const auto done = gate::run_process(all, "");
    ASSERT_TRUE(done);
    ASSERT_EQ(done->status, 0) << done->errors;
  }
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  void commit() const {
    git({"add", "-A"});
    git({"commit", "-q", "--allow-empty", "-m", "step"});
  }
  /// What becomes part of the base.
  void on_main(const std::string& name, const std::string& text) const {
    git({"checkout", "-q", "main"});
    write(name, text);
    commit();
    git({"checkout", "-q", "-B", "change"});
  }
  void change(const std::string& name, const std::string& text) const {
    write(name, text);
    commit();
  }

  [[nodiscard]] gate::Options options() const {
    gate::Options made;
    made.repository = folder_.string();
    made.base = "main";
    made.verify.jobs = 2;
    made.verify.memory_bytes = 256U << 20;
    return made;
  }
  [[nodiscard]] gate::Outcome run() const {
    auto outcome = gate::run(options());
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? *outcome : gate::Outcome{};
  }
  /// "proof-lost exclusive": what fails or warns or is ignored, in order.
  static std::vector<std::string> items(const gate::Outcome& outcome) {
    std::vector<std::string> all;
    for (const auto& unit : outcome.units) {
      for (const auto& item : unit.items) {
        if (item.change != gate::Change::only_bounded)
          all.push_back(std::string(gate::name(item.change)) + " " + item.subject);
      }
    }
    return all;
  }

  std::filesystem::path folder_;
};

}  // namespace tenet::testing
