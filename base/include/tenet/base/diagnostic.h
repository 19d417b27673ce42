/// Diagnostics: what is wrong with the user's text, where, and what to do.
///
/// Wording: lower case, no full stop; first what was found, then the rule,
/// then a hint. Every diagnostic has a stable id from the registry in
/// `diagnostic_ids.h`; the id is also the SARIF rule id.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tenet/base/source.h"

namespace tenet {

enum class Severity { note, warning, error };

/// A secondary position that explains a diagnostic ("first declared here").
struct DiagnosticNote {
  Span span;
  std::string message;
};

struct Diagnostic {
  std::string id;  ///< kebab-case, registered; e.g. "unknown-name"
  Severity severity = Severity::error;
  Span span;
  std::string message;
  std::string hint;  ///< "did you mean 'ballot'?"; empty if there is none
  std::vector<DiagnosticNote> notes;
};

/// Collects the diagnostics of one source file. Not thread-safe.
class Diagnostics {
 public:
  Diagnostic& add(Diagnostic diagnostic);
  Diagnostic& error(std::string id, Span span, std::string message, std::string hint = {});
  Diagnostic& warning(std::string id, Span span, std::string message, std::string hint = {});

  [[nodiscard]] bool has_errors() const;
  [[nodiscard]] bool empty() const { return items_.empty(); }
  /// In source order; equal positions keep the order of insertion, exact
  /// duplicates (same id and span) appear once.
  [[nodiscard]] std::vector<Diagnostic> sorted() const;

 private:
  std::vector<Diagnostic> items_;
};

/// `path:line:column: error: message [id]`, the source line, the span
/// underlined, hint and notes; `colour` adds ANSI escapes.
[[nodiscard]] std::string render(const Diagnostic& diagnostic, const SourceFile& file, bool colour);

/// The candidate closest to `name` by edit distance, if close enough to be a
/// plausible slip of the pen; empty otherwise.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tenet
