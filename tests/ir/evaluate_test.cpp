/// The meaning of each operation, through constants that are defined by it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "fixtures.h"
#include "tenet/ir/printer.h"

namespace tenet::ir::test {
namespace {

constexpr const char* kSets = "(set (host Node))";

/// The value of a closed expression, as text, or what is wrong with it.
std::string value_of(const std::string& type, const std::string& expr) {
  const Protocol p = from_text(fmt::format(R"(
(protocol p (enum Colour red green blue) (sort Item) (sort Level ordered)
  (struct Pair (fields (count nat) (item (sort Item))))
  (struct Part (fields (minor nat)) ordered) (struct Rank (fields (major nat) (part (struct Part))) ordered)
  (role Node) (role Lone (single))
  (const next (host Node) (ring_next) (parameter (host Node)))
  (const between bool (ring_between) (parameter (host Node)) (parameter (host Node)) (parameter (host Node)))
  (const result {} (value {})))
)",
                                           type, expr));
  if (p.constants.empty()) return "does not read";
  const Instance three = instance(p, "Node=3 Item=2 Level=2 nat=0..3 int=-2..2");
  std::string text;
  const auto started = enumerate_starts(p, three, 1000, [&](const Start& start) {
    text = to_source(p, three, p.constants.back().type, start.constants.values.back().front());
    return true;
  });
  return started ? text : started.error().message;
}

std::string truth_of(const std::string& expr) { return value_of("bool", expr); }
std::string nat(int n) { return fmt::format("(int_literal nat {})", n); }
std::string num(std::int64_t n) { return fmt::format("(int_literal int {})", n); }
/// `op` over integers.
std::string arithmetic(const char* op, std::int64_t a, std::int64_t b) {
  return value_of("int", fmt::format("({} int {} {})", op, num(a), num(b)));
}
std::string fault(const char* what) { return std::string("constant 'result' ") + what + " in '"; }

/// Nodes 0, 1 and 2 as expressions: the first host, and those after it.
std::string hosts(const std::string& predicate) {
  return fmt::format("(set_build {} ((%0 n (host Node))) {})", kSets, predicate);
}

TEST(Evaluate, LogicIsShortCircuit) {
  const std::string faults = "(eq (get nat (none (option nat))) (int_literal nat 0))";
  EXPECT_EQ(truth_of("(or true " + faults + ")"), "true");
  EXPECT_EQ(truth_of("(and true false " + faults + ")"), "false");
  EXPECT_EQ(truth_of("(implies false " + faults + ")"), "true");
  EXPECT_EQ(truth_of("(ite bool true false " + faults + ")"), "false");
  EXPECT_EQ(truth_of("(not (iff true false))"), "true");
  EXPECT_THAT(truth_of("(or false " + faults + ")"), testing::StartsWith(fault("reads none")));
  EXPECT_THAT(truth_of("(iff true " + faults + ")"), testing::StartsWith(fault("reads none")));
}

TEST(Evaluate, DivisionRoundsDownAndRemainderTakesTheDivisorsSign) {
  for (std::int64_t a = -7; a <= 7; ++a) {
    for (const std::int64_t b : {-3, -2, -1, 1, 2, 3}) {
      const std::int64_t quotient = std::stoll(arithmetic("div", a, b));
      const std::int64_t rest = std::stoll(arithmetic("mod", a, b));
      EXPECT_EQ(quotient * b + rest, a) << a << " / " << b;
      EXPECT_TRUE(rest == 0 || (rest < 0) == (b < 0)) << a << " % " << b;
      EXPECT_LT(std::abs(rest), std::abs(b));
    }
  }
}

const std::string kOutside = fault("depends on values outside the instance");

TEST(Evaluate, SumsAddUpEveryValueOnce) {
  const std::string node = "((%0 n (host Node)))";
  EXPECT_EQ(value_of("nat", "(sum nat " + node + " (int_literal nat 2))"), "6") << "three hosts";
  EXPECT_EQ(value_of("nat", "(sum nat ((%0 a (host Node)) (%1 b (host Node))) (int_literal nat 1))"), "9");
  EXPECT_THAT(value_of("int", "(sum int ((%0 i int)) %0)"), testing::StartsWith(kOutside)) << "of all numbers";
  EXPECT_EQ(
      value_of("nat",
               "(sum nat ((%0 i nat)) (ite nat (lt %0 (int_literal nat 4)) (mul nat %0 %0) (int_literal nat 0)))"),
      "14")
      << "0 to 3";
  const auto over = [](const char* set) {
    return std::string("(sum nat (over (set_literal (set nat)") + set + ")) ((%0 i nat)) %0)";
  };
  EXPECT_EQ(value_of("nat", over("")), "0");
  EXPECT_EQ(value_of("nat", over(" (int_literal nat 3) (int_literal nat 2) (int_literal nat 3)")), "5");
  const std::string most = "(int_literal int 9223372036854775807)";
  EXPECT_THAT(value_of("int", "(sum int " + node + " " + most + ")"),
              testing::StartsWith(fault("computes a number beyond 64 bits")));
  EXPECT_THAT(value_of("nat", "(sum nat " + node + " (get nat (none (option nat))))"),
              testing::StartsWith(fault("reads none")));
}

TEST(Evaluate, OrderedStructsAreComparedFieldByField) {
  const auto rank = [](int major, int minor) {
    return fmt::format("(make_struct (struct Rank) {} (make_struct (struct Part) {}))", nat(major), nat(minor));
  };
  for (int a = 0; a < 9; ++a) {
    for (int b = 0; b < 9; ++b) {
      const std::string operands = " " + rank(a / 3, a % 3) + " " + rank(b / 3, b % 3) + ")";
      EXPECT_EQ(truth_of("(lt" + operands), a < b ? "true" : "false") << a << " " << b;
      EXPECT_EQ(truth_of("(le" + operands), a <= b ? "true" : "false") << a << " " << b;
      EXPECT_EQ(truth_of("(gt" + operands), a > b ? "true" : "false") << a << " " << b;
      EXPECT_EQ(truth_of("(ge" + operands), a >= b ? "true" : "false") << a << " " << b;
    }
  }
}

TEST(Evaluate, NumbersThatCannotBeAreFaults) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(arithmetic("add", kMost, 1), testing::StartsWith(fault("computes a number beyond 64 bits")));
  EXPECT_THAT(arithmetic("sub", kLeast, 1), testing::StartsWith(fault("computes a number beyond 64 bits")));
  EXPECT_THAT(arithmetic("mul", kMost, 2), testing::StartsWith(fault("computes a number beyond 64 bits")));
  EXPECT_THAT(arithmetic("div", kLeast, -1), testing::StartsWith(fault("computes a number beyond 64 bits")));
  EXPECT_EQ(arithmetic("mod", kLeast, -1), "0");
  EXPECT_THAT(value_of("int", fmt::format("(neg int {})", num(kLeast))),
              testing::StartsWith(fault("computes a number beyond 64 bits")));
  EXPECT_THAT(arithmetic("div", 1, 0), testing::StartsWith(fault("divides by zero")));
  EXPECT_THAT(arithmetic("mod", 1, 0), testing::StartsWith(fault("divides by zero")));
  EXPECT_EQ(arithmetic("sub", 1, 2), "-1") << "integers go below zero";
  EXPECT_EQ(value_of("nat", "(sub nat (int_literal nat 1) (int_literal nat 2))"),
            "constant 'result' takes a natural number below zero in '1 - 2'");
  EXPECT_EQ(value_of("int", "(to_int int (int_literal nat 2))"), "2");
}

