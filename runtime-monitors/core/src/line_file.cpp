#include "line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace tenet::monitor {
namespace {

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

}  // namespace

LineFile::~LineFile() {
  if (fd_ >= 0) ::close(fd_);
}

bool LineFile::open(const std::string& path) {
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
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
  if (write_all(fd_, line)) return true;
  if (regular && ::ftruncate(fd_, before.st_size) != 0) return false;
  return false;
}

bool replace_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return false;
  const bool written = write_all(fd, text);
  if (::close(fd) == 0 && written && ::rename(fresh.c_str(), path.c_str()) == 0) return true;
  ::unlink(fresh.c_str());
  return false;
}

}  // namespace tenet::monitor
