/// A child process that is talked to, and always ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "file_descriptor.h"
#include "tenet/base/result.h"

namespace tenet::smt {

/// One child in a process group of its own. The destructor kills the group
/// and waits for the child, so nothing is left over. Descriptors are closed
/// on exec; a child that stops reading cannot raise SIGPIPE here. Belongs to
/// one thread at a time; several children may be started at the same time.
class ChildProcess {
 public:
  struct Options {
    std::string program;  ///< looked up in PATH unless it has a slash
    std::vector<std::string> arguments;
    std::uint64_t memory_bytes = 0;  ///< of address space; 0: no limit
  };
  /// Errors: `io`, in words for the user.
  [[nodiscard]] static Result<std::unique_ptr<ChildProcess>> start(const Options& options);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Event {
    progress,  ///< something was sent or received
    closed,    ///< the child ended or closed its output
    late,      ///< the deadline
    woken,     ///< the wake event
  };
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  /// Sends from the front of `out` (what was sent is removed) and appends what
  /// was received to `in`, whichever is possible first.
  Event exchange(std::string& out, std::string& in, const Deadline& deadline, const WakeEvent& wake);

  /// The child has ended (it is not waited for yet).
  [[nodiscard]] bool ended() const;
  /// Kills it and says how it ended: "exited with status 1: last words".
  [[nodiscard]] std::string finish();
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  ChildProcess(pid_t pid, FileDescriptor channel, FileDescriptor errors)
      : pid_(pid), channel_(std::move(channel)), errors_(std::move(errors)) {}
  bool send_some(std::string& out);
  enum class Received { some, nothing, end };
  Received receive(std::string& in);
  void read_errors();
  void settle();
  void kill_and_wait();

  pid_t pid_ = -1;
  bool waited_ = false;
  int status_ = 0;
  FileDescriptor channel_;  ///< its standard input and output
  FileDescriptor errors_;   ///< its standard error
  std::string last_words_;
};

}  // namespace tenet::smt
