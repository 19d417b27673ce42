#include "tenet/smt/rational.h"

#include <cassert>
#include <limits>
#include <numeric>

namespace tenet::smt {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<std::int64_t> sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace

Rational::Rational(std::int64_t value) : numerator_(value) { assert(value != kMin); }

std::optional<Rational> Rational::make(std::int64_t numerator, std::int64_t denominator) {
  if (denominator == 0 || numerator == kMin || denominator == kMin) return std::nullopt;
  const std::int64_t divisor = std::gcd(numerator, denominator);
  const std::int64_t sign = denominator < 0 ? -1 : 1;
  Rational result;
  result.numerator_ = sign * (numerator / divisor);
  result.denominator_ = sign * (denominator / divisor);
  return result;
}

Rational Rational::negated() const {
  Rational result = *this;
  result.numerator_ = -numerator_;
  return result;
}

std::string Rational::text() const {
  std::string result = std::to_string(numerator_);
  if (!integral()) result += '/' + std::to_string(denominator_);
  return result;
}

std::optional<Rational> checked_add(Rational a, Rational b) {
  const auto left = product(a.numerator(), b.denominator());
  const auto right = product(b.numerator(), a.denominator());
  const auto bottom = product(a.denominator(), b.denominator());
  if (!left || !right || !bottom) return std::nullopt;
  const auto top = sum(*left, *right);
  return top ? Rational::make(*top, *bottom) : std::nullopt;
}

std::optional<Rational> checked_mul(Rational a, Rational b) {
  const auto top = product(a.numerator(), b.numerator());
  const auto bottom = product(a.denominator(), b.denominator());
  return top && bottom ? Rational::make(*top, *bottom) : std::nullopt;
}

std::optional<int> checked_compare(Rational a, Rational b) {
  const auto left = product(a.numerator(), b.denominator());
  const auto right = product(b.numerator(), a.denominator());
  if (!left || !right) return std::nullopt;
  if (*left == *right) return 0;
  return *left < *right ? -1 : 1;
}

}  // namespace tenet::smt
