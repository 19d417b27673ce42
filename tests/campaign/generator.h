/// Random small protocols as text, over the whole language that explorer and
/// prover share. The same seed gives the same text.
#pragma once

#include <cstdint>
#include <string>

namespace tenet::campaign {

/// A protocol named `random` with properties named `p0`, `p1`, … and the
/// instances `one` and `two`. It need not be well-typed: whoever asks takes the
/// next seed then.
[[nodiscard]] std::string random_protocol(std::uint64_t seed);

}  // namespace tenet::campaign
