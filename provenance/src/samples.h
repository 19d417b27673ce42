/// States of small instances, reached by random runs: a cheap filter for
/// guesses, and a test of what has been derived.
#pragma once

#include <memory>
#include <vector>

#include "tenet/base/stop.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/protocol.h"

namespace tenet::provenance {

class Samples {
 public:
  /// Random runs of each instance of the protocol (of the default instance if
  /// it declares none). The same protocol gives the same samples. Once `stop` is requested, no formula survives.
  Samples(const ir::Protocol& protocol, std::size_t runs, std::size_t steps, const StopFlag* stop = nullptr);
  /// Which of the closed formulas no sampled state falsifies; with `between`
  /// (formulas with `old`) no two states of one run. `protocol` may have more
  /// expressions than the one sampled, nothing else.
  [[nodiscard]] std::vector<bool> surviving(const ir::Protocol& protocol, const std::vector<ir::ExprId>& formulas,
                                            bool between) const;
  [[nodiscard]] std::size_t states() const;

 private:
  struct Run {
    std::size_t instance = 0;
    ir::Constants constants;
    std::vector<ir::State> states;
  };
  [[nodiscard]] bool stopped() const { return stop_ != nullptr && stop_->requested(); }

  const StopFlag* stop_;
  std::vector<ir::Instance> instances_;
  std::vector<Run> runs_;
};

}  // namespace tenet::provenance