TEST(Evaluate, IntermediateNumbersAreNotBoundByTheInstance) {
  EXPECT_EQ(value_of("nat", "(sub nat (mul nat (int_literal nat 1000) (int_literal nat 2)) (int_literal nat 1999))"),
            "1");
}

TEST(Evaluate, OptionsAndStructs) {
  EXPECT_EQ(value_of("(option nat)", "(some (option nat) (int_literal nat 1))"), "some(1)");
  EXPECT_EQ(value_of("nat", "(get nat narrowed (some (option nat) (int_literal nat 1)))"), "1");
  const std::string none_item = "(get (sort Item) (none (option (sort Item))))";
  EXPECT_THAT(value_of("(struct Pair)", "(make_struct (struct Pair) (int_literal nat 1) " + none_item + ")"),
              testing::StartsWith(fault("reads none")));
  const std::string all_items =
      "(set_build (set (struct Pair)) ((%0 p (struct Pair))) (eq (field nat 0 %0) (int_literal nat 3)))";
  EXPECT_EQ(value_of("(set (struct Pair))", all_items), "{Pair(3, Item#1), Pair(3, Item#2)}");
  // Only the numbers of the instance are known, and what of them is not ruled out.
  const std::string changed = "(eq (field nat 0 (with_field (struct Pair) 0 %0 " + nat(2) + ")) " + nat(2) + ")";
  EXPECT_THAT(truth_of("(forall ((%0 p (struct Pair))) " + changed + ")"), testing::StartsWith(kOutside));
  EXPECT_EQ(truth_of("(forall ((%0 p (struct Pair))) (implies (le (field nat 0 %0) " + nat(3) + ") " + changed + "))"),
            "true");
}

