/// Proofs as bytes, for the cache.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenet/ir/protocol.h"
#include "tenet/result/proof.h"

namespace tenet::verify {

/// Raised whenever what `encode` writes changes; part of the cache key.
inline constexpr int kProofLayout = 3;

[[nodiscard]] std::string encode(const result::Proof& proof);
/// Nothing if the bytes are not what `encode` writes, or if they speak of a
/// property that `protocol` does not have.
[[nodiscard]] std::optional<result::Proof> decode_proof(std::string_view bytes, const ir::Protocol& protocol);

}  // namespace tenet::verify
