// The precondition that separates where a hypothesis holds from where it does not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tenet/training/evidence.h"

namespace tenet::training {

// Deterministic. Nothing if no precondition separates them. The fields that the claim is about are never conditions:
// "x is true when x is true" says nothing.
[[nodiscard]] std::optional<Precondition> separate(const Invariant& claim, std::span<const Examples> examples,
                                                   const std::vector<FactList>& facts);

// Examples by the precondition: how many positives and negatives lie where it holds. Step conditions are judged on the
// range of steps of each group of examples; a group that straddles counts as inside.
struct Inside {
  std::uint64_t positives = 0, negatives = 0, positives_outside = 0, negatives_outside = 0;
};
[[nodiscard]] Inside count_inside(const Precondition& when, std::span<const Examples> examples,
                                  const std::vector<FactList>& facts);

}  // namespace tenet::training
