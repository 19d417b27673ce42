/// What tests of a system need: a folder that is gone afterwards, programs that are run, ports that nobody else has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tenet::system {

/// A folder of a test's own, gone afterwards. It is empty, or not there yet.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path path;
};

/// Runs a shell command without its output. Its exit status, 128 if it was killed.
[[nodiscard]] int run_quietly(const std::string& command);

/// The first of `count` ports for the `test`-th test of this process; tests of other processes get others.
[[nodiscard]] std::uint16_t ports(unsigned test, unsigned count);

}  // namespace tenet::system
