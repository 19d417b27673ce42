/// UTF-8: what is well formed, and what a terminal may be sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenet {

/// A code point and the bytes it takes; size 0 where nothing well-formed is.
struct CodePoint {
  std::uint32_t value = 0;
  std::size_t size = 0;
};

/// The code point at the beginning of `text`, which must not be empty. Overlong
/// forms and surrogates are not well formed (RFC 3629, section 4).
[[nodiscard]] CodePoint decode_utf8(std::string_view text);

/// The offset of the first byte that is not part of well-formed UTF-8, or npos.
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

/// U+FFFD, which stands for what cannot be shown.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// What looks like nothing or like a blank, but is no ASCII blank.
[[nodiscard]] bool is_invisible(std::uint32_t code_point);

/// C0, DEL and C1.
[[nodiscard]] bool is_control(std::uint32_t code_point);

/// `text` for one line of a terminal, whatever its bytes are. Tabs stay; bytes
/// that are not UTF-8, control characters (an escape sequence in somebody's
/// file), and characters that have no width but change how others are read
/// (bidirectional controls, zero-width spaces) become U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);

/// The same for several lines: newlines stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace tenet
