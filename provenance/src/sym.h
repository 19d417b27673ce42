/// Symbolic values: a value of the protocol language as solver terms.
///
/// Options and structs are kept as trees of scalars and compared field by
/// field, so the solver sees only Booleans, integers and uninterpreted hosts
/// and values. Sets, maps and functions are things one can apply to a key. Where
/// one has to be a single term (in a message, as a key, as an argument of a
/// step) a *token* stands for it: an uninterpreted value of which the solver
/// knows what it holds at the keys that matter.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tenet/ir/protocol.h"
#include "tenet/smt/term.h"

namespace tenet::provenance {

struct Sym;
using SymPtr = std::shared_ptr<const Sym>;

/// A set, map or function. Applying a set gives a Boolean scalar, a map an
/// option, a function its result.
struct Collection {
  enum class Shape {
    variable,  ///< (part of) a state variable at some host and time
    empty,     ///< {} or a map without keys
    all,       ///< every host of a role
    other,
  };
  Shape shape = Shape::other;
  std::function<SymPtr(const SymPtr& key)> apply;
  /// Sets only: the number of elements; the same term whenever asked.
  std::function<smt::Term()> cardinality;
  /// The token that stands for it, if one has been made.
  mutable smt::Term token;
  /// Makes the token where there is a natural name for it; may be null.
  std::function<smt::Term()> name;
};
using CollectionPtr = std::shared_ptr<const Collection>;

struct Sym {
  enum class Kind { scalar, option, structure, collection };
  Kind kind = Kind::scalar;
  ir::TypeId type;
  smt::Term term;             ///< scalar: the value; option: whether it is some; collection: its token, if it is one
  std::vector<SymPtr> parts;  ///< option: the payload; structure: the fields
  CollectionPtr collection;
};

}  // namespace tenet::provenance
