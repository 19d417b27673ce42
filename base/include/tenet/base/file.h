/// Reading a file at once.
#pragma once

#include <string>

#include "tenet/base/result.h"

namespace tenet {

/// All bytes of a file. `io` error: "cannot read 'PATH'", with the cause if it is a directory.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

}  // namespace tenet