TEST(Evaluate, Sets) {
  const std::string all = fmt::format("(all_hosts {})", kSets);
  EXPECT_EQ(value_of(kSets, all), "{Node#1, Node#2, Node#3}");
  EXPECT_EQ(value_of(kSets, hosts("false")), "{}");
  EXPECT_EQ(value_of("(set nat)", "(set_literal (set nat) " + nat(2) + nat(1) + nat(2) + ")"), "{1, 2}");
  const auto both = [&](const char* op) {
    return value_of("(set nat)",
                    fmt::format("({} (set nat) (set_literal (set nat) {} {}) (set_literal (set nat) {} {}))", op,
                                nat(1), nat(2), nat(2), nat(3)));
  };
  EXPECT_EQ(both("set_union"), "{1, 2, 3}");
  EXPECT_EQ(both("set_intersection"), "{2}");
  EXPECT_EQ(both("set_difference"), "{1}");
  EXPECT_EQ(value_of("nat", fmt::format("(cardinality nat {})", all)), "3");
  EXPECT_EQ(truth_of(fmt::format("(subset {} {})", hosts("false"), all)), "true");
  EXPECT_EQ(truth_of(fmt::format("(subset {} {})", all, hosts("false"))), "false");
  EXPECT_EQ(truth_of(fmt::format("(forall ((%1 m (host Node))) (contains %1 {}))", all)), "true");
  EXPECT_EQ(truth_of(fmt::format("(exists ((%1 m (host Node))) (contains %1 {}))", hosts("false"))), "false");
}

TEST(Evaluate, MajorityIsMoreThanHalf) {
  const auto sized = [](int size) {  // some set of that size
    return fmt::format("(exists ((%0 s {})) (and (eq (cardinality nat %0) {}) (majority %0)))", kSets, nat(size));
  };
  EXPECT_EQ(truth_of(sized(1)), "false") << "1 of 3";
  EXPECT_EQ(truth_of(sized(2)), "true") << "2 of 3";
  EXPECT_EQ(truth_of("(majority (all_hosts (set (host Lone))))"), "true");
  EXPECT_EQ(truth_of("(majority (set_literal (set (host Lone))))"), "false");
}

TEST(Evaluate, MapsArePartial) {
  const std::string empty = "(empty_map (map nat nat))";
  const std::string one = fmt::format("(map_put (map nat nat) {} {} {})", empty, nat(2), nat(7));
  const std::string two = fmt::format("(map_put (map nat nat) {} {} {})", one, nat(1), nat(8));
  EXPECT_EQ(value_of("(map nat nat)", two), "{1: 8, 2: 7}");
  EXPECT_EQ(value_of("(map nat nat)", fmt::format("(map_put (map nat nat) {} {} {})", two, nat(2), nat(9))),
            "{1: 8, 2: 9}");
  EXPECT_EQ(value_of("nat", fmt::format("(map_get nat {} {})", two, nat(2))), "7");
  EXPECT_THAT(value_of("nat", fmt::format("(map_get nat {} {})", one, nat(1))),
              testing::StartsWith(fault("reads a missing map key")));
  EXPECT_EQ(truth_of(fmt::format("(map_has {} {})", one, nat(1))), "false");
  EXPECT_EQ(value_of("(map nat nat)", fmt::format("(map_remove (map nat nat) {} {})", two, nat(1))), "{2: 7}");
  EXPECT_EQ(value_of("(map nat nat)", fmt::format("(map_remove (map nat nat) {} {})", one, nat(1))), "{2: 7}");
  EXPECT_EQ(value_of("(set nat)", fmt::format("(map_keys (set nat) {})", two)), "{1, 2}");
}

