/// What the handles of term.h point to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tenet/smt/term.h"

namespace tenet::smt {

struct SortData {
  std::uint32_t id = 0;
  SortKind kind = SortKind::boolean;
  std::string name;
  std::vector<std::string> members;
  const TermManager* manager = nullptr;
};

struct FunctionData {
  std::uint32_t id = 0;
  std::string name;
  std::vector<Sort> domain;
  Sort range;
  const TermManager* manager = nullptr;
};

struct QuantifierData {
  std::vector<Term> variables;
  std::vector<std::vector<Term>> patterns;
  std::string name;
  friend bool operator==(const QuantifierData&, const QuantifierData&) = default;
};

struct TermData {
  std::uint32_t id = 0;
  Kind kind = Kind::boolean;
  bool closed = true;
  bool quantifier_free = true;
  Sort sort;
  Rational number;  ///< number; boolean: 0 or 1; enumerator: index of the member
  Function function;
  const std::string* name = nullptr;           ///< variable
  const QuantifierData* quantifier = nullptr;  ///< forall, exists
  std::span<const Term> args;
  const TermManager* manager = nullptr;
};

}  // namespace tenet::smt
