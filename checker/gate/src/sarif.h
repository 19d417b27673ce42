/// SARIF of a comparison, by the writer of the reports.
#pragma once

#include <string>
#include <vector>

#include "compare.h"
#include "tenet/gate/gate.h"
#include "tenet/result/result_model.h"

namespace tenet::gate {

/// Collects items that fail or warn as findings with the traces of the head.
class SarifResults {
 public:
  void add(const Compared& compared, Reaction reaction, const Unit& unit, const result::FileResult* head);
  /// One SARIF log.
  [[nodiscard]] std::string text(const std::string& version) const;

 private:
  result::RunResult run_;
};

/// One log from several of the same tool. Texts that are no SARIF log of ours
/// are left out. `status`: for the invocation.
[[nodiscard]] std::string joined_sarif(const std::vector<std::string>& texts, int status, bool successful);

}  // namespace tenet::gate
