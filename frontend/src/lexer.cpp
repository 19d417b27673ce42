#include <algorithm>
#include <array>
#include <utility>

#include "token.h"

namespace tenet::frontend {

namespace {

using Entry = std::pair<std::string_view, Tok>;

constexpr std::array kWords{
    Entry{"add", Tok::kw_add},
    Entry{"all", Tok::kw_all},
    Entry{"and", Tok::kw_and},
    Entry{"any", Tok::kw_any},
    Entry{"as", Tok::kw_as},
    Entry{"assignment", Tok::kw_assignment},
    Entry{"at", Tok::kw_at},
    Entry{"axiom", Tok::kw_axiom},
    Entry{"bool", Tok::kw_bool},
    Entry{"by", Tok::kw_by},
    Entry{"byzantine", Tok::kw_byzantine},
    Entry{"choose", Tok::kw_choose},
    Entry{"clock", Tok::kw_clock},
    Entry{"conjunct", Tok::kw_conjunct},
    Entry{"const", Tok::kw_const},
    Entry{"crashes", Tok::kw_crashes},
    Entry{"deadlock", Tok::kw_deadlock},
    Entry{"delivery", Tok::kw_delivery},
    Entry{"drop", Tok::kw_drop},
    Entry{"each", Tok::kw_each},
    Entry{"else", Tok::kw_else},
    Entry{"enum", Tok::kw_enum},
    Entry{"exists", Tok::kw_exists},
    Entry{"expect", Tok::kw_expect},
    Entry{"false", Tok::kw_false},
    Entry{"forall", Tok::kw_forall},
    Entry{"from", Tok::kw_from},
    Entry{"function", Tok::kw_function},
    Entry{"guard", Tok::kw_guard},
    Entry{"if", Tok::kw_if},
    Entry{"import", Tok::kw_import},
    Entry{"in", Tok::kw_in},
    Entry{"init", Tok::kw_init},
    Entry{"instance", Tok::kw_instance},
    Entry{"int", Tok::kw_int},
    Entry{"intersect", Tok::kw_intersect},
    Entry{"keys", Tok::kw_keys},
    Entry{"lemma", Tok::kw_lemma},
    Entry{"let", Tok::kw_let},
    Entry{"majority", Tok::kw_majority},
    Entry{"map", Tok::kw_map},
    Entry{"message", Tok::kw_message},
    Entry{"most", Tok::kw_most},
    Entry{"nat", Tok::kw_nat},
    Entry{"none", Tok::kw_none},
    Entry{"not", Tok::kw_not},
    Entry{"of", Tok::kw_of},
    Entry{"ok", Tok::kw_ok},
    Entry{"old", Tok::kw_old},
    Entry{"once", Tok::kw_once},
    Entry{"operation", Tok::kw_operation},
    Entry{"option", Tok::kw_option},
    Entry{"or", Tok::kw_or},
    Entry{"order", Tok::kw_order},
    Entry{"ordered", Tok::kw_ordered},
    Entry{"passive", Tok::kw_passive},
    Entry{"protocol", Tok::kw_protocol},
    Entry{"quorums", Tok::kw_quorums},
    Entry{"reachable", Tok::kw_reachable},
    Entry{"real", Tok::kw_real},
    Entry{"receive", Tok::kw_receive},
    Entry{"relation", Tok::kw_relation},
    Entry{"replace", Tok::kw_replace},
    Entry{"role", Tok::kw_role},
    Entry{"safety", Tok::kw_safety},
    Entry{"self", Tok::kw_self},
    Entry{"send", Tok::kw_send},
    Entry{"sent", Tok::kw_sent},
    Entry{"seq", Tok::kw_seq},
    Entry{"set", Tok::kw_set},
    Entry{"signed", Tok::kw_signed},
    Entry{"single", Tok::kw_single},
    Entry{"some", Tok::kw_some},
    Entry{"step", Tok::kw_step},
    Entry{"struct", Tok::kw_struct},
    Entry{"subset", Tok::kw_subset},
    Entry{"sum", Tok::kw_sum},
    Entry{"to", Tok::kw_to},
    Entry{"transition", Tok::kw_transition},
    Entry{"true", Tok::kw_true},
    Entry{"type", Tok::kw_type},
    Entry{"union", Tok::kw_union},
    Entry{"unique", Tok::kw_unique},
    Entry{"upto", Tok::kw_upto},
    Entry{"var", Tok::kw_var},
    Entry{"variant", Tok::kw_variant},
    Entry{"violated", Tok::kw_violated},
    Entry{"volatile", Tok::kw_volatile},
    Entry{"when", Tok::kw_when},
    Entry{"where", Tok::kw_where},
};
static_assert(std::is_sorted(kWords.begin(), kWords.end()));

// Longest first: a prefix must not win.
constexpr std::array kSymbols{
    Entry{"<=>", Tok::iff},        Entry{"::", Tok::colons},       Entry{"..", Tok::dots},
    Entry{"->", Tok::arrow},       Entry{"=>", Tok::fat_arrow},    Entry{"==", Tok::eq},
    Entry{"!=", Tok::ne},          Entry{"<=", Tok::le},           Entry{">=", Tok::ge},
    Entry{"+=", Tok::plus_assign}, Entry{"-=", Tok::minus_assign}, Entry{"(", Tok::lparen},
    Entry{")", Tok::rparen},       Entry{"{", Tok::lbrace},        Entry{"}", Tok::rbrace},
    Entry{"[", Tok::lbracket},     Entry{"]", Tok::rbracket},      Entry{",", Tok::comma},
    Entry{";", Tok::semicolon},    Entry{":", Tok::colon},         Entry{".", Tok::dot},
    Entry{"?", Tok::question},     Entry{"|", Tok::bar},           Entry{"<", Tok::lt},
    Entry{">", Tok::gt},           Entry{"=", Tok::assign},        Entry{"+", Tok::plus},
    Entry{"-", Tok::minus},        Entry{"*", Tok::star},          Entry{"/", Tok::slash},
    Entry{"%", Tok::percent},      Entry{"\\", Tok::backslash},
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

Tok word_kind(std::string_view text) {
  const auto* found =
      std::lower_bound(kWords.begin(), kWords.end(), text,
                       [](const Entry& entry, std::string_view wanted) { return entry.first < wanted; });
  return found != kWords.end() && found->first == text ? found->second : Tok::name;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  TokenList run() {
    // A byte order mark is not part of the text.
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;
    while (!list_.too_many && skip_blanks_and_comments()) {
      next();
      list_.too_many = list_.tokens.size() >= kMaxTokens;
    }
    push(Tok::end, 0);
    list_.tokens.shrink_to_fit();  // a look behind the end is then seen by a sanitizer
    return std::move(list_);
  }

 private:
  [[nodiscard]] bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  [[nodiscard]] char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void push(Tok kind, std::size_t length) {
    Token token;
    token.kind = kind;
    token.first_on_line = first_on_line_;
    token.at_margin = at_ == 0 || text_[at_ - 1] == '\n';
    token.span = {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_ + length)};
    token.text = text_.substr(at_, length);
    count_types(kind);
    list_.tokens.push_back(token);
    at_ += length;
    first_on_line_ = false;
  }

  /// Keeps count of the `<` of types that are not closed yet.
  void count_types(Tok kind) {
    const Tok before = list_.tokens.empty() ? Tok::end : list_.tokens.back().kind;
    const bool generic =
        before == Tok::kw_set || before == Tok::kw_option || before == Tok::kw_map || before == Tok::kw_seq;
    if (kind == Tok::lt && generic) {
      ++open_types_;
    } else if (kind == Tok::gt) {
      open_types_ = std::max(0, open_types_ - 1);
    } else if (!is_name(kind) && kind != Tok::comma && kind != Tok::arrow && kind != Tok::lparen &&
               kind != Tok::rparen) {
      open_types_ = 0;
    }
  }

  /// False at the end of the text.
  bool skip_blanks_and_comments() {
    while (at_ < text_.size()) {
      if (is_blank(text_[at_])) {
        if (text_[at_] == '\n') first_on_line_ = true;
        ++at_;
      } else if (starts("//")) {
        comment(std::min(text_.find('\n', at_), text_.size()), true);
      } else if (starts("/*")) {
        const std::size_t close = text_.find("*/", at_ + 2);
        const std::size_t end = close == std::string_view::npos ? text_.size() : close + 2;
        if (close == std::string_view::npos) {
          list_.unterminated_comment = {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_ + 2)};
        }
        comment(end, false);
      } else {
        return true;
      }
    }
    return false;
  }

