// Arithmetic over quantities of a loop: names, numbers, + - * /, ceil(...), floor(...), calls(FUNCTION).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace tenet::training {

class Expression {
 public:
  // Null if the text is not an expression.
  [[nodiscard]] static std::unique_ptr<const Expression> parse(std::string_view text);

  // The value of a quantity by name ("calls(f)" for the number of calls of f), or nothing if it is not known.
  using Lookup = std::function<std::optional<double>(std::string_view name)>;
  // Nothing if a quantity is unknown or a divisor is zero.
  [[nodiscard]] virtual std::optional<double> value(const Lookup& lookup) const = 0;

  virtual ~Expression() = default;
};

}  // namespace tenet::training
