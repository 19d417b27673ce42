/// Reachable states of small instances.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "tenet/base/stop.h"
#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"
#include "tenet/learn/learn.h"
#include "values.h"

namespace tenet::learn {

struct Samples {
  std::deque<ir::Instance> instances;
  std::vector<Sample> states;
  std::vector<Violation> violations;  ///< at most one of a property
  /// Whether a step or a formula reads what is not there: nothing can be proved then.
  [[nodiscard]] bool faulty() const;
};

/// An instance with so many of everything; of an ordered type as many more as it has constants.
[[nodiscard]] ir::Instance instance_with(const ir::Protocol& protocol, std::int64_t size);

/// States of instances with two and three of everything, and of the first that the protocol declares: all states of
/// the smaller ones, and random runs where there are too many; from random starts where these are too many.
[[nodiscard]] Samples sample(const ir::Protocol& protocol, const std::vector<ir::PropertyId>& properties,
                             const StopFlag* stop);

}  // namespace tenet::learn
