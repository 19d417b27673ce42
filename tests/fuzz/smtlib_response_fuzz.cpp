// A solver's output is read the same in any pieces, and nothing in it can do
// harm: whatever is not exactly an answer is none.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "responses.h"
#include "sexpr.h"
#include "tenet/smt/term_manager.h"

namespace {

using tenet::smt::Answer;
using tenet::smt::Dialect;
using tenet::smt::SExpr;
using tenet::smt::SExprReader;

struct Reading {
  std::vector<SExpr> all;
  bool failed = false;
  friend bool operator==(const Reading&, const Reading&) = default;
};

Reading read(std::string_view text, std::size_t piece) {
  constexpr std::size_t kLimit = 4096;
  SExprReader reader(kLimit);
  Reading result;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    reader.feed(text.substr(at, piece));
    while (auto expr = reader.next()) result.all.push_back(std::move(*expr));
  }
  result.failed = !reader.error().empty();
  return result;
}

void require(bool holds) {
  if (!holds) std::abort();
}

void understand(const SExpr& expr, tenet::smt::TermManager& terms, tenet::smt::Names& names) {
  const auto answer = tenet::smt::parse_answer(expr);
  require(!answer || (!expr.is_list() && expr.value == tenet::smt::name_of(*answer)));
  if (const auto error = tenet::smt::parse_error(expr)) require(!answer);
  (void)tenet::smt::parse_info(expr, ":name");
  (void)tenet::smt::parse_literals(expr);
  (void)tenet::smt::parse_resources(expr, Dialect::z3);
  (void)tenet::smt::parse_resources(expr, Dialect::cvc5);
  (void)tenet::smt::version_at_least(expr.value, "1.0");
  for (const tenet::smt::Sort sort : {terms.boolean_sort(), terms.integer_sort(), terms.real_sort(),
                                      terms.uninterpreted("S"), terms.enumeration("E", {"a", "b c"})}) {
    const auto value = tenet::smt::parse_value(expr, sort, names);
    require(!value || !value->text.empty());
  }
  for (const char c : tenet::smt::shown(expr)) require(c >= 0x20 && c < 0x7f);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Reading whole = read(text, text.size() + 1);
  require(whole == read(text, 1 + data[0] % 16u));
  tenet::smt::TermManager terms;
  tenet::smt::Names names;
  for (const SExpr& expr : whole.all) understand(expr, terms, names);
  return 0;
}
