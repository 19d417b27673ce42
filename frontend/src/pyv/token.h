/// Words of mypyvy's language, and the lexer that makes them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tenet/base/diagnostic.h"
#include "tenet/base/source.h"

namespace tenet::frontend::pyv {

enum class Tok : std::uint8_t {
  end,
  name,
  number,
  annotation,  ///< `@` and a word
  bad,         ///< a character that begins nothing
  // Punctuation
  lparen,
  rparen,
  lbracket,
  rbracket,
  lbrace,
  rbrace,
  dot,
  colon,
  comma,
  prime,
  bang,  ///< `!` or `~`
  ampersand,
  pipe,
  arrow,         ///< `->`
  double_arrow,  ///< `<->`
  equal,
  differs,  ///< `!=` or `~=`
  ge,
  gt,
  le,
  lt,
  plus,
  minus,
  star,
  // Reserved words
  kw_any,
  kw_assert,
  kw_axiom,
  kw_bool,
  kw_by,
  kw_constant,
  kw_definition,
  kw_derived,
  kw_distinct,
  kw_else,
  kw_exists,
  kw_false,
  kw_fbii,
  kw_forall,
  kw_function,
  kw_if,
  kw_immutable,
  kw_in,
  kw_init,
  kw_int,
  kw_invariant,
  kw_let,
  kw_modifies,
  kw_mutable,
  kw_new,
  kw_onestate,
  kw_prophecy,
  kw_relation,
  kw_safety,
  kw_sat,
  kw_sort,
  kw_then,
  kw_theorem,
  kw_trace,
  kw_transition,
  kw_true,
  kw_twostate,
  kw_unsat,
  kw_zerostate,
};

[[nodiscard]] constexpr bool is_word(Tok tok) { return tok >= Tok::kw_any; }

struct Token {
  Tok kind = Tok::end;
  std::string_view text;  ///< into the file
  Span span;
};

/// The words of the file; the last one is `Tok::end`, and empty. Comments
/// (`#` to the end of the line) and blanks are left out.
[[nodiscard]] std::vector<Token> tokenize(const SourceFile& file);

/// The reserved words in alphabetical order, for hints.
[[nodiscard]] std::vector<std::string_view> reserved_words();

}  // namespace tenet::frontend::pyv
