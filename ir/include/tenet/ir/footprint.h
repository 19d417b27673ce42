/// What formulas read and steps change.
#pragma once

#include <set>

#include "tenet/ir/protocol.h"

namespace tenet::ir {

/// Variables, and kinds of messages.
struct Footprint {
  std::set<VarId> variables;
  std::set<MessageId> messages;
  bool two_states = false;  ///< of a formula: it has `old`

  /// Whether there is something in both.
  [[nodiscard]] bool meets(const Footprint& other) const;
  /// Adds all that is in the other.
  void join(const Footprint& other);
};

/// What an expression reads: variables of any host, messages that it asks for with `sent`.
[[nodiscard]] Footprint read_by(const Protocol& protocol, ExprId expr);

/// The kinds of messages that a step may send.
[[nodiscard]] std::set<MessageId> sent_by(const Protocol& protocol, StepId step);

/// What a step may assign, send or consume.
[[nodiscard]] Footprint changed_by(const Protocol& protocol, StepId step);

}  // namespace tenet::ir
