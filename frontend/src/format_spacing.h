/// Blanks between the tokens of one line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "parse.h"

namespace tenet::frontend {

/// What the tree knows about single tokens.
struct TokenFacts {
  std::vector<bool> callee;        ///< a name with its arguments: no blank before `(`
  std::vector<bool> type_bracket;  ///< `<` or `>` of a type
  std::vector<bool> set_brace;     ///< `{` or `}` of a set
  std::vector<bool> sum;           ///< `sum` with bound names behind it
  std::vector<bool> wide;          ///< begins an entry of an instance: two blanks before it
  std::vector<bool> dropped;       ///< a separator that the canonical form leaves out
};

/// For each token the number of blanks before it, were it not the first of
/// its line, and how deep in brackets it stands.
struct Spacing {
  std::vector<std::uint8_t> blanks;
  std::vector<std::uint16_t> depth;
  std::vector<bool> choice_colon;  ///< the `:` of `c ? a : b`
};

[[nodiscard]] Spacing spacing(const std::vector<Token>& tokens, const TokenFacts& facts);

}  // namespace tenet::frontend
