/// What tests of a system need: a folder that is gone afterwards, programs that are run, ports that nobody else has,
/// and who notices a fault.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tenet/system/campaign.h"
#include "tenet/system/role.h"

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

/// What is wrong with a schedule that is not clean.
[[nodiscard]] std::string complaints(const Outcome& outcome);

/// Who noticed a fault.
struct Noticed {
  std::vector<std::string> rules;  ///< of the monitor
  bool by_clients = false;         ///< what they saw is not linearizable
};
/// Plays schedules with the seeds from 1 to `seeds`, with the loss of power that the fault needs.
[[nodiscard]] Noticed who_notices(const System& system, const Switch& fault, std::uint64_t seeds = 3);

}  // namespace tenet::system
