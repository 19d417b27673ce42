#include "process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace tenet::gate {
namespace {

std::string error_text(int code) { return std::generic_category().message(code); }

/// A file that exists only as long as it is open.
class MemoryFile {
 public:
  MemoryFile() {
    int fd = ::memfd_create("tenet", MFD_CLOEXEC);
    // The child's 0, 1 and 2 are overwritten one by one: nothing of ours may be there.
    if (fd >= 0 && fd <= 2) {
      const int low = fd;
      fd = ::fcntl(low, F_DUPFD_CLOEXEC, 3);
      ::close(low);
    }
    fd_ = fd;
  }
  ~MemoryFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool fill(const std::string& text) const {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return ::lseek(fd_, 0, SEEK_SET) == 0;
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    std::array<char, 1 << 16> piece{};
    for (off_t at = 0;;) {
      const ssize_t n = ::pread(fd_, piece.data(), piece.size(), at);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return all;
      all.append(piece.data(), static_cast<std::size_t>(n));
      at += n;
    }
  }

 private:
  int fd_ = -1;
};

/// Its streams, and the signal mask and handlers that programs expect.
class Setup {
 public:
  Setup(int input, int output, int errors) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, input, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, 1);
    ::posix_spawn_file_actions_adddup2(&actions_, errors, 2);
    ::posix_spawnattr_init(&attributes_);
    sigset_t standard;
    ::sigemptyset(&standard);
    ::sigaddset(&standard, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes_, &standard);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~Setup() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;

  int spawn(const std::vector<std::string>& words, pid_t& pid) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    return ::posix_spawnp(&pid, words.front().c_str(), &actions_, &attributes_, argv.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

Result<Finished> run_process(const std::vector<std::string>& words, const std::string& input) {
  const MemoryFile in;
  const MemoryFile out;
  const MemoryFile errors;
  if (in.get() < 0 || out.get() < 0 || errors.get() < 0 || !in.fill(input)) {
    return failure(ErrorKind::io, "cannot talk to '" + words.front() + "': " + error_text(errno));
  }
  pid_t pid = -1;
  const int code = Setup(in.get(), out.get(), errors.get()).spawn(words, pid);
  if (code != 0) return failure(ErrorKind::io, "cannot start '" + words.front() + "': " + error_text(code));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return failure(ErrorKind::io, "cannot wait for '" + words.front() + "': " + error_text(errno));
  }
  return Finished{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.text(), errors.text()};
}

}  // namespace tenet::gate
