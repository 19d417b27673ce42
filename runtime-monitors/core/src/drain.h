/// Takes published records out of the rings of a file.
#pragma once

#include <cstdint>
#include <functional>

#include "ring_file.h"
#include "tenet/monitor/monitor.h"

namespace tenet::monitor {

struct Drained {
  std::uint64_t events = 0;
  std::uint64_t malformed = 0;  ///< records that are none: the rest of that ring is given up
  double fullest = 0;           ///< how full the fullest ring was, from 0 to 1
};

/// Calls `take` for every record that is published now, ring by ring, those of threads that are gone first: what a
/// killed process left comes before what the next one says. Their rings become free. The file is not believed: lengths
/// and positions are checked. `take` may move out of the event;
/// once it says false, the records after this one stay where they are.
Drained drain(RingFile& file, const std::function<bool(Event&)>& take);

}  // namespace tenet::monitor