TEST(Evaluate, FunctionsAreTablesOverTheWholeDomain) {
  const std::string type = "(fun nat int)";
  const std::string zero = fmt::format("(constant_function {} {})", type, num(0));
  EXPECT_EQ(value_of(type, zero), "{else 0}");
  EXPECT_EQ(value_of(type, fmt::format("(update {} {} {} {})", type, zero, nat(2), num(5))), "{2: 5, else 0}");
  const std::string square = fmt::format("(function_build {} ((%0 k nat)) (to_int int (mul nat %0 %0)))", type);
  EXPECT_EQ(value_of(type, square), "{1: 1, 2: 4, 3: 9, else 0}");
  EXPECT_EQ(value_of("int", fmt::format("(apply int {} {})", square, nat(3))), "9");
  EXPECT_THAT(value_of("int", fmt::format("(apply int {} {})", square, nat(4))),
              testing::StartsWith(fault("depends on values outside the instance")));
  EXPECT_THAT(value_of(type, fmt::format("(update {} {} {} {})", type, zero, nat(4), num(1))),
              testing::StartsWith(fault("depends on values outside the instance")));
  // Built in three ways, a function is the same value.
  const std::string built = fmt::format("(function_build {} ((%0 k nat)) {})", type, num(0));
  EXPECT_EQ(value_of(type, built), value_of(type, zero));
  // Whether two that are alike here are equal everywhere, an instance does not know; that they differ, it does.
  EXPECT_THAT(truth_of(fmt::format("(eq {} {})", zero, built)),
              testing::StartsWith(fault("depends on values outside the instance")));
  EXPECT_EQ(truth_of(fmt::format("(eq {} {})", zero, square)), "false");
  EXPECT_EQ(truth_of(fmt::format("(ne {} {})", zero, square)), "true");
  EXPECT_EQ(
      truth_of(fmt::format("(forall ((%1 k nat)) (implies (lt %1 {}) (eq (apply int (update {} {} %1 {}) %1) {})))",
                           nat(4), type, zero, num(5), num(5))),
      "true");
}

TEST(Evaluate, QuantifiersRangeOverWhatTheInstanceHas) {
  const auto count = [](const std::string& type) {  // how many values the type has
    return value_of("nat", fmt::format("(cardinality nat (set_build (set {}) ((%0 x {})) true))", type, type));
  };
  EXPECT_EQ(count("bool"), "2");
  EXPECT_THAT(count("nat"), testing::StartsWith(kOutside));
  EXPECT_THAT(count("int"), testing::StartsWith(kOutside));
  EXPECT_EQ(count("(enum Colour)"), "3");
  EXPECT_EQ(count("(sort Item)"), "2");
  EXPECT_EQ(count("(host Node)"), "3");
  EXPECT_EQ(count("(host Lone)"), "1");
  EXPECT_EQ(count("(option (enum Colour))"), "4");
  EXPECT_EQ(count("(set (host Node))"), "8");
  EXPECT_THAT(count("(struct Pair)"), testing::StartsWith(kOutside));
  EXPECT_EQ(count("(map bool (sort Item))"), "9");
  EXPECT_EQ(count("(fun (sort Item) (enum Colour))"), "9");
  EXPECT_EQ(truth_of("(forall ((%0 a (sort Level)) (%1 b (sort Level))) (or (le %0 %1) (gt %0 %1)))"), "true");
  EXPECT_EQ(truth_of("(exists ((%0 a (sort Level)) (%1 b (sort Level))) (lt %0 %1))"), "true");
}

TEST(Evaluate, QuantifiersOverSetsRangeOverTheirElements) {
  const std::string none = "(set_literal (set nat))";
  EXPECT_EQ(truth_of("(forall (over " + none + ") ((%0 x nat)) false)"), "true");
  EXPECT_EQ(truth_of("(exists (over " + none + ") ((%0 x nat)) true)"), "false");
  const std::string ten = "(set_literal (set nat) " + nat(10) + ")";
  EXPECT_EQ(truth_of("(exists (over " + ten + ") ((%0 x nat)) (eq %0 " + nat(10) + "))"), "true")
      << "elements need not be in the range of nat";
}

TEST(Evaluate, TheRingGoesRoundByIndex) {
  EXPECT_EQ(truth_of("(forall ((%0 a (host Node))) (ne (global_const next %0) %0))"), "true");
  EXPECT_EQ(truth_of("(forall ((%0 a (host Node))) (eq (global_const next (global_const next (global_const next %0)))"
                     " %0))"),
            "true");
  // next(a) lies between a and any third; a lies between no a and b; all others lie between a and a.
  EXPECT_EQ(truth_of("(forall ((%0 a (host Node)) (%1 c (host Node))) (implies (ne %1 (global_const next %0))"
                     " (global_const between %0 (global_const next %0) %1)))"),
            "true");
  EXPECT_EQ(truth_of("(exists ((%0 a (host Node)) (%1 b (host Node))) (global_const between %0 %0 %1))"), "false");
  EXPECT_EQ(
      truth_of("(forall ((%0 a (host Node)) (%1 b (host Node))) (iff (ne %0 %1) (global_const between %0 %1 %0)))"),
      "true");
}

}  // namespace
}  // namespace tenet::ir::test
