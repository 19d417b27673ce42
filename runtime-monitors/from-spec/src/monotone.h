/// Which variables only move one way, read off the steps.
#pragma once

#include <string>
#include <vector>

#include "tenet/ir/protocol.h"

namespace tenet::from_spec {

enum class Growth {
  set_grows,       ///< a set only gains elements
  function_grows,  ///< every value of a function to sets only gains elements
  stays_true,      ///< false to true, once
  stays_set,       ///< none to some, and then unchanged
  number_grows,    ///< a number never sinks
  option_grows,    ///< none to some, and then upwards
};

struct Monotone {
  ir::VarId variable;
  Growth growth = Growth::set_grows;
};

/// Every assignment of the variable must keep to it, under what holds where it stands: the step's guard and the
/// conditions of the branches around it. Purely by form, so that what is found is certain and some is missed.
[[nodiscard]] std::vector<Monotone> monotone_variables(const ir::Protocol& protocol, ir::RoleId role);

/// `promised only grows`: the rule in words.
[[nodiscard]] std::string describe(const ir::Protocol& protocol, const Monotone& rule);
/// As part of a rule's name: `grows`, `stays`.
[[nodiscard]] std::string name(Growth growth);

}  // namespace tenet::from_spec
