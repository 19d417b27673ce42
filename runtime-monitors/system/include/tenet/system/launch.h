/// Starts and kills processes, and says what they cost.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <map>
#include <string>
#include <vector>

namespace tenet::system {

/// The children of this process, by names of its own choice. They are killed with it.
class Launcher {
 public:
  explicit Launcher(std::string program) : program_(std::move(program)) {}
  ~Launcher();
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// False: there is no room for another process.
  bool start(const std::string& name, std::vector<std::string> words);
  /// kill -9, or another signal that ends it, and waits until it is gone.
  void kill(const std::string& name, int signal = SIGKILL);
  /// Those that are there no more, though nobody killed them here: they died by themselves, or could not begin.
  [[nodiscard]] std::vector<std::string> fallen();
  [[nodiscard]] bool runs(const std::string& name) const { return children_.contains(name); }
  /// Process numbers, by name.
  [[nodiscard]] const std::map<std::string, pid_t>& children() const { return children_; }

 private:
  std::string program_;
  std::map<std::string, pid_t> children_;
};

/// The file of this program.
[[nodiscard]] std::string this_program();
/// What this process, or all children that have ended, used of the processors.
[[nodiscard]] double processor_seconds(bool children);
/// What a running process used of them until now; 0 if it is not there.
[[nodiscard]] double processor_seconds_of(pid_t process);

}  // namespace tenet::system
