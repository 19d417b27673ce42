/// One term as SMT-LIB text.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "names.h"

namespace tenet::smt {

/// Writes one scope (a whole term or the body of a quantifier) at a time:
/// what occurs more than once in it and is not small is bound by `let`.
class ExpressionText {
 public:
  explicit ExpressionText(Names& names) : names_(names) {}
  [[nodiscard]] std::string write(Term term);

 private:
  /// Of one term in the scope being written.
  struct Use {
    std::size_t count = 0;  ///< occurrences in the scope
    std::size_t size = 0;   ///< of its text, roughly, in symbols
    std::size_t level = 0;  ///< how deep the `let`s are that its text needs
    std::string name;       ///< of its own `let`; empty: none
  };
  using Uses = std::unordered_map<Term, Use>;

  std::string scope(Term root);
  void measure(std::span<const Term> order, Uses& uses);
  void expression(Term term, const Uses& uses, std::string& out);
  /// As `expression`, but writes out a root that has a `let`.
  void binding(Term root, const Uses& uses, std::string& out);
  void open(Term term, std::string& out);
  void leaf(Term term, std::string& out);
  void quantifier(Term term, std::string& out);
  void pattern(std::span<const Term> elements, std::string& out);

  Names& names_;
  std::size_t lets_ = 0;
};

}  // namespace tenet::smt
