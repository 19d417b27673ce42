/// A folder of protocol files for one test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "lock.h"
#include "scratch_folder.h"
#include "tenet/verify/verify.h"

namespace tenet::testing {

class Workspace : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const { return scratch_.write(name, text); }
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

  const ScratchFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path();
};

}  // namespace tenet::testing
