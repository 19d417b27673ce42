#include "utf8.h"

#include <string>

namespace tenet::frontend {

namespace {

/// How long the sequence that begins with `lead` is, and which second bytes
/// it may have; length 0 if nothing begins so.
struct Form {
  std::size_t length;
  unsigned char low;
  unsigned char high;
};

Form form_of(unsigned char lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead >= 0xC2 && lead <= 0xDF) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const Form form = form_of(static_cast<unsigned char>(text[at]));
    if (form.length == 0 || at + form.length > text.size()) return at;
    for (std::size_t i = 1; i < form.length; ++i) {
      const auto byte = static_cast<unsigned char>(text[at + i]);
      const unsigned char low = i == 1 ? form.low : 0x80;
      const unsigned char high = i == 1 ? form.high : 0xBF;
      if (byte < low || byte > high) return at;
    }
    at += form.length;
  }
  return std::string::npos;
}

}  // namespace tenet::frontend
