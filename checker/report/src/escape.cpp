#include "escape.h"

#include <cstdint>

#include "tenet/base/utf8.h"

namespace tenet::report {
namespace {

/// Copies `text`, each well-formed code point through `write`.
template <class Write>
std::string transcribe(std::string_view text, const Write& write) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    if (point.size == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    write(out, point.value, text.substr(0, point.size));
    text.remove_prefix(point.size);
  }
  return out;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  return transcribe(text, [](std::string& out, std::uint32_t value, std::string_view bytes) {
    switch (value) {
      case '&':
        out += "&amp;";
        return;
      case '<':
        out += "&lt;";
        return;
      case '>':
        out += "&gt;";
        return;
      case '"':
        out += "&quot;";
        return;
      case '\'':
        out += "&#39;";
        return;
      case '\n':
      case '\t':
        out += bytes;
        return;
      default:
        break;
    }
    const bool forbidden = is_control(value) || value == 0xFFFE || value == 0xFFFF;
    out += forbidden ? kReplacement : bytes;
  });
}

std::string escape_uri(std::string_view path) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  static constexpr std::string_view kPlain = "-._~/!$&'()*+,;=@";
  std::string out = !path.empty() && path.front() == '/' ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 0xF];
    }
  }
  return out;
}

}  // namespace tenet::report
