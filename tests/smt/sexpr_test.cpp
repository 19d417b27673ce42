#include "sexpr.h"

#include <gtest/gtest.h>

#include "responses.h"
#include "tenet/smt/term_manager.h"

namespace tenet::smt {
namespace {

std::vector<SExpr> read(std::string_view text, std::size_t piece = 0) {
  SExprReader reader(1 << 20);
  std::vector<SExpr> result;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, piece == 0 ? text.size() : piece);
    text.remove_prefix(part.size());
    reader.feed(part);
    while (auto expr = reader.next()) result.push_back(std::move(*expr));
  }
  return result;
}

SExpr one(std::string_view text) {
  const std::vector<SExpr> all = read(std::string(text) + "\n");
  return all.size() == 1 ? all[0] : SExpr{SExpr::Kind::atom, "not one expression", {}};
}

TEST(SExprTest, ReadsWholeExpressionsFromAnyPieces) {
  const std::string text = "success\n; a comment )\n(a |b c| \"d \"\"e\"\"\" (f))sat (x)\n";
  const std::vector<SExpr> whole = read(text);
  ASSERT_EQ(whole.size(), 4u);
  EXPECT_TRUE(whole[0].is_atom("success"));
  ASSERT_EQ(whole[1].items.size(), 4u);
  EXPECT_EQ(whole[1].items[1].value, "b c");
  EXPECT_EQ(whole[1].items[2].value, "d \"e\"");
  EXPECT_EQ(whole[1].items[3].items[0].value, "f");
  EXPECT_TRUE(whole[2].is_atom("sat"));
  for (std::size_t piece = 1; piece < 8; ++piece) EXPECT_EQ(read(text, piece), whole);
}

TEST(SExprTest, WaitsForTheEnd) {
  EXPECT_TRUE(read("(sat").empty());
  EXPECT_TRUE(read("sat").empty());  // could go on as "saturated"
  EXPECT_TRUE(read("\"open").empty());
  EXPECT_TRUE(read("|open").empty());
}

TEST(SExprTest, RefusesWhatCannotBeRight) {
  for (const std::string& text : {std::string(")"), std::string("(a\1)"), std::string(5000, '('),
                                  std::string((1 << 20) + 10, 'x'), "(" + std::string(1 << 19, '1') + [] {
                                    std::string many;
                                    for (int i = 0; i < 200'000; ++i) many += " 1";
                                    return many;
                                  }() + ")"}) {
    SExprReader reader(1 << 20);
    reader.feed(text);
    reader.feed("\n");
    while (reader.next()) {
    }
    EXPECT_FALSE(reader.error().empty()) << text.substr(0, 10);
    reader.feed("sat\n");
    EXPECT_FALSE(reader.next());
  }
}

TEST(ResponsesTest, AnswersAreExact) {
  EXPECT_EQ(parse_answer(one("sat")), Answer::sat);
  EXPECT_EQ(parse_answer(one("unsat")), Answer::unsat);
  EXPECT_EQ(parse_answer(one("unknown")), Answer::unknown);
  for (const char* other : {"Sat", "|sat|", "\"sat\"", "(sat)", "satisfiable", "success"}) {
    EXPECT_FALSE(parse_answer(one(other))) << other;
  }
}

TEST(ResponsesTest, Numbers) {
  TermManager m;
  Names names;
  const auto text = [&](const std::string& value, Sort sort) {
    const auto parsed = parse_value(one("((x " + value + "))"), sort, names);
    return parsed ? parsed->text : "none";
  };
  const Sort real = m.real_sort(), integer = m.integer_sort();
  EXPECT_EQ(text("5", integer), "5");
  EXPECT_EQ(text("(- 5)", integer), "-5");
  EXPECT_EQ(text("(- 0)", integer), "0");
  EXPECT_EQ(text("1.50", real), "3/2");
  EXPECT_EQ(text("(/ (- 2) 6)", real), "-1/3");
  EXPECT_EQ(text("(- (/ 2.0 6.0))", real), "-1/3");
  EXPECT_EQ(text("123456789012345678901234567890", integer), "123456789012345678901234567890");
  EXPECT_EQ(text("(- (/ 123456789012345678901.0 2.0))", real), "-123456789012345678901/2");
  for (const char* bad : {"1.5", "five", "(/ 1 2)", "(- )", "-5", "(+ 1 2)", "1.", ".5", "\"5\"", "true"}) {
    EXPECT_EQ(text(bad, integer), "none") << bad;
  }
  EXPECT_EQ(text("(/ 1 0)", real), "none");
}

TEST(ResponsesTest, OtherValues) {
  TermManager m;
  Names names;
  const Sort node = m.uninterpreted("Node"), colour = m.enumeration("Colour", {"red", "dark green"});
  EXPECT_EQ(parse_value(one("((x (as @a Node)))"), node, names)->text, "@a");
  EXPECT_EQ(parse_value(one("((x Node!val!0))"), node, names)->text, "Node!val!0");
  EXPECT_EQ(parse_value(one("((x |$Colour.dark green|))"), colour, names)->member, 1u);
  EXPECT_FALSE(parse_value(one("((x $Colour.blue))"), colour, names));
  EXPECT_FALSE(parse_value(one("((x yes))"), m.boolean_sort(), names));
  EXPECT_TRUE(parse_value(one("((x true))"), m.boolean_sort(), names)->boolean);
  EXPECT_FALSE(parse_value(one("((x true) (y true))"), m.boolean_sort(), names));
  EXPECT_FALSE(parse_value(one("()"), m.boolean_sort(), names));
}

TEST(ResponsesTest, InfoAndCores) {
  EXPECT_EQ(parse_info(one("(:name \"Z3\")"), ":name"), "Z3");
  EXPECT_EQ(parse_info(one("(:reason-unknown (incomplete quantifiers))"), ":reason-unknown"),
            "(incomplete quantifiers)");
  EXPECT_FALSE(parse_info(one("(:name)"), ":name"));
  EXPECT_EQ(parse_literals(one("(a |b c| (not d))")), (std::vector<std::string>{"a", "b c", "(not d)"}));
  EXPECT_FALSE(parse_literals(one("(a (or b c))")));
  EXPECT_FALSE(parse_literals(one("unsat")));
  EXPECT_EQ(parse_error(one("(error \"too \"\"bad\"\"\")")), "too \"bad\"");
  EXPECT_EQ(parse_resources(one("(:max 3 :rlimit-count 17 :time 0.0)"), Dialect::z3), 17u);
  EXPECT_EQ(
      parse_resources(one("(:all-statistics ((\"a\" { x: 1 }) (\"resource::resourceUnitsUsed\" 5)))"), Dialect::cvc5),
      5u);
  EXPECT_FALSE(parse_resources(one("()"), Dialect::z3));
}

TEST(ResponsesTest, Versions) {
  EXPECT_TRUE(version_at_least("1.0.3", "1.0"));
  EXPECT_TRUE(version_at_least("4.12.2", "4.8"));
  EXPECT_FALSE(version_at_least("4.8", "4.12"));
  EXPECT_FALSE(version_at_least("0.9.9", "1"));
  EXPECT_FALSE(version_at_least("banana", "1"));
  EXPECT_FALSE(version_at_least("", "1"));
  EXPECT_TRUE(version_at_least("anything", ""));
  EXPECT_TRUE(version_at_least("1.0.3-dev", "1.0.3"));
}

}  // namespace
}  // namespace tenet::smt
