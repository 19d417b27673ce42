#include "escape.h"

#include <cstdint>

namespace tenet::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The code point at the beginning of `text` and its bytes; size 0 if it is
/// not well-formed UTF-8.
struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;
};

CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xF0 && first < 0xF5   ? 4
                           : first >= 0xE0 && first < 0xF0 ? 3
                           : first >= 0xC2 && first < 0xE0 ? 2
                                                           : 0;
  if (size == 0 || size > text.size()) return {};
  std::uint32_t value = first & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(i) & 0x3FU);
  }
  const bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return {};
  return {value, size};
}

/// Copies `text`, each well-formed code point through `write`.
template <class Write>
std::string transcribe(std::string_view text, const Write& write) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode(text);
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

bool control(std::uint32_t value) { return value < 0x20 || (value >= 0x7F && value < 0xA0); }

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
    const bool forbidden = control(value) || value == 0xFFFE || value == 0xFFFF;
    out += forbidden ? kReplacement : bytes;
  });
}

std::string printable(std::string_view text) {
  return transcribe(text, [](std::string& out, std::uint32_t value, std::string_view bytes) {
    out += control(value) && value != '\t' ? kReplacement : bytes;
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
