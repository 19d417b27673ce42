/// Messages that are delivered at most once, as counters.
///
/// In the theory a message that was sent can be received at any later time, as often as one likes. Of a message that is
/// delivered at most once that is more than can happen. What can is said by two variables that only the prover sees:
/// how often its sender has sent it, and how often its addressee has received it. It can be received while the first is
/// more than the second.
#pragma once

#include <vector>

#include "lemmas.h"
#include "tenet/ir/protocol.h"

namespace tenet::provenance {

/// The counters of a message from one role to another: functions of the other host and then of the fields, one after
/// the other. They are integers, not natural numbers, so that nothing has to be said of each value that is looked at:
/// all that matters is which of the two is greater.
struct Tracked {
  ir::MessageId message;
  ir::RoleId from, to;
  ir::VarId sent;      ///< of `from`
  ir::VarId received;  ///< of `to`
};

struct Deliveries {
  std::vector<Tracked> tracked;
  /// Steps that were split: each receives from one role only, and others from the other roles.
  std::vector<ir::StepId> split;
  /// Some formula asks whether such a message was sent. Then it means that a copy is there, which is not what it means
  /// here.
  bool asked = false;

  [[nodiscard]] const Tracked* find(ir::MessageId message, ir::RoleId from, ir::RoleId to) const;
};

/// Lets every message be delivered any number of times, and adds counters and guards that allow at most once for each
/// send what was to be delivered at most once. The runs are the same but for the counters. Ids of what was there before
/// stay as they are; instances get ranges for the counters. A guard reads the counter of the sender, which no text can.
[[nodiscard]] Deliveries count_deliveries(ir::Protocol& protocol);

/// More than `spare` copies of the message are on their way. `fields` are its values.
[[nodiscard]] ir::ExprId on_its_way(ir::Protocol& protocol, const Tracked& tracked, ir::ExprId from, ir::ExprId to,
                                    const std::vector<ir::ExprId>& fields, std::int64_t spare = 0);

/// Nothing is received more often than it was sent, what is on its way was sent, and numbers that count along.
[[nodiscard]] std::vector<Proposal> propose_deliveries(ir::Protocol& protocol, const Deliveries& deliveries);

/// Whether an expression speaks of counters, which are no part of the language.
[[nodiscard]] bool counts(const ir::Protocol& protocol, const Deliveries& deliveries, ir::ExprId expr);

}  // namespace tenet::provenance
