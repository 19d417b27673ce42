/// Proposals of claims that a proof may need on the way, from the
/// vocabulary of the protocol: its messages, thresholds and guards.
#pragma once

#include <string>
#include <vector>

#include "tenet/ir/protocol.h"

namespace tenet::provenance {

/// "For all binders: body."
struct Proposal {
  std::string name;  ///< the closed formula in the language's words
  std::vector<ir::LocalId> binders;
  ir::ExprId body;
  ir::ExprId closed;
  /// Numbers that an induction may go down: each is a natural number or an
  /// argument of a message that the body's hypotheses say was sent.
  std::vector<ir::ExprId> measures;
  /// Places in the same list of proposals that imply this one.
  std::size_t family = 0;  ///< those of one number (not 0) are likely to need one another, and nothing else
  std::vector<std::size_t> stronger;
};

struct Deliveries;

/// Exclusions between holding something (a flag, or a flag for each key) and
/// being about to receive a message that hands it over: it is in one place, and
/// its number is the highest there.
[[nodiscard]] std::vector<Proposal> propose_ownership(ir::Protocol& protocol, const Deliveries& deliveries);

/// What two facts that stay true (a threshold was reached, a message was
/// sent) say about each other's values when their numbers are ordered.
[[nodiscard]] std::vector<Proposal> propose_agreement(ir::Protocol& protocol);

/// What a past step left for everybody to see: of a sent message, what its
/// sender has been since and what it had received before; of a member of a set,
/// the message that put it there. The history-free side of provenance.
[[nodiscard]] std::vector<Proposal> propose_projections(ir::Protocol& protocol);

}  // namespace tenet::provenance
