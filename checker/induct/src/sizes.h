/// Which instances are worth a search.
#pragma once

#include <cstdint>
#include <vector>

#include "tenet/ir/instance.h"
#include "tenet/ir/protocol.h"

namespace tenet::induct {

/// Instances in which every role and type has `size` hosts or values, as far as
/// the axioms leave that open: constants that they tell apart need as many
/// values, and a type whose values they list has no more.
[[nodiscard]] ir::Instance instance_of_about(const ir::Protocol& protocol, std::int64_t size);
/// With numbers of their own size.
[[nodiscard]] ir::Instance instance_of_about(const ir::Protocol& protocol, std::int64_t size, std::int64_t numbers);

/// Those up to `largest`, ascending. Where no role has several hosts, also
/// those in which one type has more values than the others, which may be
/// enough for a run and keep the question small.
[[nodiscard]] std::vector<ir::Instance> instances_up_to(const ir::Protocol& protocol, std::int64_t largest);

}  // namespace tenet::induct
