/// The explorer and symbolic search against the prover: whatever one of them
/// decides, the other must not contradict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tenet/ir/protocol.h"
#include "tenet/provenance/prover.h"

namespace tenet::campaign {

struct Limits {
  std::uint64_t explore_bytes = 64ULL << 20;  ///< of stored states, an instance
  std::uint32_t explore_depth = 24;
  int generations = 3;                           ///< of the prover
  std::uint64_t resource_limit = 200'000;        ///< of one solver check
  unsigned symbolic_depth = 4;                   ///< of runs with any numbers
  std::uint64_t symbolic_resources = 1'000'000;  ///< of one search
  std::uint32_t prove_milliseconds = 2000;       ///< then it is stopped; what is not proved by then is undecided
  provenance::AnswerStore* answers = nullptr;    ///< not owned; answers of other contests, if there are any
};

struct Score {
  std::size_t protocols = 0, claims = 0, violated = 0, proved = 0, stopped = 0;
  std::vector<std::string> contradictions;  ///< claims that are proved and violated, or proved of steps that fault
  void add(const Score& other);
};

/// Puts every claim of a protocol to both, in every instance it declares.
[[nodiscard]] Score contest(const ir::Protocol& protocol, const Limits& limits);

}  // namespace tenet::campaign
