/// Guesses of facts about one host, from the shape of its variables.
#pragma once

#include <vector>

#include "chase.h"

namespace tenet::provenance {

struct Guess {
  DerivedFact fact;
  ir::ExprId closed;         ///< the fact for all hosts and keys, as a formula of the language
  bool conditional = false;  ///< holds only under a condition
  int strength = 0;          ///< an unconditional law makes all laws of its variable superfluous that are not stronger
};

/// Facts about two states: grows, stays, never decreases, frozen once a flag
/// or threshold holds, all of these while another number stays the same.
/// Unconditional ones come first. Adds expressions to `protocol`.
[[nodiscard]] std::vector<Guess> guess_two_state(ir::Protocol& protocol);
/// Facts about one state: one option implies another, one number is at most
/// another, what a status implies.
[[nodiscard]] std::vector<Guess> guess_one_state(ir::Protocol& protocol);

}  // namespace tenet::provenance
