#include "tenet/base/diagnostic.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "tenet/base/sort.h"

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
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::string_view>> seen;
  for (const Diagnostic& item : items_) {
    if (seen.emplace(item.span.begin, item.span.end, item.id).second) result.push_back(item);
  }
  stable_sort_by(result, 0, [](const Diagnostic& item) { return item.span.begin; });
  return result;
}

}  // namespace tenet
