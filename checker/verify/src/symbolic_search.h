/// Symbolic search for what the other engines left open, in words.
#pragma once

#include <string>
#include <vector>

#include "exploration.h"
#include "tenet/explore/explorer.h"
#include "tenet/ir/protocol.h"
#include "tenet/result/result_model.h"
#include "tenet/verify/verify.h"

namespace tenet::verify {

/// A trace whose numbers symbolic search chose.
inline constexpr const char* kSymbolicRun = "symbolic-run";

/// What came of it.
struct SymbolicAttempt {
  /// One for each thing that was found, in an instance with wide enough ranges.
  std::vector<Exploration> found;
  std::vector<result::SymbolicSearch> searches;  ///< one for each instance
  /// What is to be said of a property that was not found; empty: it was not looked for.
  [[nodiscard]] std::string about(const std::string& property) const;
};

/// Looks for violations of (or ways to reach) `properties`, and for steps
/// without a result if `faults`, with the hosts of each instance in turn.
[[nodiscard]] SymbolicAttempt search_symbolically(const Runner& runner, const Options& options,
                                                  const ir::Protocol& protocol,
                                                  const std::vector<NamedInstance>& instances,
                                                  std::vector<ir::PropertyId> properties, bool faults);

/// How deep `options` have it search: 0 if it is not to be tried.
[[nodiscard]] unsigned symbolic_depth(const Options& options);

}  // namespace tenet::verify
