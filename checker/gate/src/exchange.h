/// Shard files.
#pragma once

#include <string>

#include "tenet/gate/gate.h"

namespace tenet::gate {

/// Reads what `shard_text` wrote. Policy, notes and counts that the merge
/// makes anew are left as they are. Errors: `bad_input`.
[[nodiscard]] Result<Outcome> read_shard_file(const ShardFile& file);

}  // namespace tenet::gate
