#include "responses.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "printable.h"

namespace tenet::smt {
namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// A number of any size, as digits.
struct Fraction {
  bool negative = false;
  std::string top;
  std::string bottom = "1";
};

std::string without_leading_zeros(const std::string& text) {
  const std::size_t first = text.find_first_not_of('0');
  return first == std::string::npos ? "0" : text.substr(first);
}

/// "5", "5.0" or "0.25".
std::optional<Fraction> decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string_view part = point == std::string_view::npos ? "0" : text.substr(point + 1);
  if (!all_digits(whole) || !all_digits(part)) return std::nullopt;
  while (part.ends_with('0')) part.remove_suffix(1);
  Fraction result;
  result.top = without_leading_zeros(std::string(whole) + std::string(part));
  result.bottom = '1' + std::string(part.size(), '0');
  return result;
}

std::optional<Fraction> fraction(const SExpr& expr) {
  if (expr.kind == SExpr::Kind::atom) return decimal(expr.value);
  if (!expr.is_list() || expr.items.empty()) return std::nullopt;
  const std::vector<SExpr>& items = expr.items;
  if (items[0].is_atom("-") && items.size() == 2) {
    auto inner = fraction(items[1]);
    if (inner) inner->negative = !inner->negative;
    return inner;
  }
  if (!items[0].is_atom("/") || items.size() != 3) return std::nullopt;
  const auto top = fraction(items[1]), bottom = fraction(items[2]);
  if (!top || !bottom || top->bottom != "1" || bottom->bottom != "1" || bottom->top == "0") return std::nullopt;
  return Fraction{top->negative != bottom->negative, top->top, bottom->top};
}

std::optional<std::int64_t> to_int64(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool set_number(const SExpr& expr, Value& value) {
  const auto parsed = fraction(expr);
  if (!parsed) return false;
  const auto top = to_int64(parsed->top), bottom = to_int64(parsed->bottom);
  if (top && bottom) value.number = Rational::make(parsed->negative ? -*top : *top, *bottom);
  if (value.number) {
    value.text = value.number->text();
  } else {
    value.text = (parsed->negative ? "-" : "") + parsed->top + (parsed->bottom == "1" ? "" : '/' + parsed->bottom);
  }
  const bool integral = value.number ? value.number->integral() : parsed->bottom == "1";
  return integral || value.sort.kind() == SortKind::real;
}

/// `name` or `(as name Sort)`.
const SExpr& without_sort(const SExpr& expr) {
  const bool qualified = expr.is_list() && expr.items.size() == 3 && expr.items[0].is_atom("as");
  return qualified ? expr.items[1] : expr;
}

void append(const SExpr& expr, std::string& out, std::size_t limit) {
  if (out.size() > limit) return;
  switch (expr.kind) {
    case SExpr::Kind::atom:
      out += expr.value;
      return;
    case SExpr::Kind::quoted:
      out += '|' + expr.value + '|';
      return;
    case SExpr::Kind::text:
      out += '"' + expr.value + '"';
      return;
    case SExpr::Kind::list:
      break;
  }
  out += '(';
  for (std::size_t i = 0; i < expr.items.size() && out.size() <= limit; ++i) {
    if (i > 0) out += ' ';
    append(expr.items[i], out, limit);
  }
  out += ')';
}

}  // namespace

std::optional<std::string> parse_error(const SExpr& answer) {
  if (!answer.is_list() || answer.items.empty() || !answer.items[0].is_atom("error")) return std::nullopt;
  return answer.items.size() > 1 ? printable(answer.items[1].value) : "no reason given";
}

std::optional<Answer> parse_answer(const SExpr& answer) {
  for (const Answer known : {Answer::sat, Answer::unsat, Answer::unknown}) {
    if (answer.is_atom(name_of(known))) return known;
  }
  return std::nullopt;
}

std::optional<std::string> parse_info(const SExpr& answer, std::string_view keyword) {
  if (!answer.is_list() || answer.items.size() != 2 || !answer.items[0].is_atom(keyword)) return std::nullopt;
  return answer.items[1].is_list() ? shown(answer.items[1]) : printable(answer.items[1].value);
}

