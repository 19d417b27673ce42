/// Which files a path stands for.
#pragma once

#include <string>
#include <vector>

namespace tenet::verify {

struct FoundFiles {
  std::vector<std::string> paths;     ///< each once; folders stand for the `.tenet` files in them
  std::vector<std::string> problems;  ///< a folder that cannot be read or holds none, with its path
};
/// Whether a named file exists is seen only when it is read.
[[nodiscard]] FoundFiles find_files(const std::vector<std::string>& paths);

}  // namespace tenet::verify
