#include "format_spacing.h"

namespace tenet::frontend {

namespace {

/// Whether an operand can end with this token, so that `-` behind it is
/// subtraction and `|` may close.
bool ends_operand(const Token& token) {
  switch (token.kind) {
    case Tok::number:
    case Tok::decimal:
    case Tok::rparen:
    case Tok::rbracket:
    case Tok::rbrace:
    case Tok::kw_true:
    case Tok::kw_false:
    case Tok::kw_none:
    case Tok::kw_self:
    case Tok::kw_all:
      return true;
    default:
      return is_name(token.kind);
  }
}

/// Whether bound names follow, up to `::`.
bool binds(Tok kind) { return kind == Tok::kw_forall || kind == Tok::kw_exists || kind == Tok::kw_sum; }

bool calls(Tok kind) { return kind == Tok::kw_some || kind == Tok::kw_majority || kind == Tok::kw_old; }

class Spacer {
 public:
  Spacer(const std::vector<Token>& tokens, const TokenFacts& facts) : tokens_(tokens), facts_(facts) {}

  Spacing run() {
    out_.blanks.resize(tokens_.size());
    out_.depth.resize(tokens_.size());
    out_.choice_colon.resize(tokens_.size());
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (facts_.dropped[i]) continue;
      classify(i);
      out_.blanks[i] = previous_ == kNone ? 0 : blanks(i);
      previous_ = i;
      if (opens_) ++depth_;
    }
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Keeps track of brackets, bars, quantifiers and choices.
  void classify(std::size_t i) {
    const Tok kind = tokens_[i].kind;
    tight_after_previous_ = tight_after_;
    tight_after_ = false;
    closes_ = false;
    opens_ = false;
    switch (kind) {
      case Tok::lparen:
      case Tok::lbracket:
        open(kind);
        tight_after_ = true;
        break;
      case Tok::lbrace:
        open(kind);
        tight_after_ = facts_.set_brace[i];
        break;
      case Tok::rparen:
      case Tok::rbracket:
      case Tok::rbrace:
        close();
        break;
      case Tok::bar:
        if (previous_ != kNone && operand_before() && !stack_.empty() && stack_.back() == Tok::bar) {
          close();
          bar_closed_ = i;
        } else {
          open(kind);
          tight_after_ = true;
        }
        break;
      case Tok::question:
      case Tok::kw_forall:
      case Tok::kw_exists:
        stack_.push_back(kind);
        break;
      case Tok::kw_sum:
        if (facts_.sum[i]) stack_.push_back(kind);
        break;
      case Tok::colons:
        if (!stack_.empty() && binds(stack_.back())) stack_.pop_back();
        break;
      case Tok::colon:
        if (!stack_.empty() && stack_.back() == Tok::question) {
          stack_.pop_back();
          out_.choice_colon[i] = true;
        }
        break;
      case Tok::minus:
        tight_after_ = previous_ == kNone || !operand_before();
        break;
      case Tok::dot:
      case Tok::dots:
        tight_after_ = true;
        break;
      default:
        break;
    }
    out_.depth[i] = static_cast<std::uint16_t>(depth_ > 0xffff ? 0xffff : depth_);
  }

  void open(Tok kind) {
    stack_.push_back(kind);
    opens_ = true;
  }

  void close() {
    // What a bracket encloses ends with it.
    while (!stack_.empty() && (stack_.back() == Tok::question || binds(stack_.back()))) stack_.pop_back();
    if (!stack_.empty()) stack_.pop_back();
    if (depth_ > 0) --depth_;
    closes_ = true;
  }

  [[nodiscard]] bool operand_before() const {
    return ends_operand(tokens_[previous_]) || (tokens_[previous_].kind == Tok::bar && bar_closed_ == previous_);
  }

  [[nodiscard]] std::uint8_t blanks(std::size_t i) const {
    const Token& token = tokens_[i];
    const Token& before = tokens_[previous_];
    if (facts_.wide[i]) return 2;
    if (tight_after_previous_) return 0;
    if (before.kind == Tok::lbrace && token.kind == Tok::rbrace) return 0;
    switch (token.kind) {
      case Tok::rparen:
      case Tok::rbracket:
      case Tok::comma:
      case Tok::semicolon:
      case Tok::dot:
      case Tok::dots:
      case Tok::lbracket:
        return 0;
      case Tok::colon:
        return out_.choice_colon[i] ? 1 : 0;
      case Tok::bar:
        return closes_ ? 0 : 1;
      case Tok::rbrace:
        return facts_.set_brace[i] ? 0 : 1;
      case Tok::lparen:
        return facts_.callee[previous_] || calls(before.kind) ? 0 : 1;
      case Tok::lt:
      case Tok::gt:
        return facts_.type_bracket[i] ? 0 : 1;
      default:
        break;
    }
    return before.kind == Tok::lt && facts_.type_bracket[previous_] ? 0 : 1;
  }

  const std::vector<Token>& tokens_;
  const TokenFacts& facts_;
  Spacing out_;
  std::vector<Tok> stack_;
  std::size_t previous_ = kNone;
  std::size_t bar_closed_ = kNone;
  std::size_t depth_ = 0;
  bool tight_after_ = false;
  bool tight_after_previous_ = false;
  bool closes_ = false;
  bool opens_ = false;
};

}  // namespace

Spacing spacing(const std::vector<Token>& tokens, const TokenFacts& facts) { return Spacer(tokens, facts).run(); }

}  // namespace tenet::frontend
