#include "tenet/base/utf8.h"

namespace tenet {
namespace {

/// Zero-width space, direction marks, line separators, embeddings, overrides,
/// isolates, word joiner, byte order mark. Joiners are not among them: scripts
/// and emoji need them.
bool is_hidden(std::uint32_t value) {
  return value == 0x061C || value == 0x200B || value == 0x200E || value == 0x200F ||
         (value >= 0x2028 && value <= 0x202E) || value == 0x2060 || (value >= 0x2066 && value <= 0x2069) ||
         value == 0xFEFF;
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
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

std::size_t first_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = decode_utf8(text.substr(at)).size;
    if (size == 0) return at;
    at += size;
  }
  return std::string_view::npos;
}

bool is_control(std::uint32_t code_point) { return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0); }

bool is_invisible(std::uint32_t code_point) {
  const bool blank = code_point == 0xA0 || code_point == 0x1680 || (code_point >= 0x2000 && code_point <= 0x200D) ||
                     code_point == 0x202F || code_point == 0x205F || code_point == 0x3000;
  return blank || is_control(code_point) || is_hidden(code_point);
}

namespace {

/// `text` without controls but the `kept` ones, and without hidden characters.
std::string shown(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    const bool control = is_control(point.value) && kept.find(text.front()) == std::string_view::npos;
    const std::size_t size = point.size > 0 ? point.size : 1;
    out += point.size > 0 && !control && !is_hidden(point.value) ? text.substr(0, size) : kReplacement;
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return shown(text, "\t"); }

std::string printable_lines(std::string_view text) { return shown(text, "\t\n"); }

}  // namespace tenet