std::optional<std::vector<std::string>> parse_literals(const SExpr& answer) {
  if (!answer.is_list()) return std::nullopt;
  std::vector<std::string> result;
  for (const SExpr& item : answer.items) {
    if (item.is_symbol()) {
      result.push_back(item.value);
    } else if (item.is_list() && item.items.size() == 2 && item.items[0].is_atom("not") && item.items[1].is_symbol()) {
      result.push_back("(not " + item.items[1].value + ')');
    } else {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<Value> parse_value(const SExpr& answer, Sort sort, Names& names) {
  if (!answer.is_list() || answer.items.size() != 1) return std::nullopt;
  const SExpr& pair = answer.items[0];
  if (!pair.is_list() || pair.items.size() != 2) return std::nullopt;
  const SExpr& given = without_sort(pair.items[1]);
  Value value;
  value.sort = sort;
  switch (sort.kind()) {
    case SortKind::boolean:
      if (!given.is_atom("true") && !given.is_atom("false")) return std::nullopt;
      value.boolean = given.value == "true";
      value.text = given.value;
      return value;
    case SortKind::integer:
    case SortKind::real:
      return set_number(given, value) ? std::optional(value) : std::nullopt;
    case SortKind::uninterpreted:
      if (!given.is_symbol() || given.value.empty()) return std::nullopt;
      value.text = given.value;
      return value;
    case SortKind::enumeration:
      break;
  }
  if (!given.is_symbol()) return std::nullopt;
  value.member = names.find_member(sort, given.value);
  if (value.member == sort.members().size()) return std::nullopt;
  value.text = sort.members()[value.member];
  return value;
}

std::optional<std::uint64_t> parse_resources(const SExpr& answer, Dialect dialect) {
  if (!answer.is_list()) return std::nullopt;
  const auto number = [](const SExpr& expr) -> std::optional<std::uint64_t> {
    const auto value = to_int64(expr.value);
    return value && *value >= 0 ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
  };
  const std::vector<SExpr>& items = answer.items;
  if (dialect == Dialect::z3) {  // (:key value :key value …)
    for (std::size_t i = 0; i + 1 < items.size(); ++i) {
      if (items[i].is_atom(":rlimit-count")) return number(items[i + 1]);
    }
  }
  if (dialect == Dialect::cvc5 && items.size() == 2) {  // (:all-statistics (("key" value) …))
    for (const SExpr& entry : items[1].items) {
      if (entry.items.size() == 2 && entry.items[0].value == "resource::resourceUnitsUsed") {
        return number(entry.items[1]);
      }
    }
  }
  return std::nullopt;
}

Cause cause_of_unknown(std::string_view reason) {
  const auto has = [&](std::string_view word) { return reason.find(word) != std::string_view::npos; };
  if (has("memout") || has("memory")) return Cause::memory;
  if (has("resource") || has("cancel") || has("timeout")) return Cause::resource_limit;
  return Cause::incomplete;
}

Cause cause_of_error(std::string_view message) {
  const bool memory =
      message.find("out of memory") != std::string_view::npos || message.find("bad_alloc") != std::string_view::npos;
  return memory ? Cause::memory : Cause::refused;
}

bool version_at_least(std::string_view version, std::string_view minimum) {
  const auto take = [](std::string_view& text) {
    std::uint64_t value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with('.')) text.remove_prefix(1);
    return value;
  };
  if (!minimum.empty() && (version.empty() || version[0] < '0' || version[0] > '9')) return false;
  while (!minimum.empty()) {
    const std::size_t before = minimum.size();
    const std::uint64_t have = take(version), want = take(minimum);
    if (have != want) return have > want;
    if (minimum.size() == before) return true;
  }
  return true;
}

std::string shown(const SExpr& answer) {
  constexpr std::size_t kLimit = 200;
  std::string out;
  append(answer, out, kLimit);
  return printable(out, kLimit);
}

}  // namespace tenet::smt
