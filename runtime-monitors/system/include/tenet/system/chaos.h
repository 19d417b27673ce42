/// Kills servers at random under load, and starts them again.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tenet/system/launch.h"

namespace tenet::system {

class Chaos {
 public:
  /// Starts a server again; `doomed`: it is to die at some fail point.
  using Restart = std::function<void(const std::string& server, bool doomed, std::mt19937_64& random)>;

  /// `kills`: so many deaths, then no more. `signals`: by which a server is killed, one of them at random.
  Chaos(Launcher& launcher, std::vector<std::string> servers, std::uint64_t kills, std::uint64_t seed, Restart restart,
        std::vector<int> signals = {SIGKILL});
  /// Every ten milliseconds.
  void tick();
  [[nodiscard]] std::uint64_t killed() const { return killed_; }

 private:
  Launcher& launcher_;
  std::vector<std::string> servers_;
  std::uint64_t kills_;
  std::mt19937_64 random_;
  Restart restart_;
  std::vector<int> signals_;
  std::map<std::string, int> back_in_;  ///< ticks until a server is started again
  int next_kill_ = 20;
  std::uint64_t killed_ = 0;
};

}  // namespace tenet::system
