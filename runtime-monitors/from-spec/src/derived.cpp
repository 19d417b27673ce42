#include "tenet/from_spec/derived.h"

#include <fmt/format.h>

#include <map>

namespace tenet::from_spec {
namespace {

// What the first line says before the stamp.
constexpr std::string_view kTitle = "// Derived by `tenet invariants` of ";
constexpr std::string_view kBeforeStamp = ", stamp ";

}  // namespace

std::string write_derived(const std::string& protocol, const std::string& stamp, const std::vector<Derived>& facts) {
  std::string out = fmt::format("{}{}{}{}\n", kTitle, protocol, kBeforeStamp, stamp);
  std::map<std::string, int> numbers;
  for (const Derived& fact : facts) {
    const bool relates_states = fact.statement.find("old(") != std::string::npos;
    out += fmt::format("\n{} derived_{}_{}:\n  {}\n", relates_states ? "transition" : "safety", fact.kind,
                       ++numbers[fact.kind], fact.statement);
  }
  return out;
}

Result<void> check_derived(std::string_view text, const std::string& stamp) {
  const std::string_view first = text.substr(0, text.find('\n'));
  const std::size_t mark = first.rfind(kBeforeStamp);
  if (!first.starts_with(kTitle) || mark == std::string_view::npos) {
    return failure(ErrorKind::bad_input, "this is no file of `tenet invariants --properties`");
  }
  if (first.substr(mark + kBeforeStamp.size()) != stamp) {
    return failure(ErrorKind::bad_input, "derived of another version of the protocol: derive it anew");
  }
  return {};
}

}  // namespace tenet::from_spec
