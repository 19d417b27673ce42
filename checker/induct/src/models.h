/// What a solver's model of a ground question says, in values of the language.
#pragma once

#include <optional>

#include "encoder.h"
#include "tenet/induct/induct.h"
#include "tenet/smt/solver.h"
#include "transition.h"

namespace tenet::induct {

/// Reads values from the model of the last check. Nothing where the solver does not tell.
class ModelReader {
 public:
  ModelReader(Encoder& encoder, smt::Solver& solver) : e_(encoder), solver_(solver) {}

  [[nodiscard]] std::optional<ir::Value> value(const SymPtr& symbolic);
  [[nodiscard]] std::optional<bool> truth(Term term);
  [[nodiscard]] std::optional<ir::State> state(const StatePtr& view);
  [[nodiscard]] std::optional<ir::Constants> constants();
  [[nodiscard]] std::optional<ir::Action> action(const Transition& transition);

 private:
  [[nodiscard]] std::optional<ir::HostRef> host(const SymPtr& symbolic, ir::RoleId role);
  bool packets(const StatePtr& view, ir::MessageId message, ir::RoleId from, ir::RoleId to, ir::State& into);

  Encoder& e_;
  smt::Solver& solver_;
};

}  // namespace tenet::induct
