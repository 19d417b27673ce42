#include "sexpr.h"

#include <utility>

namespace tenet::smt {
namespace {

constexpr std::size_t kMaxDepth = 1000;
/// A node takes more memory than a byte of text.
constexpr std::size_t kBytesPerNode = 16;
constexpr std::size_t kFewNodes = 10'000;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool ends_atom(char c) { return is_space(c) || c == '(' || c == ')' || c == '"' || c == '|' || c == ';'; }

}  // namespace

std::optional<SExpr> SExprReader::next() {
  while (error_.empty() && !done_ && position_ < input_.size()) {
    if (!step(input_[position_])) continue;
    ++position_;
    if (++used_ > limit_) fail("an answer longer than " + std::to_string(limit_) + " bytes");
  }
  if (position_ == input_.size()) {
    input_.clear();
    position_ = 0;
  }
  if (!done_ || !error_.empty()) return std::nullopt;
  used_ = nodes_ = 0;
  return std::exchange(done_, std::nullopt);
}

bool SExprReader::step(char c) {
  switch (state_) {
    case State::between:
      return between(c);
    case State::comment:
      if (c == '\n') state_ = State::between;
      return true;
    case State::atom:
      if (ends_atom(c)) {
        end_token();
        return false;
      }
      if (is_control(c)) fail("a control character");
      token_.value += c;
      return true;
    case State::quoted:
      if (c == '|') {
        end_token();
      } else {
        token_.value += c;
      }
      return true;
    case State::text:
      if (c == '"') {
        state_ = State::text_quote;
      } else {
        token_.value += c;
      }
      return true;
    case State::text_quote:
      return text_quote(c);
  }
  return true;
}

/// Two quotes inside a text stand for one.
bool SExprReader::text_quote(char c) {
  if (c != '"') {
    end_token();
    return false;
  }
  token_.value += c;
  state_ = State::text;
  return true;
}

bool SExprReader::between(char c) {
  if (is_space(c)) return true;
  switch (c) {
    case ';':
      state_ = State::comment;
      break;
    case '(':
      open();
      break;
    case ')':
      close();
      break;
    case '"':
      begin(State::text, SExpr::Kind::text);
      break;
    case '|':
      begin(State::quoted, SExpr::Kind::quoted);
      break;
    default:
      begin(State::atom, SExpr::Kind::atom);
      return false;
  }
  return true;
}

void SExprReader::begin(State state, SExpr::Kind kind) {
  state_ = state;
  token_ = {kind, {}, {}};
}

void SExprReader::end_token() {
  state_ = State::between;
  add(std::move(token_));
}

void SExprReader::add(SExpr expr) {
  ++nodes_;
  if (nodes_ > kFewNodes && nodes_ > limit_ / kBytesPerNode) return fail("an answer with too many parts");
  if (open_.empty()) {
    done_ = std::move(expr);
  } else {
    open_.back().items.push_back(std::move(expr));
  }
}

void SExprReader::open() {
  if (open_.size() >= kMaxDepth) return fail("an answer nested too deeply");
  open_.push_back({SExpr::Kind::list, {}, {}});
}

void SExprReader::close() {
  if (open_.empty()) return fail("an unexpected ')'");
  SExpr list = std::move(open_.back());
  open_.pop_back();
  add(std::move(list));
}

void SExprReader::fail(std::string why) {
  if (error_.empty()) error_ = std::move(why);
  done_.reset();
}

}  // namespace tenet::smt
