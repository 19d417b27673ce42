#pragma once

#include <cstddef>
#include <string_view>

namespace tenet::frontend {

/// The offset of the first byte that is not part of well-formed UTF-8
/// (overlong forms and surrogates are not), or npos.
[[nodiscard]] std::size_t first_invalid_utf8(std::string_view text);

}  // namespace tenet::frontend
