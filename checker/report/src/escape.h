/// Text made safe for the place it is written to. All accept any bytes: what
/// is not UTF-8 becomes U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace tenet::report {

/// For XML and HTML, in text and in quoted attributes. Characters that XML 1.0
/// forbids become U+FFFD.
[[nodiscard]] std::string escape_markup(std::string_view text);

/// A path as the relative or absolute URI reference of SARIF.
[[nodiscard]] std::string escape_uri(std::string_view path);

}  // namespace tenet::report
