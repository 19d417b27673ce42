#include "tenet/base/file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace tenet {

Result<std::string> read_file(const std::string& path) {
  std::error_code error;
  // Opening a directory works, and reading it throws.
  if (std::filesystem::is_directory(path, error)) {
    return failure(ErrorKind::io, "cannot read '" + path + "': it is a directory");
  }
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) return failure(ErrorKind::io, "cannot read '" + path + "'");
  return text;
}

}  // namespace tenet
