/// What learned clauses are made of: atoms over a few typed variables, in the
/// words of the protocol.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tenet/ir/protocol.h"

namespace tenet::learn {

/// How many variables of each type there are, and what else there is.
struct Template {
  std::map<ir::TypeId, std::size_t> universal;
  /// One more variable of every type, bound by "there is", in conjunctions of up to two literals.
  bool existential = false;
  /// Instead of two any literals those that say why a guard "for all" does not hold, and one more. A clause with such
  /// an obstacle may have one literal more.
  bool obstacles = false;
  std::size_t literals = 3;  ///< of a clause
};

struct Variable {
  ir::LocalId local;
  ir::TypeId type;
  bool existential = false;
};

/// A Boolean expression over the variables that has a value in every state.
struct Atom {
  ir::ExprId formula;
  std::vector<std::size_t> variables;  ///< that occur, ascending; existential ones last
  bool rigid = false;                  ///< the same in all states of a run
  bool equality = false;               ///< of two variables
};

struct Vocabulary {
  std::vector<Variable> variables;  ///< universal ones first, grouped by type
  std::vector<Atom> atoms;
  /// That somebody stands in the way of a guard "for all": an existential variable and what makes it do so.
  struct Obstacle {
    std::size_t variable = 0;
    std::vector<std::pair<std::size_t, bool>> parts;  ///< atoms, and whether they are negated
    friend auto operator<=>(const Obstacle&, const Obstacle&) = default;
  };
  std::set<Obstacle> obstacles;
  bool pairs = true;  ///< whether "there is" binds any two literals
  /// For every renaming of the universal variables within their types (but the identity): what becomes of each
  /// atom; kNone where there is no such atom.
  std::vector<std::vector<std::size_t>> renamings;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

/// The roles that send a message, and those that it is sent to.
struct Ends {
  std::set<ir::RoleId> from, to;
};
[[nodiscard]] Ends ends_of(const ir::Protocol& protocol, ir::MessageId message);

/// The types that clauses quantify over: hosts, uninterpreted types, numbers that messages or keys carry.
[[nodiscard]] std::vector<ir::TypeId> quantified_types(ir::Protocol& protocol);

/// The atoms become expressions of `protocol`, in a fixed order, the simplest first.
[[nodiscard]] Vocabulary make_vocabulary(ir::Protocol& protocol, const Template& shape);

/// A copy of an expression with locals replaced (and `self`, if valid, by a host).
[[nodiscard]] ir::ExprId substituted(ir::Protocol& protocol, ir::ExprId id,
                                     const std::map<ir::LocalId, ir::ExprId>& locals, ir::ExprId self = {});

/// The expression in another protocol with the same declarations, with locals of its own for what it binds.
[[nodiscard]] ir::ExprId transplanted(const ir::Protocol& from, ir::ExprId id, ir::Protocol& to);

}  // namespace tenet::learn
