#include "input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tenet::training {
namespace {

class FileInput final : public Input {
 public:
  explicit FileInput(int file) noexcept : file_(file) {}
  ~FileInput() override { ::close(file_); }
  FileInput(const FileInput&) = delete;
  FileInput& operator=(const FileInput&) = delete;

  std::size_t read(std::uint64_t offset, std::span<std::uint8_t> to) override {
    std::size_t done = 0;
    while (done < to.size()) {
      const ssize_t got = ::pread(file_, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }
  std::uint64_t size() const override {
    struct stat status{};
    return ::fstat(file_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }

 private:
  int file_;
};

class MemoryInput final : public Input {
 public:
  explicit MemoryInput(std::vector<std::uint8_t> bytes) noexcept : bytes_(std::move(bytes)) {}

  std::size_t read(std::uint64_t offset, std::span<std::uint8_t> to) override {
    if (offset >= bytes_.size()) return 0;
    const std::size_t size = std::min<std::size_t>(to.size(), bytes_.size() - offset);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), size, to.begin());
    return size;
  }
  std::uint64_t size() const override { return bytes_.size(); }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace

Result<std::unique_ptr<Input>> open_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failure(ErrorKind::io, fmt::format("{}: {}", path, std::strerror(errno)));
  struct stat status{};
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    ::close(file);
    return failure(ErrorKind::bad_input, fmt::format("{}: not a regular file", path));
  }
  return std::make_unique<FileInput>(file);
}

std::unique_ptr<Input> from_memory(std::vector<std::uint8_t> bytes) {
  return std::make_unique<MemoryInput>(std::move(bytes));
}

}  // namespace tenet::training
