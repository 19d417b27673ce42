/// What a solver's model of a ground question says, in values of the language.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "tenet/encode/encoder.h"
#include "tenet/encode/transition.h"
#include "tenet/ir/state.h"
#include "tenet/smt/solver.h"

namespace tenet::encode {

/// Reads values from the model of the last check. Nothing where the solver does not tell.
class ModelReader {
 public:
  ModelReader(Encoder& encoder, smt::Solver& solver) : ModelReader(encoder, solver, *encoder.instance()) {}
  /// What is a table over numbers has the arguments that it has in `instance`, which must have the same hosts and
  /// values.
  ModelReader(Encoder& encoder, smt::Solver& solver, const ir::Instance& instance)
      : e_(encoder), solver_(solver), instance_(instance) {}

  [[nodiscard]] std::optional<ir::Value> value(const SymPtr& symbolic);
  [[nodiscard]] std::optional<bool> truth(Term term);
  [[nodiscard]] std::optional<ir::State> state(const StatePtr& view);
  /// The state without what is in the network.
  [[nodiscard]] std::optional<ir::State> variables(const StatePtr& view);
  [[nodiscard]] std::optional<ir::Constants> constants();
  [[nodiscard]] std::optional<ir::Action> action(const Transition& transition);

 private:
  [[nodiscard]] std::optional<ir::HostRef> host(const SymPtr& symbolic, ir::RoleId role);
  bool packets(const StatePtr& view, ir::MessageId message, ir::RoleId from, ir::RoleId to, ir::State& into);

  const std::vector<ir::Value>& domain(ir::TypeId type);

  Encoder& e_;
  smt::Solver& solver_;
  const ir::Instance& instance_;
  std::unordered_map<ir::TypeId, std::vector<ir::Value>> domains_;
};

}  // namespace tenet::encode
