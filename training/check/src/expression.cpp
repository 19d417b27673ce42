#include "expression.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

namespace tenet::training {
namespace {

using Pointer = std::unique_ptr<const Expression>;

class Number final : public Expression {
 public:
  explicit Number(double value) : value_(value) {}
  std::optional<double> value(const Lookup&) const override { return value_; }

 private:
  double value_;
};

class Quantity final : public Expression {
 public:
  explicit Quantity(std::string name) : name_(std::move(name)) {}
  std::optional<double> value(const Lookup& lookup) const override { return lookup(name_); }

 private:
  std::string name_;
};

class Rounded final : public Expression {
 public:
  Rounded(bool up, Pointer of) : up_(up), of_(std::move(of)) {}
  std::optional<double> value(const Lookup& lookup) const override {
    const auto inner = of_->value(lookup);
    if (!inner) return std::nullopt;
    return up_ ? std::ceil(*inner) : std::floor(*inner);
  }

 private:
  bool up_;
  Pointer of_;
};

class Binary final : public Expression {
 public:
  Binary(char op, Pointer left, Pointer right) : op_(op), left_(std::move(left)), right_(std::move(right)) {}
  std::optional<double> value(const Lookup& lookup) const override {
    const auto left = left_->value(lookup);
    const auto right = right_->value(lookup);
    if (!left || !right || (op_ == '/' && *right == 0)) return std::nullopt;
    switch (op_) {
      case '+':
        return *left + *right;
      case '-':
        return *left - *right;
      case '*':
        return *left * *right;
      default:
        return *left / *right;
    }
  }

 private:
  char op_;
  Pointer left_;
  Pointer right_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Pointer whole() {
    Pointer result = sum(0);
    skip();
    return at_ == text_.size() ? std::move(result) : nullptr;
  }

 private:
  static constexpr int kDeepest = 50;

  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  char take_any(std::string_view any) {
    skip();
    if (at_ >= text_.size() || any.find(text_[at_]) == std::string_view::npos) return 0;
    return text_[at_++];
  }

  template <typename Operand>
  Pointer chain(std::string_view operators, Operand operand) {
    Pointer left = operand();
    while (left != nullptr) {
      const char op = take_any(operators);
      if (op == 0) break;
      Pointer right = operand();
      if (right == nullptr) return nullptr;
      left = std::make_unique<Binary>(op, std::move(left), std::move(right));
    }
    return left;
  }

  Pointer sum(int depth) {
    return chain("+-", [&] { return chain("*/", [&] { return atom(depth); }); });
  }

  Pointer atom(int depth) {
    if (depth > kDeepest) return nullptr;
    if (take('(')) {
      Pointer inner = sum(depth + 1);
      return take(')') ? std::move(inner) : nullptr;
    }
    skip();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
    const std::string name = word();
    if (name.empty()) return nullptr;
    if ((name == "ceil" || name == "floor") && take('(')) {
      Pointer inner = sum(depth + 1);
      if (inner == nullptr || !take(')')) return nullptr;
      return std::make_unique<Rounded>(name == "ceil", std::move(inner));
    }
    if (name == "calls" && take('(')) {
      const std::string function = word();
      return take(')') ? std::make_unique<Quantity>("calls(" + function + ")") : nullptr;
    }
    return std::make_unique<Quantity>(name);
  }

  Pointer number() {
    double value = 0;
    const auto [end, failed] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (failed != std::errc{}) return nullptr;
    at_ = static_cast<std::size_t>(end - text_.data());
    return std::make_unique<Number>(value);
  }

  std::string word() {
    skip();
    const std::size_t begin = at_;
    const auto in_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '<' || c == '>';
    };
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<const Expression> Expression::parse(std::string_view text) { return Parser(text).whole(); }

}  // namespace tenet::training
