/// From the explorations of a protocol to its findings.
#pragma once

#include <vector>

#include "exploration.h"
#include "tenet/ir/protocol.h"
#include "tenet/result/result_model.h"

namespace tenet::verify {

/// Verdicts on `asked`, then what else was found, in source order. An
/// exploration counts for the properties it was run with.
struct Explored {
  std::vector<Exploration> explorations;
  /// By exploration: the properties it looked at.
  std::vector<std::vector<ir::PropertyId>> looked_at;
  bool interrupted = false;
};
[[nodiscard]] std::vector<result::Finding> judge(const ir::Protocol& protocol, const std::vector<ir::PropertyId>& asked,
                                                 const Explored& explored);

/// "small, even and large".
[[nodiscard]] std::string names_of(const std::vector<Exploration>& explorations);

}  // namespace tenet::verify
