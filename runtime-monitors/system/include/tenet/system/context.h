/// Words that all rooms of the examples share.
#pragma once

#include <cstdint>

namespace tenet::system {

using Microseconds = std::uint64_t;

/// A process, as the network knows it. What the number means is the system's business.
using Peer = std::uint64_t;

}  // namespace tenet::system
