/// SMT-LIB 2 text of terms, with the declarations it needs.
#pragma once

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "names.h"
#include "tenet/smt/term.h"

namespace tenet::smt {

/// Writes terms for one script or one session with a solver. Knows what the
/// reader has been told at which push level.
class Writer {
 public:
  /// Appends a command for every sort and function of `terms` that is not
  /// declared at this point.
  void declare(std::span<const Term> terms, std::string& out);
  /// The term as an expression; shared parts are bound by `let`, so the text
  /// is linear in the term.
  [[nodiscard]] std::string text(Term term);

  /// Notes that the literal of this label is declared; false if it was already.
  bool declare_label(const std::string& label);

  void push() { levels_.push_back(declared_.size()); }
  void pop();

  [[nodiscard]] Names& names() { return names_; }

 private:
  void declare_sort(Sort sort, std::string& out);
  void declare_function(Function function, std::string& out);

  Names names_;
  std::unordered_set<Sort> sorts_;
  std::unordered_set<Function> functions_;
  std::set<std::string> labels_;
  /// In order of declaration; one of the three is set.
  struct Declared {
    Sort sort;
    Function function;
    std::string label;
  };
  std::vector<Declared> declared_;
  std::vector<std::size_t> levels_;
};

/// "5", "(- 5)", "5.0", "(/ 1.0 3.0)" … as the sort demands.
[[nodiscard]] std::string number_text(const Rational& value, Sort sort);

}  // namespace tenet::smt
