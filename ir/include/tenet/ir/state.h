/// States, actions and traces in readable form: what the reference
/// interpreter works on and what every report prints.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tenet/ir/protocol.h"
#include "tenet/ir/value.h"

namespace tenet::ir {

/// A host: which role, and its index from 0 within the role.
struct HostRef {
  RoleId role;
  std::uint32_t index = 0;
  friend auto operator<=>(HostRef, HostRef) = default;
};

/// One message in the network.
struct Packet {
  MessageId message;
  HostRef sender;
  HostRef addressee;
  std::vector<Value> args;
  friend auto operator<=>(const Packet&, const Packet&) = default;
};

/// The values of all constants in one run: they never change.
/// `host[const][host index]` for a constant of a role, `global[const]` else;
/// a relation or function with parameters is a table over the product of its
/// parameters' domains, first parameter slowest.
struct Constants {
  std::vector<std::vector<Value>> values;  ///< by ConstId; one entry per host, or one, or one per argument tuple
  friend bool operator==(const Constants&, const Constants&) = default;
};

struct State {
  std::vector<std::vector<Value>> variables;  ///< by VarId, then by host index
  std::vector<Packet> network;                ///< ascending; at-most-once messages may occur several times
  friend auto operator<=>(const State&, const State&) = default;
};

/// A step with everything that makes it happen in exactly one way.
struct Action {
  StepId step;
  HostRef host;
  std::vector<Value> parameters;
  std::vector<Value> choices;  ///< of the `choose` statements that were run, in order
  std::optional<Packet> received;
  friend auto operator<=>(const Action&, const Action&) = default;
};

/// A run: constants, an initial state, and what happened. The states after
/// it follow by replay; `states` holds them so that reports need not.
struct Trace {
  Constants constants;
  std::vector<Action> actions;
  std::vector<State> states;               ///< actions.size() + 1
  std::vector<std::vector<Packet>> sends;  ///< per action, in the order sent
};

}  // namespace tenet::ir
