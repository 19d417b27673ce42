/// Words that findings and reports share.
#pragma once

#include <string>
#include <vector>

namespace tenet::result {

/// "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string>& items);

}  // namespace tenet::result
