/// Where reports may go: no two into one file, none over the input, none over
/// what somebody else has written.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "arguments.h"

namespace tenet::cli {

/// Remembers where reports went. A place is a file, however its path is
/// spelled and whichever links lead to it.
class ReportPlaces {
 public:
  /// `inputs`: files that must stay as they are.
  explicit ReportPlaces(std::vector<std::string> inputs) : inputs_(std::move(inputs)) {}

  /// Takes the place for one report. Otherwise what is wrong with it: there is
  /// no folder for it, or it is one; a report goes there already; it is a
  /// protocol, one of the inputs, or a file with anything but a report in it: a
  /// slip of the hand must not cost a text.
  [[nodiscard]] std::optional<std::string> take(const std::string& path);

 private:
  std::vector<std::string> inputs_;
  std::set<std::string> taken_;
};

/// The first thing wrong with the places that are asked for, before any work
/// is done for them.
[[nodiscard]] std::optional<std::string> wrong_place(const ReportFiles& files, const std::vector<std::string>& inputs);

}  // namespace tenet::cli
