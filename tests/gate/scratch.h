/// A Git repository for one test.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "lock.h"
#include "process.h"
#include "scratch_folder.h"
#include "tenet/gate/gate.h"

namespace tenet::testing {

/// With two instances, of which a change can take one away.
inline const std::string kTwoLocks = kLock + "instance large { Client = 3 }\n";  // NOLINT(cert-err58-cpp)

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
    git({"init", "-q", "-b", "main"});
    write("specs/lock.tenet", kTwoLocks);
    write("specs/wrong/forgetful.tenet", kForgetful);
    write("README.md", "a repository\n");
    commit();
    git({"checkout", "-q", "-b", "change"});
  }

  void git(const std::vector<std::string>& words) const { git_in(folder_, words); }
  static void git_in(const std::filesystem::path& folder, const std::vector<std::string>& words) {
    std::vector<std::string> all{
        "git", "-C", folder.string(), "-c", "user.name=Test", "-c", "user.email=test@example.org"};
    all.insert(all.end(), words.begin(), words.end());
    const auto done = gate::run_process(all, "");
    ASSERT_TRUE(done);
    ASSERT_EQ(done->status, 0) << done->errors;
  }
  void write(const std::string& name, const std::string& text) const { scratch_.write(name, text); }
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

  const ScratchFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path();
};

}  // namespace tenet::testing
