#include "output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tenet/base/utf8.h"

namespace tenet::cli {
namespace {

/// An open file that is closed, with an answer, exactly once.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  [[nodiscard]] int get() const { return fd_; }
  /// Zero, or the error that closing revealed.
  int close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

/// Zero, or the error number.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

tl::unexpected<Error> cannot_write(const std::string& path, int error) {
  return failure(ErrorKind::io, "cannot write " + path + ": " + std::strerror(error));
}

Result<void> write_directly(const std::string& path, std::string_view text) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return cannot_write(path, errno);
  int error = write_all(file.get(), text);
  const int closing = file.close();
  if (error == 0) error = closing;
  if (error != 0) return cannot_write(path, error);
  return {};
}

/// The mode a new file at `path` gets: that of the old one, or the usual one.
mode_t mode_for(const std::string& path) {
  struct stat old = {};
  if (::stat(path.c_str(), &old) == 0) return old.st_mode & 07777U;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

}  // namespace

Result<void> write_standard_output(std::string_view text) {
  if (const int error = write_all(STDOUT_FILENO, text); error != 0) return cannot_write("standard output", error);
  return {};
}

Result<void> write_file(const std::string& path, std::string_view text) {
  if (path == "-") return write_standard_output(text);
  std::error_code ignored;
  // A link stays a link: the file it names is replaced.
  std::filesystem::path target = path;
  if (std::filesystem::is_symlink(path, ignored)) {
    const auto resolved = std::filesystem::weakly_canonical(path, ignored);
    if (!ignored) target = resolved;
  }
  if (std::filesystem::is_directory(target, ignored)) return cannot_write(path, EISDIR);
  if (std::filesystem::exists(target, ignored) && !std::filesystem::is_regular_file(target, ignored)) {
    return write_directly(path, text);
  }
  std::string temporary = target.string() + ".XXXXXX";
  Descriptor file(::mkstemp(temporary.data()));
  if (!file.valid()) return cannot_write(path, errno);
  int error = write_all(file.get(), text);
  if (error == 0 && ::fchmod(file.get(), mode_for(target.string())) != 0) error = errno;
  const int closing = file.close();
  if (error == 0) error = closing;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return cannot_write(path, error);
}

void complain(std::string_view text) { (void)write_all(STDERR_FILENO, text); }

void complain_of(std::string_view message) { complain("tenet: " + printable(message) + "\n"); }

}  // namespace tenet::cli
