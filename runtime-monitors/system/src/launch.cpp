#include "tenet/system/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <filesystem>

namespace tenet::system {

Launcher::~Launcher() {
  for (const auto& [name, child] : children_) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
}

bool Launcher::start(const std::string& name, std::vector<std::string> words) {
  words.insert(words.begin(), program_);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    // Nobody is left behind if whoever started them is killed.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(4);
    ::execv(program_.c_str(), arguments.data());
    ::_exit(4);
  }
  if (child <= 0) return false;
  children_[name] = child;
  return true;
}

void Launcher::kill(const std::string& name, int signal) {
  const auto child = children_.find(name);
  if (child == children_.end()) return;
  ::kill(child->second, signal);
  ::waitpid(child->second, nullptr, 0);
  children_.erase(child);
}

std::vector<std::string> Launcher::fallen() {
  std::vector<std::string> gone;
  for (const auto& [name, child] : children_) {
    if (::waitpid(child, nullptr, WNOHANG) == child) gone.push_back(name);
  }
  for (const std::string& name : gone) children_.erase(name);
  return gone;
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

double processor_seconds(bool children) {
  rusage usage{};
  ::getrusage(children ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage);
  double sum = 0;
  for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
    sum += static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  }
  return sum;
}

double processor_seconds_of(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace tenet::system
