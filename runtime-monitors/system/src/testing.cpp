#include "tenet/system/testing.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "tenet/system/sim.h"

namespace tenet::system {

Folder::Folder() {
  static std::atomic<int> number = 0;
  path = schedule_folder("tenet-test-" + std::to_string(number++));
  std::filesystem::remove_all(path);
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

int run_quietly(const std::string& command) {
  const int status = std::system((command + " > /dev/null 2> /dev/null").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::uint16_t ports(unsigned test, unsigned count) {
  // Below the ports that the kernel gives to whoever connects, 32768 and up.
  constexpr unsigned kFirst = 12'000, kRoom = 20'000;
  const unsigned slots = kRoom / count;
  return static_cast<std::uint16_t>(kFirst + (static_cast<unsigned>(::getpid()) * 8 + test) % slots * count);
}

}  // namespace tenet::system
