/// Where lines begin in the canonical layout, and how far they are indented.
#pragma once

#include <cstdint>
#include <vector>

#include "format_spacing.h"
#include "parse.h"

namespace tenet::frontend {

inline constexpr std::size_t kLineWidth = 110;

struct LineStart {
  bool starts = false;
  bool blank_before = false;  ///< always an empty line before it
  bool continuation = false;  ///< goes on with the line before
  std::uint16_t indent = 0;   ///< in blanks
};

struct Lines {
  std::vector<LineStart> starts;  ///< by token
  TokenFacts facts;
  Spacing spaces;
};

[[nodiscard]] Lines lines(const Parsed& parsed);

}  // namespace tenet::frontend
