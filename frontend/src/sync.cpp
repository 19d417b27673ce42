#include "sync.h"

#include <algorithm>

namespace tenet::frontend::sync {

namespace {

bool is_declaration_word(Tok kind) {
  switch (kind) {
    case Tok::kw_import:
    case Tok::kw_enum:
    case Tok::kw_type:
    case Tok::kw_struct:
    case Tok::kw_message:
    case Tok::kw_signed:
    case Tok::kw_const:
    case Tok::kw_axiom:
    case Tok::kw_init:
    case Tok::kw_passive:
    case Tok::kw_role:
    case Tok::kw_safety:
    case Tok::kw_transition:
    case Tok::kw_reachable:
    case Tok::kw_lemma:
    case Tok::kw_instance:
      return true;
    default:
      return false;
  }
}

bool named(const Token* at) { return is_name(at[1].kind); }

/// Goes on from where the parse failed to the next token that `begins`, or
/// that closes the list, past whole pairs of braces. Something at the very
/// left that begins a declaration always ends the search.
template <class Begins>
const Token* skip(const Token* begin, const Token* failed, Begins begins) {
  int depth = 0;
  // Braces opened by the element before it failed have to be closed first.
  for (const Token* at = begin; at < failed; ++at) {
    if (at->kind == Tok::lbrace) ++depth;
    if (at->kind == Tok::rbrace) depth = std::max(0, depth - 1);
  }
  for (const Token* at = std::max(begin + 1, failed);; ++at) {
    if (at->kind == Tok::end) return at;
    if (at->at_margin && is_declaration_word(at->kind)) return at;
    if (at->first_on_line && starts_outer_declaration(at)) return at;
    if (depth == 0 && (at->kind == Tok::rbrace || begins(at))) return at;
    if (at->kind == Tok::lbrace) ++depth;
    if (at->kind == Tok::rbrace) --depth;
  }
}

}  // namespace

bool starts_outer_declaration(const Token* at) {
  switch (at->kind) {
    case Tok::kw_import:
    case Tok::kw_enum:
    case Tok::kw_type:
    case Tok::kw_struct:
    case Tok::kw_message:
    case Tok::kw_role:
    case Tok::kw_instance:
    case Tok::kw_safety:
    case Tok::kw_transition:
    case Tok::kw_reachable:
    case Tok::kw_lemma:
    case Tok::kw_quorums:
    case Tok::kw_protocol:
      return named(at);
    case Tok::kw_signed:
      return at[1].kind == Tok::kw_message;
    case Tok::kw_passive:
      return at[1].kind == Tok::kw_role;
    case Tok::kw_deadlock:
      return at[1].kind == Tok::kw_ok;
    case Tok::kw_axiom:
      return at[1].kind != Tok::assign && at[1].kind != Tok::plus_assign && at[1].kind != Tok::minus_assign &&
             at[1].kind != Tok::dot && at[1].kind != Tok::lbracket;
    default:
      return false;
  }
}

bool starts_declaration(const Token* at) {
  if (at->kind == Tok::kw_const) return named(at);
  if (at->kind == Tok::kw_init) return at[1].kind == Tok::colon;
  return starts_outer_declaration(at);
}

bool starts_item(const Token* at) {
  switch (at->kind) {
    case Tok::kw_const:
    case Tok::kw_var:
    case Tok::kw_clock:
    case Tok::kw_step:
    case Tok::kw_receive:
    case Tok::kw_operation:
      return named(at);
    case Tok::kw_volatile:
      return at[1].kind == Tok::kw_var;
    case Tok::kw_init:
      return at[1].kind == Tok::colon;
    default:
      return false;
  }
}

bool starts_edit(const Token* at) {
  if (at->kind != Tok::kw_in) return false;
  switch (at[1].kind) {
    case Tok::kw_axiom:
    case Tok::kw_init:
      if (at[2].kind == Tok::colon) return true;
      [[fallthrough]];
    case Tok::kw_message:
    case Tok::kw_safety:
    case Tok::kw_transition:
    case Tok::kw_reachable:
    case Tok::kw_lemma:
      if (is_name(at[2].kind) && at[3].kind == Tok::colon) return true;
      [[fallthrough]];
    default:
      break;
  }
  if (!is_name(at[1].kind) || at[2].kind != Tok::comma) return false;
  const Tok what = at[3].kind;
  if (what == Tok::kw_init) return at[4].kind == Tok::colon;
  return (what == Tok::kw_step || what == Tok::kw_receive || what == Tok::kw_const || what == Tok::kw_var) &&
         is_name(at[4].kind);
}

const Token* Declarations::next(const Token* begin, const Token* failed) {
  const Token* at = failed;
  if (at > begin && at->first_on_line && starts_declaration(at)) return at;
  at = skip(begin, failed, [](const Token* t) { return t->first_on_line && starts_declaration(t); });
  // A stray closing brace cannot begin anything here.
  return at->kind == Tok::rbrace ? at + 1 : at;
}

bool Items::at_end(const Token* at) {
  return at->kind == Tok::end || at->kind == Tok::rbrace || starts_outer_declaration(at);
}

const Token* Items::next(const Token* begin, const Token* failed) {
  return skip(begin, failed, [](const Token* t) { return starts_item(t); });
}

bool Statements::at_end(const Token* at) {
  return at->kind == Tok::end || at->kind == Tok::rbrace ||
         (at->first_on_line && (starts_item(at) || starts_outer_declaration(at)));
}

const Token* Statements::next(const Token* begin, const Token* failed) {
  return skip(begin, failed, [](const Token* t) {
    if (t->kind == Tok::kw_send || t->kind == Tok::kw_choose || t->kind == Tok::kw_let) return true;
    if (!t->first_on_line) return false;
    return is_name(t->kind) || t->kind == Tok::kw_if || starts_item(t);
  });
}

bool Edits::at_end(const Token* at) { return at->kind == Tok::end || at->kind == Tok::kw_expect; }

const Token* Edits::next(const Token* begin, const Token* failed) {
  for (const Token* at = failed > begin ? failed : begin + 1;; ++at) {
    if (at->kind == Tok::end || at->kind == Tok::kw_expect || starts_edit(at)) return at;
  }
}

}  // namespace tenet::frontend::sync
