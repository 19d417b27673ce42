/// Tokens of the protocol language, and the lexer that makes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/base/source.h"

namespace tenet::frontend {

/// What a token is. Every word that the grammar uses has a kind of its own;
/// only the reserved ones (see `is_reserved`) may not be used as names.
enum class Tok : std::uint8_t {
  end,
  name,
  number,
  decimal,
  bad,  ///< a character or word that no rule accepts
  // Punctuation
  lparen,
  rparen,
  lbrace,
  rbrace,
  lbracket,
  rbracket,
  comma,
  semicolon,
  colon,
  colons,  ///< ::
  dot,
  dots,  ///< ..
  question,
  bar,
  arrow,      ///< ->
  fat_arrow,  ///< =>
  iff,        ///< <=>
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  assign,
  plus_assign,
  minus_assign,
  plus,
  minus,
  star,
  slash,
  percent,
  backslash,
  underscore,
  // Reserved words
  kw_all,
  kw_and,
  kw_choose,
  kw_else,
  kw_exists,
  kw_false,
  kw_forall,
  kw_if,
  kw_in,
  kw_intersect,
  kw_let,
  kw_majority,
  kw_none,
  kw_not,
  kw_old,
  kw_or,
  kw_self,
  kw_send,
  kw_sent,
  kw_some,
  kw_subset,
  kw_true,
  kw_union,
  kw_when,
  kw_where,
  // Words with a meaning in some places, names elsewhere
  kw_add,
  kw_as,
  kw_assignment,
  kw_at,
  kw_axiom,
  kw_any,
  kw_bool,
  kw_by,
  kw_byzantine,
  kw_clock,
  kw_conjunct,
  kw_const,
  kw_crashes,
  kw_deadlock,
  kw_delivery,
  kw_drop,
  kw_each,
  kw_enum,
  kw_expect,
  kw_from,
  kw_function,
  kw_guard,
  kw_import,
  kw_init,
  kw_instance,
  kw_int,
  kw_keys,
  kw_lemma,
  kw_map,
  kw_message,
  kw_most,
  kw_nat,
  kw_of,
  kw_ok,
  kw_once,
  kw_operation,
  kw_option,
  kw_order,
  kw_ordered,
  kw_passive,
  kw_protocol,
  kw_quorums,
  kw_reachable,
  kw_real,
  kw_receive,
  kw_relation,
  kw_replace,
  kw_role,
  kw_safety,
  kw_seq,
  kw_set,
  kw_signed,
  kw_single,
  kw_step,
  kw_struct,
  kw_sum,
  kw_to,
  kw_transition,
  kw_type,
  kw_unique,
  kw_upto,
  kw_var,
  kw_variant,
  kw_violated,
  kw_volatile,
};

[[nodiscard]] constexpr bool is_reserved(Tok tok) { return tok >= Tok::kw_all && tok <= Tok::kw_where; }
[[nodiscard]] constexpr bool is_word(Tok tok) { return tok >= Tok::kw_all; }
/// A word that may be used as a name.
[[nodiscard]] constexpr bool is_name(Tok tok) { return tok == Tok::name || (is_word(tok) && !is_reserved(tok)); }

/// How the token is written (`=>`, `step`), or its class ("a name").
[[nodiscard]] std::string_view spelling(Tok tok);

struct Token {
  Tok kind = Tok::end;
  bool first_on_line = false;
  bool at_margin = false;  ///< in the first column
  Span span;
  std::string_view text;  ///< into the source text
};

/// More than any readable protocol has: a hostile file must not fill memory.
inline constexpr std::size_t kMaxTokens = 1u << 19;

struct Comment {
  Span span;
  bool line = true;           ///< `// …`, not `/* … */`
  bool doc = false;           ///< `/// …`
  bool first_on_line = true;  ///< nothing but blanks before it on its line
};

/// The tokens of a text, an `end` token last, and its comments. Never fails:
/// what is not a token becomes `bad`. Views point into `file`.
struct TokenList {
  std::vector<Token> tokens;
  std::vector<Comment> comments;
  bool too_many = false;      ///< reading stopped after `kMaxTokens`
  Span unterminated_comment;  ///< of a `/*` without its end, else empty
};

[[nodiscard]] TokenList tokenize(const SourceFile& file);

/// The `///` lines directly before the token that starts at `offset`, joined,
/// without their marks.
[[nodiscard]] std::string doc_before(const TokenList& list, const SourceFile& file, std::uint32_t offset);

}  // namespace tenet::frontend
