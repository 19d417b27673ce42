/// Writes every operation and assertion of an instrumented test in full: what generalisation reads.
#pragma once

#include "tenet/derived/hook.h"

namespace tenet::derived {

/// Whether this process records: `TENET_DERIVED_RECORD` names a file.
bool recording();
/// A copy of bytes that lives until the next call ends on this thread.
const char* keep_for_record(const char* bytes, std::size_t size);
/// One operation. `entry`: it is a part of the batch before it.
void record_call(const CallState& call, std::uint64_t end, bool entry);

}  // namespace tenet::derived
