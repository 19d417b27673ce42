/// Foreign bytes made fit for messages and reports.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenet::smt {

/// Printable ASCII only, one line, at most `limit` characters.
[[nodiscard]] inline std::string printable(std::string_view text, std::size_t limit = 500) {
  std::string out;
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 ? ' ' : byte < 0x7f ? c : '?';
  }
  while (out.ends_with(' ')) out.pop_back();
  return text.size() > limit ? out + "..." : out;
}

}  // namespace tenet::smt
