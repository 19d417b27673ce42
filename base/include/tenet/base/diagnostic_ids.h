/// The registry of diagnostic ids: every id that a `Diagnostic` may carry,
/// with one sentence on what it means. The id is also the SARIF rule id, so
/// it never changes its meaning.
#pragma once

#include <span>
#include <string_view>

namespace tenet {

struct DiagnosticId {
  std::string_view id;       ///< kebab-case
  std::string_view meaning;  ///< one sentence: lower case, no full stop
};

/// All of them, in alphabetical order. Lives forever; thread-safe.
[[nodiscard]] std::span<const DiagnosticId> diagnostic_ids();

/// The entry of `id`, or null.
[[nodiscard]] const DiagnosticId* find_diagnostic_id(std::string_view id);

}  // namespace tenet
