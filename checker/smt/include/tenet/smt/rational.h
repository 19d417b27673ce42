/// Exact fractions of 64-bit integers, for the literals of terms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tenet::smt {

/// A fraction in lowest terms with a positive denominator. Never holds
/// INT64_MIN as numerator, so that negation is always defined.
class Rational {
 public:
  constexpr Rational() = default;
  /// The integer `value`; INT64_MIN is a programmer error.
  Rational(std::int64_t value);  // NOLINT(google-explicit-constructor): literals read better
  /// `numerator / denominator` in lowest terms; nullopt if the denominator is
  /// zero or the result does not fit.
  [[nodiscard]] static std::optional<Rational> make(std::int64_t numerator, std::int64_t denominator);

  [[nodiscard]] std::int64_t numerator() const { return numerator_; }
  [[nodiscard]] std::int64_t denominator() const { return denominator_; }
  [[nodiscard]] bool integral() const { return denominator_ == 1; }
  [[nodiscard]] bool is_zero() const { return numerator_ == 0; }
  [[nodiscard]] Rational negated() const;
  /// "-5" or "1/3".
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Rational&, const Rational&) = default;

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

/// Sum and product; nullopt if the result does not fit.
[[nodiscard]] std::optional<Rational> checked_add(Rational a, Rational b);
[[nodiscard]] std::optional<Rational> checked_mul(Rational a, Rational b);
/// -1, 0 or 1 as `a` is below, equal to or above `b`; nullopt if that needs
/// more than 64 bits.
[[nodiscard]] std::optional<int> checked_compare(Rational a, Rational b);

}  // namespace tenet::smt
