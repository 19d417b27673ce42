/// Which quantifiers say in an instance what they say of all numbers.
#pragma once

#include <vector>

#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"

namespace tenet::ir {

/// Whether a value of the type has functions of numbers in it, of which an instance knows only a part: of two that are
/// alike there it does not know whether they are equal.
[[nodiscard]] bool has_functions_of_numbers(const Protocol& protocol, TypeId type);

/// A quantifier, set builder or sum over a type with numbers is confined if the formula itself rules out all values
/// outside the instance's ranges: they would have to be an element of a set, a key or in a message, or equal to, below
/// or above something that the instance bounds. Of one that is open, an instance does not know the value unless it has
/// a witness or a counterexample. In doubt a quantifier counts as open.
///
/// Looks through the protocol once, for what binds locals; refers to it no further.
class OpenQuantifiers {
 public:
  explicit OpenQuantifiers(const Protocol& protocol);
  /// Takes time linear in the formula for each binder and number in it. False for anything but a quantifier.
  [[nodiscard]] bool contain(const Protocol& protocol, const Instance& instance, ExprId quantifier) const;

 private:
  friend class Confinement;
  std::vector<bool> computed_;      ///< by local: bound to any value (`let`)
  std::vector<ExprId> element_of_;  ///< by local: bound to the elements of this set
};

}  // namespace tenet::ir
