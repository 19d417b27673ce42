#include "expression.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace tenet::training {
namespace {

std::optional<double> evaluate(std::string_view text) {
  const std::map<std::string, double, std::less<>> known{{"a", 7}, {"b.c", 2}, {"calls(f.g)", 5}};
  const auto expression = Expression::parse(text);
  if (expression == nullptr) return std::nullopt;
  return expression->value([&](std::string_view name) -> std::optional<double> {
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(Expression, Evaluates) {
  EXPECT_EQ(evaluate("a"), 7);
  EXPECT_EQ(evaluate("ceil(a / b.c) * calls(f.g) - 1"), 19);
  EXPECT_EQ(evaluate("(a + 1) / b.c"), 4);
  EXPECT_EQ(evaluate("floor(a / b.c) + 2 * 3"), 9);
}

TEST(Expression, UnknownAndUndefinedHaveNoValue) {
  EXPECT_EQ(evaluate("a * unknown"), std::nullopt);
  EXPECT_EQ(evaluate("a / (b.c - 2)"), std::nullopt);
}

TEST(Expression, RejectsWhatIsNone) {
  for (const char* text : {"", "a +", "ceil(a", "a b", "* a", "(a))", "calls(f"}) {
    EXPECT_EQ(Expression::parse(text), nullptr) << text;
  }
  EXPECT_EQ(Expression::parse(std::string(100'000, '(')), nullptr) << "the depth is bounded";
}

}  // namespace
}  // namespace tenet::training
