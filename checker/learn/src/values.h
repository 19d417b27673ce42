/// Formulas on explicit states, fast enough for millions of evaluations.
#pragma once

#include <deque>
#include <unordered_map>
#include <vector>

#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/ir/state.h"
#include "tenet/ir/value.h"

namespace tenet::learn {

/// A state with what it takes to read it.
struct Sample {
  const ir::Instance* instance = nullptr;
  ir::Constants constants;
  ir::State state;
};

/// Evaluates expressions that learned formulas are made of. An expression that
/// has no value (or is of another kind) makes `known` false. Not thread-safe.
class Values {
 public:
  explicit Values(const ir::Protocol& protocol) : p_(protocol) {}

  void look_at(const Sample& sample);
  /// Before a sample whose instance may lie where that of an earlier one lay.
  void forget_instance() { domains_of_ = nullptr; }
  void bind(ir::LocalId local, const ir::Value& value);
  /// The Boolean value; false where there is none, and then `known()` is false.
  bool truth(ir::ExprId formula);
  [[nodiscard]] bool known() const { return known_; }
  /// All values of a type in the sample's instance.
  const std::vector<ir::Value>& domain(ir::TypeId type);

 private:
  const ir::Value* value(ir::ExprId id);
  const ir::Value* boolean(bool b) { return b ? &true_ : &false_; }
  const ir::Value* keep(ir::Value made);
  const ir::Value* unknown();
  bool quantifier(const ir::Expr& node);
  bool sent(const ir::Expr& node);
  std::size_t row(const std::vector<ir::TypeId>& parameters, const ir::Expr& node);
  std::size_t position(ir::TypeId type, const ir::Value& value);

  const ir::Protocol& p_;
  const Sample* sample_ = nullptr;
  const ir::Instance* domains_of_ = nullptr;
  std::unordered_map<ir::TypeId, std::vector<ir::Value>> domains_;
  std::vector<const ir::Value*> locals_;
  std::deque<ir::Value> made_;
  std::size_t used_ = 0;
  bool known_ = true;
  const ir::Value true_{1, {}}, false_{0, {}};
};

}  // namespace tenet::learn
