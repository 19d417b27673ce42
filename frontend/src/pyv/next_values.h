/// What a two-state formula says of new values: which symbols it defines, and
/// what remains.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <vector>

#include "environment.h"
#include "program.h"

namespace tenet::frontend::pyv {

/// `forall prefix. body`, read with the names of `environment`.
struct Conjunct {
  std::vector<const Variable*> prefix;
  const Expr* body = nullptr;
  Environment environment = nullptr;
};

/// The new value of a symbol as a function of its arguments.
struct Next {
  enum class Kind : std::uint8_t {
    body,    ///< `body`, with the arguments for `parameters`
    truth,   ///< always `value`
    branch,  ///< `first` if the condition holds, else `second`
    update,  ///< `body` where the arguments are `point`, else `first`
  };
  Kind kind = Kind::body;
  std::vector<std::string> parameters;
  const Expr* body = nullptr;  ///< of a branch: the condition
  std::vector<const Expr*> point;
  bool value = false;
  bool negated = false;  ///< `body` is negated
  Environment environment = nullptr;
  int state = 0;  ///< in which `body` is read
  const Next* first = nullptr;
  const Next* second = nullptr;
  std::vector<Conjunct> said_by;  ///< body, truth: this conjunct; update: that of the point
};

/// A conjunct, or conjuncts that hold under a condition.
struct Rest {
  Conjunct conjunct;
  const Expr* condition = nullptr;  ///< null: just `conjunct`
  Environment environment = nullptr;
  std::vector<Rest> then;
  std::vector<Rest> otherwise;
};

struct Plan {
  std::map<std::size_t, const Next*> values;  ///< by symbol
  std::vector<Rest> rest;
};

/// Finds definitions in formulas over two states (or, for initial states and
/// derived relations, over one).
class Planner {
 public:
  /// `state`: the one whose values are defined; what is read in the others is given.
  Planner(const Program& program, Bindings& bindings, int state) : p_(program), bindings_(bindings), state_(state) {}

  [[nodiscard]] std::vector<Conjunct> conjuncts(const Expr& formula, Environment environment);
  /// Values of the symbols in `wanted` only.
  [[nodiscard]] Plan plan(const std::vector<Conjunct>& conjuncts, const std::set<std::size_t>& wanted);
  /// Takes values back until none depends on itself; `derived` are values that stay.
  void break_circles(Plan& plan, const std::map<std::size_t, const Next*>& derived) const;
  /// The formula says what it says, but no longer defines this symbol.
  void take_back(Plan& plan, std::size_t symbol) const;
  /// Symbols whose value in `state_` `next` reads.
  void dependencies(const Next& next, std::set<std::size_t>& into) const;

 private:
  void flatten(const Expr& e, Environment environment, const std::vector<const Variable*>& prefix,
               std::vector<Conjunct>& out);
  [[nodiscard]] const Definition* called(const Expr& e, Environment environment) const;
  const Next* define(const Conjunct& conjunct, std::size_t& symbol);
  const Next* define(const Conjunct& conjunct, const Expr& target, const Expr* value, bool truth, std::size_t& symbol);
  [[nodiscard]] const Expr* target_of(const Expr& e, Environment environment, std::size_t& symbol) const;
  void branch(const Conjunct& conjunct, const std::set<std::size_t>& wanted, Plan& plan);
  void updates(const std::set<std::size_t>& wanted, Plan& plan);
  [[nodiscard]] bool rigid(const Expr& e, Environment environment) const;
  bool update(std::vector<Rest>& rest, std::size_t elsewhere, const std::set<std::size_t>& wanted, Plan& plan);
  [[nodiscard]] std::vector<Rest> taken_back(const Next& next) const;
  void reads(const Expr& e, Environment environment, int state, std::set<std::size_t>& into) const;

  const Program& p_;
  Bindings& bindings_;
  int state_;
  std::deque<Next> nexts_;
  int calls_ = 0;                    ///< that are being looked into
  mutable std::size_t visited_ = 0;  ///< nodes, by `reads`
};

}  // namespace tenet::frontend::pyv
