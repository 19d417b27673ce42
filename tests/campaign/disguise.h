/// The same protocol in other words: what a verdict must not depend on.
#pragma once

#include <cstdint>

#include "tenet/ir/protocol.h"

namespace tenet::campaign {

/// A copy in which every identifier has a random name, and the properties, the
/// steps and the variables stand in a random order. The same seed gives the
/// same copy. Property number i of the copy is number `order[i]` of the original.
struct Disguise {
  ir::Protocol protocol;
  std::vector<std::size_t> order;
};
[[nodiscard]] Disguise disguise(const ir::Protocol& protocol, std::uint64_t seed);

}  // namespace tenet::campaign
