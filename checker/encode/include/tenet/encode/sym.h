/// Values of the protocol language as terms of a solver.
///
/// Options and structs are trees of scalars, compared field by field. Sets,
/// maps and functions are things one can apply to a key; they reach the solver
/// as relations and functions over the parts of their keys.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tenet/ir/protocol.h"
#include "tenet/smt/term.h"

namespace tenet::encode {

struct Sym;
using SymPtr = std::shared_ptr<const Sym>;

struct Sym {
  enum class Kind { scalar, option, structure, collection };
  Kind kind = Kind::scalar;
  ir::TypeId type;
  smt::Term term;             ///< scalar: the value; option: whether it is some
  std::vector<SymPtr> parts;  ///< option: the payload; structure: the fields
  /// Collection: a set gives a Boolean, a map an option, a function its result.
  std::function<SymPtr(const SymPtr& key)> apply;
  /// Set, map: keys such that it has no others; null: not known. A key may be named twice.
  std::shared_ptr<const std::vector<SymPtr>> support;
};

/// A message in the network: whose, to whom, what.
struct Letter {
  ir::MessageId message;
  ir::RoleId from, to;
  SymPtr sender, addressee;
  std::vector<SymPtr> args;
};

/// One state: what its variables are, and what is in the network.
struct StateView {
  std::function<SymPtr(ir::VarId, const SymPtr& host)> read;
  std::function<smt::Term(const Letter&)> sent;
  /// Of messages that arrive at most once: whether there is a second copy.
  std::function<smt::Term(const Letter&)> twice;
};
using StatePtr = std::shared_ptr<const StateView>;

}  // namespace tenet::encode
