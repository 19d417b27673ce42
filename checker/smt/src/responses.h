/// The meaning of a solver's answers. Each function gives nothing rather than
/// a guess when the answer is not exactly of its form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "names.h"
#include "sexpr.h"
#include "tenet/smt/query.h"
#include "tenet/smt/solver.h"
#include "tenet/smt/value.h"

namespace tenet::smt {

/// `(error "…")`: the text.
[[nodiscard]] std::optional<std::string> parse_error(const SExpr& answer);
/// `sat`, `unsat` or `unknown`.
[[nodiscard]] std::optional<Answer> parse_answer(const SExpr& answer);
/// `(keyword value)`: the value, if it is a text or a symbol.
[[nodiscard]] std::optional<std::string> parse_info(const SExpr& answer, std::string_view keyword);
/// A list of symbols and negated symbols, as `name` or `(not name)` without quotes.
[[nodiscard]] std::optional<std::vector<std::string>> parse_literals(const SExpr& answer);
/// `((term value))`: the value, which must be of the sort.
[[nodiscard]] std::optional<Value> parse_value(const SExpr& answer, Sort sort, Names& names);
/// The resource units of all statistics; nothing if the dialect has none.
[[nodiscard]] std::optional<std::uint64_t> parse_resources(const SExpr& answer, Dialect dialect);
/// Why a solver says it does not know.
[[nodiscard]] Cause cause_of_unknown(std::string_view reason);
/// What kind of trouble an `(error "…")` is.
[[nodiscard]] Cause cause_of_error(std::string_view message);
/// Whether `version` ("1.0.3") is at least `minimum` ("1.0"), number by number.
[[nodiscard]] bool version_at_least(std::string_view version, std::string_view minimum);

/// The answer as text again, cut to a length that fits into a message.
[[nodiscard]] std::string shown(const SExpr& answer);

}  // namespace tenet::smt
