#include "tenet/system/testing.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "tenet/system/schedule.h"
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

std::string complaints(const Outcome& outcome) {
  std::string text = outcome.history.because + (outcome.finished ? "" : " not finished");
  for (const Violated& one : outcome.watch.violated) text += " " + one.rule;
  return text + "\n" + outcome.watch.first_finding;
}

Noticed who_notices(const System& system, const Switch& fault, std::uint64_t seeds) {
  Noticed noticed;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Folder folder;
    Schedule schedule;
    schedule.seed = seed;
    schedule.fault = fault.name;
    schedule.power_loss = fault.needs_power_loss;
    const Outcome outcome = play(system, schedule, folder.path);
    for (const Violated& one : outcome.watch.violated) noticed.rules.push_back(one.rule);
    noticed.by_clients = noticed.by_clients || !outcome.history.linearizable;
  }
  return noticed;
}

}  // namespace tenet::system