  void comment(std::size_t end, bool line) {
    Comment item;
    item.line = line;
    item.doc = line && starts("///") && !starts("////");
    item.first_on_line = first_on_line_;
    std::size_t stop = end;
    while (line && stop > at_ && is_blank(text_[stop - 1])) --stop;
    item.span = {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(stop)};
    list_.comments.push_back(item);
    at_ = end;
  }

  void next() {
    const char c = text_[at_];
    if (is_letter(c)) return word();
    if (is_digit(c)) return number();
    if (c == '_') {
      std::size_t length = 1;
      while (is_letter(peek(length)) || is_digit(peek(length)) || peek(length) == '_') ++length;
      return push(length == 1 ? Tok::underscore : Tok::bad, length);
    }
    for (const Entry& symbol : kSymbols) {
      if (!starts(symbol.first)) continue;
      // `set<T>= {}`: the type ends before the assignment.
      if (symbol.second == Tok::ge && open_types_ > 0) continue;
      return push(symbol.second, symbol.first.size());
    }
    bad();
  }

  void word() {
    std::size_t length = 1;
    while (is_letter(peek(length)) || is_digit(peek(length)) || peek(length) == '_') ++length;
    push(word_kind(text_.substr(at_, length)), length);
  }

  void number() {
    std::size_t length = 1;
    const auto digits = [&] {
      while (is_digit(peek(length)) || peek(length) == '_') ++length;
    };
    digits();
    Tok kind = Tok::number;
    if (peek(length) == '.' && is_digit(peek(length + 1))) {
      kind = Tok::decimal;
      ++length;
      digits();
    }
    if (is_letter(peek(length))) {  // 3x is neither a number nor a name
      kind = Tok::bad;
      while (is_letter(peek(length)) || is_digit(peek(length)) || peek(length) == '_') ++length;
    }
    push(kind, length);
  }

