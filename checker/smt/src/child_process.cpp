#include "child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "printable.h"

namespace tenet::smt {
namespace {

using Clock = std::chrono::steady_clock;
/// How often a silent child is looked at: a grandchild may keep its output open.
constexpr std::chrono::milliseconds kTick{200};
constexpr std::size_t kLastWords = 2000;

std::string error_text(int code) { return std::generic_category().message(code); }

/// A child's 0, 1 and 2 are overwritten one by one: nothing of ours may be there.
FileDescriptor above_stdio(int fd) {
  FileDescriptor original(fd);
  if (fd < 0 || fd > 2) return original;
  return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

struct Channel {
  FileDescriptor ours, theirs;
};

Channel socket_pair() {
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
  return {above_stdio(ends[0]), above_stdio(ends[1])};
}

Channel error_pipe() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  return {above_stdio(ends[0]), above_stdio(ends[1])};
}

/// What a child starts with: its descriptors, default signals, its own group.
class SpawnSetup {
 public:
  SpawnSetup(int channel, int errors) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, channel, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, channel, 1);
    ::posix_spawn_file_actions_adddup2(&actions_, errors, 2);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, standard;
    ::sigemptyset(&none);
    ::sigemptyset(&standard);
    for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGCHLD}) ::sigaddset(&standard, number);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &standard);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  /// The error number; 0: started.
  int spawn(const ChildProcess::Options& options, pid_t& pid) {
    std::vector<char*> argv;
    argv.push_back(const_cast<char*>(options.program.c_str()));
    for (const std::string& argument : options.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    return ::posix_spawnp(&pid, options.program.c_str(), &actions_, &attributes_, argv.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

void limit_resources(pid_t pid, std::uint64_t memory_bytes) {
  const rlimit no_core = {0, 0};
  ::prlimit(pid, RLIMIT_CORE, &no_core, nullptr);
  if (memory_bytes == 0) return;
  const rlimit memory = {memory_bytes, memory_bytes};
  ::prlimit(pid, RLIMIT_AS, &memory, nullptr);
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const Options& options) {
  Channel channel = socket_pair();
  Channel errors = error_pipe();
  if (!channel.ours.valid() || !channel.theirs.valid() || !errors.ours.valid() || !errors.theirs.valid()) {
    return failure(ErrorKind::io, "cannot open a channel to '" + options.program + "': " + error_text(errno));
  }
  ::fcntl(errors.ours.get(), F_SETFL, O_NONBLOCK);
  pid_t pid = -1;
  const int code = SpawnSetup(channel.theirs.get(), errors.theirs.get()).spawn(options, pid);
  if (code != 0) return failure(ErrorKind::io, "cannot start '" + options.program + "': " + error_text(code));
  limit_resources(pid, options.memory_bytes);
  return std::unique_ptr<ChildProcess>(new ChildProcess(pid, std::move(channel.ours), std::move(errors.ours)));
}

ChildProcess::~ChildProcess() { kill_and_wait(); }

bool ChildProcess::send_some(std::string& out) {
  const ssize_t sent = ::send(channel_.get(), out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent > 0) out.erase(0, static_cast<std::size_t>(sent));
  return sent > 0;
}

ChildProcess::Received ChildProcess::receive(std::string& in) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::recv(channel_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got > 0) {
    in.append(buffer.data(), static_cast<std::size_t>(got));
    return Received::some;
  }
  const bool later = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
  return later ? Received::nothing : Received::end;
}

void ChildProcess::read_errors() {
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(errors_.get(), buffer.data(), buffer.size());
    if (got == 0) errors_.close();
    if (got <= 0) return;
    last_words_.append(buffer.data(), static_cast<std::size_t>(got));
    if (last_words_.size() > kLastWords) last_words_.erase(0, last_words_.size() - kLastWords);
  }
}

ChildProcess::Event ChildProcess::exchange(std::string& out, std::string& in, const Deadline& deadline,
                                           const WakeEvent& wake) {
  for (;;) {
    std::array<pollfd, 3> polled = {{{channel_.get(), static_cast<short>(out.empty() ? POLLIN : POLLIN | POLLOUT), 0},
                                     {wake.descriptor(), POLLIN, 0},
                                     {errors_.get(), POLLIN, 0}}};  // a negative descriptor is ignored
    auto wait = kTick;
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
      if (left.count() <= 0) return Event::late;
      wait = std::min(wait, left);
    }
    const int ready = ::poll(polled.data(), polled.size(), static_cast<int>(wait.count()));
    if (ready < 0 && errno != EINTR) return Event::closed;
    if (ready < 0) continue;
    if (polled[1].revents != 0) return Event::woken;
    if (polled[2].revents != 0) read_errors();
    if ((polled[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      const Received received = receive(in);
      if (received == Received::some) return Event::progress;
      if (received == Received::end) return Event::closed;
    }
    if ((polled[0].revents & POLLOUT) != 0 && send_some(out)) return Event::progress;
    if (ready == 0 && ended()) return receive(in) == Received::some ? Event::progress : Event::closed;
  }
}

bool ChildProcess::ended() const {
  if (waited_) return true;
  siginfo_t info = {};
  const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return result != 0 || info.si_pid != 0;
}

/// A child that closed its output is about to end by itself: its own status
/// says more than our signal.
void ChildProcess::settle() {
  constexpr int kTries = 50;
  for (int i = 0; i < kTries && !ended(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

void ChildProcess::kill_and_wait() {
  if (waited_) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0) {
    if (errno == EINTR) continue;
    status_ = 0;  // somebody else waited for it
    break;
  }
  waited_ = true;
}

std::string ChildProcess::finish() {
  settle();
  kill_and_wait();
  if (errors_.valid()) read_errors();
  std::string text;
  if (WIFSIGNALED(status_)) {
    const int number = WTERMSIG(status_);
    text = "was killed by signal " + std::to_string(number);
    if (const char* name = ::sigabbrev_np(number)) text += std::string(" (SIG") + name + ')';
  } else {
    text = "ended with status " + std::to_string(WEXITSTATUS(status_));
  }
  const std::string words = printable(last_words_, kLastWords);
  return words.empty() ? text : text + ": " + words;
}

}  // namespace tenet::smt
