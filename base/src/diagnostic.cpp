#include "tenet/base/diagnostic.h"

#include <algorithm>
#include <utility>

namespace tenet {

Diagnostic& Diagnostics::add(Diagnostic diagnostic) {
  items_.push_back(std::move(diagnostic));
  return items_.back();
}

Diagnostic& Diagnostics::error(std::string id, Span span, std::string message, std::string hint) {
  return add({std::move(id), Severity::error, span, std::move(message), std::move(hint), {}});
}

Diagnostic& Diagnostics::warning(std::string id, Span span, std::string message, std::string hint) {
  return add({std::move(id), Severity::warning, span, std::move(message), std::move(hint), {}});
}

bool Diagnostics::has_errors() const {
  return std::any_of(items_.begin(), items_.end(), [](const Diagnostic& d) { return d.severity == Severity::error; });
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> result;
  for (const Diagnostic& item : items_) {
    const bool duplicate = std::any_of(result.begin(), result.end(), [&](const Diagnostic& seen) {
      return seen.id == item.id && seen.span == item.span;
    });
    if (!duplicate) result.push_back(item);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
  return result;
}

}  // namespace tenet
