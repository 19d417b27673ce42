/// The value of a term in a model.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tenet/smt/term.h"

namespace tenet::smt {

struct Value {
  Sort sort;
  /// "true", "-5", "1/3", the member of an enumeration, or the solver's own
  /// name of an element of an uninterpreted sort. Two values of one model are
  /// equal exactly if their sort and text are.
  std::string text;
  bool boolean = false;            ///< of a Boolean
  std::optional<Rational> number;  ///< of a number, if it fits
  std::size_t member = 0;          ///< of an enumeration

  friend bool operator==(const Value& a, const Value& b) { return a.sort == b.sort && a.text == b.text; }
};

}  // namespace tenet::smt
