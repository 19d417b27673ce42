#include "line_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace tenet::monitor {
namespace {

// The reader of a pipe may go away: that is an error here, and must be no signal that ends the service.
class WithoutBrokenPipeSignal {
 public:
  WithoutBrokenPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    was_pending_ = ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutBrokenPipeSignal() {
    const timespec now{};
    if (!was_pending_) (void)::sigtimedwait(&pipe_, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutBrokenPipeSignal(const WithoutBrokenPipeSignal&) = delete;
  WithoutBrokenPipeSignal& operator=(const WithoutBrokenPipeSignal&) = delete;

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

bool write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

// Where the last whole line of a regular file ends, if what follows is the beginning of a JSON object, as every line
// here is; else the file's end: other text is not ours.
off_t end_of_lines(int fd, off_t size) {
  char part[4096];
  for (off_t end = size; end > 0;) {
    const off_t begin = end > static_cast<off_t>(sizeof part) ? end - static_cast<off_t>(sizeof part) : 0;
    const auto length = static_cast<std::size_t>(end - begin);
    if (::pread(fd, part, length, begin) != static_cast<ssize_t>(length)) return size;
    for (std::size_t i = length; i > 0; --i) {
      if (part[i - 1] != '\n') continue;
      const off_t after = begin + static_cast<off_t>(i);
      char first = '{';
      return ::pread(fd, &first, 1, after) < 0 || first != '{' ? size : after;
    }
    end = begin;
  }
  char first = 0;
  return ::pread(fd, &first, 1, 0) == 1 && first == '{' ? 0 : size;
}

void cut_unfinished_line(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return;
  struct stat info{};
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    const off_t end = end_of_lines(fd, info.st_size);
    if (end != info.st_size) (void)!::ftruncate(fd, end);
  }
  ::close(fd);
}

}  // namespace

LineFile::~LineFile() {
  if (fd_ >= 0) ::close(fd_);
}

bool LineFile::open(const std::string& path) {
  cut_unfinished_line(path);
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0640);
  return fd_ >= 0;
}

bool LineFile::empty() const {
  struct stat info{};
  return fd_ >= 0 && ::fstat(fd_, &info) == 0 && info.st_size == 0;
}

bool LineFile::append(std::string line) {
  if (fd_ < 0) return false;
  struct stat before{};
  const bool regular = ::fstat(fd_, &before) == 0 && S_ISREG(before.st_mode);
  line += '\n';
  if (regular) {
    if (write_all(fd_, line)) return true;
  } else {
    const WithoutBrokenPipeSignal guard;
    if (write_all(fd_, line)) return true;
  }
  if (regular && ::ftruncate(fd_, before.st_size) != 0) return false;
  return false;
}

bool read_regular(const std::string& path, std::string& text) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  struct stat info{};
  bool whole = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  text.clear();
  char part[4096];
  while (whole) {
    const ssize_t n = ::read(fd, part, sizeof part);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      whole = n == 0;
      break;
    }
    text.append(part, static_cast<std::size_t>(n));
  }
  ::close(fd);
  return whole;
}

bool replace_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0644);
  if (fd < 0) return false;
  const bool written = write_all(fd, text);
  if (::close(fd) == 0 && written && ::rename(fresh.c_str(), path.c_str()) == 0) return true;
  ::unlink(fresh.c_str());
  return false;
}

}  // namespace tenet::monitor