  /// One code point, or a run of the same ASCII character (`&&`).
  void bad() {
    std::size_t length = 1;
    if ((static_cast<unsigned char>(text_[at_]) & 0x80) != 0) {
      while ((static_cast<unsigned char>(peek(length)) & 0xC0) == 0x80) ++length;
    } else {
      while (length < 3 && at_ + length < text_.size() && text_[at_ + length] == text_[at_]) ++length;
    }
    push(Tok::bad, length);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool first_on_line_ = true;
  int open_types_ = 0;
  TokenList list_;
};

/// Whether what stands between is one line break and blanks.
bool next_line(std::string_view gap) {
  return std::all_of(gap.begin(), gap.end(), is_blank) && std::count(gap.begin(), gap.end(), '\n') == 1;
}

std::string_view strip_doc_mark(std::string_view text) {
  text.remove_prefix(3);
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

}  // namespace

std::string_view spelling(Tok tok) {
  switch (tok) {
    case Tok::end:
      return "the end of the file";
    case Tok::name:
      return "a name";
    case Tok::number:
    case Tok::decimal:
      return "a number";
    case Tok::underscore:
      return "_";
    default:
      break;
  }
  const auto same = [tok](const Entry& entry) { return entry.second == tok; };
  const auto* symbol = std::find_if(kSymbols.begin(), kSymbols.end(), same);
  if (symbol != kSymbols.end()) return symbol->first;
  const auto* word = std::find_if(kWords.begin(), kWords.end(), same);
  return word != kWords.end() ? word->first : "an unknown character";
}

TokenList tokenize(const SourceFile& file) { return Lexer(file.text()).run(); }

std::string doc_before(const TokenList& list, const SourceFile& file, std::uint32_t offset) {
  const auto end = std::upper_bound(list.comments.begin(), list.comments.end(), offset,
                                    [](std::uint32_t at, const Comment& comment) { return at < comment.span.begin; });
  auto begin = end;
  std::uint32_t below = offset;
  while (begin != list.comments.begin()) {
    const Comment& comment = *(begin - 1);
    if (!comment.doc || !comment.first_on_line || !next_line(file.text({comment.span.end, below}))) break;
    below = comment.span.begin;
    --begin;
  }
  std::string doc;
  for (; begin != end; ++begin) {
    if (!doc.empty()) doc += '\n';
    doc += strip_doc_mark(file.text(begin->span));
  }
  return doc;
}

}  // namespace tenet::frontend
