/// The plain tree of a file in mypyvy's language, as it was written.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "tenet/base/source.h"

namespace tenet::frontend::pyv {

/// A word and where it stands.
struct Name {
  std::string text;
  Span span;
};

/// A sort: `bool`, `int`, one that is declared, or not known (yet).
struct Sort {
  static constexpr std::int32_t kUnknown = -1;  ///< fits everywhere: something is wrong with it, and that was said
  static constexpr std::int32_t kBool = 0;
  static constexpr std::int32_t kInt = 1;
  static constexpr std::int32_t kFirst = 2;  ///< of those that are declared, in their order
  std::int32_t id = kUnknown;                ///< below kUnknown: to be inferred

  [[nodiscard]] static Sort boolean() { return {kBool}; }
  [[nodiscard]] static Sort integer() { return {kInt}; }
  [[nodiscard]] static Sort declared(std::size_t index) { return {kFirst + static_cast<std::int32_t>(index)}; }
  [[nodiscard]] bool is_declared() const { return id >= kFirst; }
  [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(id - kFirst); }
  friend bool operator==(Sort, Sort) = default;
};

/// A bound variable or parameter.
struct Variable {
  std::string name;
  Span span;
  std::optional<Name> sort_name;
  Sort sort;  ///< filled in by the check
};

enum class Kind : std::uint8_t {
  truth,     ///< number 0 or 1
  integer,   ///< number
  name,      ///< name, primes
  apply,     ///< name, primes; args
  negation,  ///< [arg]
  next,      ///< new(arg)
  conjunction,
  disjunction,
  distinct,
  implies,
  iff,
  equal,
  differs,
  ge,
  gt,
  le,
  lt,
  plus,
  minus,
  times,
  forall,  ///< variables; [body]
  exists,
  branch,  ///< if: [condition, then, else]
  let,     ///< one variable; [value, body]
};

/// One node. Nodes belong to their `File`; arguments point to nodes of the same file.
struct Expr {
  Kind kind = Kind::truth;
  std::uint16_t height = 1;
  std::uint32_t primes = 0;
  std::int64_t number = 0;
  std::string name;  ///< `safety`, too
  std::vector<Expr*> args;
  std::vector<Variable> variables;
  Span span;
};

/// A relation, function or constant.
struct Symbol {
  enum class Kind : std::uint8_t { relation, function, constant };
  Kind kind = Kind::relation;
  Name name;
  bool is_mutable = false;
  std::vector<Name> arity;
  std::optional<Name> sort_name;  ///< of a function or constant
  Expr* derived = nullptr;        ///< of a derived relation: what holds of it in every state
  Span span;
};

/// A formula with or without a name of its own.
struct Claim {
  enum class Kind : std::uint8_t { axiom, init, safety, invariant, theorem };
  Kind kind = Kind::axiom;
  std::optional<Name> name;
  int states = 1;  ///< of a theorem: 0, 1 or 2
  Expr* formula = nullptr;
  Span span;
};

/// A definition or transition.
struct Definition {
  Name name;
  bool is_transition = false;
  int states = 1;
  std::vector<Variable> parameters;
  std::vector<Name> modifies;
  Expr* body = nullptr;
  Span span;
};

struct Call {
  Name target;
  bool has_arguments = false;
  std::vector<Expr*> arguments;  ///< null: `*`
  Span span;
};

struct Component {
  enum class Kind : std::uint8_t { assertion, initial, any, calls };
  Kind kind = Kind::assertion;
  Expr* formula = nullptr;
  std::vector<Call> calls;
  Span span;
};

struct Trace {
  bool sat = true;
  std::vector<Component> components;
  Span span;
};

/// A whole file. Move it, but do not copy it: nodes point at one another.
struct File {
  std::deque<Expr> nodes;
  std::vector<Name> sorts;
  std::vector<Symbol> symbols;
  std::vector<Claim> claims;
  std::vector<Definition> definitions;
  std::vector<Trace> traces;

  File() = default;
  File(File&&) noexcept = default;
  File& operator=(File&&) noexcept = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() = default;
};

}  // namespace tenet::frontend::pyv
