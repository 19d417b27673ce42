/// Findings of a check for people and for programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tenet/base/result.h"
#include "tenet/training/check.h"

namespace tenet::training {

struct NamedResult {
  std::string run;  ///< the path as given
  CheckResult result;
};

struct ReportOptions {
  std::size_t groups = 10;  ///< shown on the console; 0 = all
  bool all = false;         ///< every violation of a group, not only the first three
};

/// For a terminal.
[[nodiscard]] std::string console_report(const std::vector<NamedResult>& results, const InvariantSet& set,
                                         const ReportOptions& options);
/// Everything, one JSON document; deterministic.
[[nodiscard]] std::string json_report(const std::vector<NamedResult>& results, const InvariantSet& set);
/// One self-contained page with a timeline of violations and plots of the quantities involved.
[[nodiscard]] std::string html_report(const std::vector<NamedResult>& results, const InvariantSet& set);

/// An event file that TensorBoard reads: each series as a scalar, violations per step as `tenet/violations`.
/// `wall_time` (seconds since 1970) stamps the events.
[[nodiscard]] std::vector<std::uint8_t> tensorboard_events(const CheckResult& result, double wall_time);
/// Writes it into a folder as `events.out.tfevents.TIME.tenet`.
[[nodiscard]] Result<std::string> write_tensorboard(const CheckResult& result, const std::string& folder);

}  // namespace tenet::training
