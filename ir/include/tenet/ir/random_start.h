/// Starts of chance, for instances that have too many to look at all.
#pragma once

#include <cstdint>
#include <optional>

#include "tenet/ir/interpreter.h"

namespace tenet::ir {

/// A start of chance, the same one for the same seed: the first that a search meets which tries values in random
/// order. Not all are equally likely. Nothing if there is none among so many candidate assignments, or if
/// `enumerate_starts` would end with an error.
[[nodiscard]] std::optional<Start> random_start(const Protocol& protocol, const Instance& instance, std::uint64_t limit,
                                                std::uint64_t seed);

}  // namespace tenet::ir
