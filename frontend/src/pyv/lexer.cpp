#include <algorithm>
#include <array>
#include <utility>

#include "tenet/base/utf8.h"
#include "token.h"

namespace tenet::frontend::pyv {
namespace {

constexpr std::array<std::pair<std::string_view, Tok>, 39> kWords{{
    {"any", Tok::kw_any},
    {"assert", Tok::kw_assert},
    {"axiom", Tok::kw_axiom},
    {"bool", Tok::kw_bool},
    {"by", Tok::kw_by},
    {"constant", Tok::kw_constant},
    {"definition", Tok::kw_definition},
    {"derived", Tok::kw_derived},
    {"distinct", Tok::kw_distinct},
    {"else", Tok::kw_else},
    {"exists", Tok::kw_exists},
    {"false", Tok::kw_false},
    {"fbii", Tok::kw_fbii},
    {"forall", Tok::kw_forall},
    {"function", Tok::kw_function},
    {"if", Tok::kw_if},
    {"immutable", Tok::kw_immutable},
    {"in", Tok::kw_in},
    {"init", Tok::kw_init},
    {"int", Tok::kw_int},
    {"invariant", Tok::kw_invariant},
    {"let", Tok::kw_let},
    {"modifies", Tok::kw_modifies},
    {"mutable", Tok::kw_mutable},
    {"new", Tok::kw_new},
    {"onestate", Tok::kw_onestate},
    {"prophecy", Tok::kw_prophecy},
    {"relation", Tok::kw_relation},
    {"safety", Tok::kw_safety},
    {"sat", Tok::kw_sat},
    {"sort", Tok::kw_sort},
    {"then", Tok::kw_then},
    {"theorem", Tok::kw_theorem},
    {"trace", Tok::kw_trace},
    {"transition", Tok::kw_transition},
    {"true", Tok::kw_true},
    {"twostate", Tok::kw_twostate},
    {"unsat", Tok::kw_unsat},
    {"zerostate", Tok::kw_zerostate},
}};

/// Longer signs before those they begin with.
constexpr std::array<std::pair<std::string_view, Tok>, 26> kSigns{{
    {"<->", Tok::double_arrow},
    {"->", Tok::arrow},
    {"!=", Tok::differs},
    {"~=", Tok::differs},
    {">=", Tok::ge},
    {"<=", Tok::le},
    {"(", Tok::lparen},
    {")", Tok::rparen},
    {"[", Tok::lbracket},
    {"]", Tok::rbracket},
    {"{", Tok::lbrace},
    {"}", Tok::rbrace},
    {".", Tok::dot},
    {":", Tok::colon},
    {",", Tok::comma},
    {"'", Tok::prime},
    {"!", Tok::bang},
    {"~", Tok::bang},
    {"&", Tok::ampersand},
    {"|", Tok::pipe},
    {"=", Tok::equal},
    {">", Tok::gt},
    {"<", Tok::lt},
    {"+", Tok::plus},
    {"-", Tok::minus},
    {"*", Tok::star},
}};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (skip(); at_ < text_.size(); skip()) tokens.push_back(next());
    tokens.push_back(token(Tok::end, 0));
    return tokens;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '#')) {
      at_ = text_[at_] == '#' ? std::min(text_.find('\n', at_), text_.size()) : at_ + 1;
    }
  }

  Token token(Tok kind, std::size_t size) {
    const auto begin = static_cast<std::uint32_t>(at_);
    const Token made{kind, text_.substr(at_, size), {begin, static_cast<std::uint32_t>(begin + size)}};
    at_ += size;
    return made;
  }

  template <class Accepts>
  [[nodiscard]] std::size_t run_of(std::size_t from, const Accepts& accepts) const {
    std::size_t end = from;
    while (end < text_.size() && accepts(text_[end])) ++end;
    return end - at_;
  }

  Token next() {
    const char c = text_[at_];
    const auto in_word = [](char d) { return is_letter(d) || is_digit(d); };
    if (is_letter(c)) {
      const std::size_t size = run_of(at_, in_word);
      const std::string_view word = text_.substr(at_, size);
      const auto* known = std::find_if(kWords.begin(), kWords.end(), [&](const auto& w) { return w.first == word; });
      return token(known != kWords.end() ? known->second : Tok::name, size);
    }
    if (is_digit(c)) return token(Tok::number, run_of(at_, is_digit));
    if (c == '@') {
      const std::size_t size = run_of(at_ + 1, [&](char d) { return in_word(d) || d == '-'; });
      return token(size > 1 ? Tok::annotation : Tok::bad, size);
    }
    for (const auto& [sign, kind] : kSigns) {
      if (text_.substr(at_).starts_with(sign)) return token(kind, sign.size());
    }
    return token(Tok::bad, std::max<std::size_t>(1, decode_utf8(text_.substr(at_)).size));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokenize(const SourceFile& file) { return Lexer(file.text()).run(); }

std::vector<std::string_view> reserved_words() {
  std::vector<std::string_view> words;
  for (const auto& [word, kind] : kWords) words.push_back(word);
  return words;
}

}  // namespace tenet::frontend::pyv
