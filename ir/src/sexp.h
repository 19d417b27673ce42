/// Trees of words: the surface of IR text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenet/base/result.h"

namespace tenet::ir {

/// A word, or a list in brackets.
struct Sexp {
  bool is_list = false;
  std::string word;
  std::vector<Sexp> items;
  std::uint32_t line = 0;  ///< where it was read, from 1

  Sexp() = default;
  Sexp(std::string text) : word(std::move(text)) {}                          // NOLINT(google-explicit-constructor)
  Sexp(const char* text) : word(text) {}                                     // NOLINT(google-explicit-constructor)
  Sexp(std::vector<Sexp> parts) : is_list(true), items(std::move(parts)) {}  // NOLINT(google-explicit-constructor)

  /// Whether this is a list that starts with the word `head`.
  [[nodiscard]] bool starts(std::string_view head) const {
    return is_list && !items.empty() && !items.front().is_list && items.front().word == head;
  }
};

template <class... Parts>
[[nodiscard]] Sexp list(Parts&&... parts) {
  Sexp result;
  result.is_list = true;
  (result.items.emplace_back(std::forward<Parts>(parts)), ...);
  return result;
}

/// Words that are no plain names are quoted; lists longer than a line are
/// broken and indented.
[[nodiscard]] std::string to_text(const Sexp& tree);
/// Reads one tree; `;` starts a comment. `bad_input` with the line otherwise.
[[nodiscard]] Result<Sexp> parse_sexp(std::string_view text);

}  // namespace tenet::ir
