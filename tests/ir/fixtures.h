/// What the tests of the IR share.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tenet/ir/instance.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/protocol.h"

namespace tenet::ir::test {

/// Two-phase commit as in the language's own pages, made with Builder.
Protocol two_phase_commit();
/// Transaction commit after the published TLA+ module TwoPhase, as IR text.
Protocol lamport_two_phase();
/// One message to each of many: at-most-once delivery, choices, lets, maps,
/// functions, rings, ordered types; nothing sensible.
Protocol kitchen_sink();
/// A protocol from IR text; fails the test if it does not read.
Protocol from_text(std::string_view text);
/// A protocol of the repository, through the frontend.
Protocol from_file(const std::string& path);
/// Every protocol the tests know: printed, read, edited, mutated by many.
std::vector<Protocol> all_protocols();

/// `Name = value` and `Name in low..high`, separated by spaces: "R=2 x=0..3".
InstanceDecl instance_decl(std::string_view entries);
/// Resolves it; fails the test if it does not resolve.
Instance instance(const Protocol& protocol, std::string_view entries);
/// The instance of that name in the protocol.
Instance named_instance(const Protocol& protocol, std::string_view name);

/// The first start; fails the test if there is none.
Start first_start(const Protocol& protocol, const Instance& instance);

/// What a naive breadth-first search over the interpreter finds.
struct Explored {
  std::size_t states = 0;
  std::size_t initial = 0;
  std::size_t depth = 0;  ///< longest shortest path
  std::size_t cuts = 0;
  std::size_t faults = 0;
  std::vector<std::string> violated;  ///< names of safety and transition properties, in order
  std::vector<std::string> reached;   ///< names of reachable properties, in order
  std::vector<Trace> traces;          ///< one to each violation, then to each witness
};
Explored explore(const Protocol& protocol, const Instance& instance, std::size_t most_states = 100'000);

/// How many reachable states there are up to renaming the hosts of one role.
std::size_t orbits(const Protocol& protocol, const Instance& instance, std::string_view role);

/// The first expression for which `wanted` holds, or an invalid id.
ExprId find_expr(const Protocol& protocol, const std::function<bool(const Expr&)>& wanted);
StepId step_named(const Protocol& protocol, std::string_view name);

}  // namespace tenet::ir::test
