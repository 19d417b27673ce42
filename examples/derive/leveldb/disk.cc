#include "disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <random>
#include <system_error>
#include <vector>

namespace {

std::mutex lock;
std::string folder;
dev_t device = 0;
std::map<ino_t, off_t> synced;  // files that were written, and how much of each is sure
bool down = false;
unsigned left = 0;  // writes until it fails; 0: it does not
bool tables_only = false;
std::mt19937_64 chance;

bool is_ours(const char* path) { return !folder.empty() && std::string(path).rfind(folder + "/", 0) == 0; }

std::string path_of(int descriptor) {
  char path[4096];
  const auto size = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path);
  return size <= 0 ? std::string() : std::string(path, static_cast<std::size_t>(size));
}

bool is_a(const char* extension, int descriptor) {
  return std::filesystem::path(path_of(descriptor)).extension() == extension;
}

// The file behind a descriptor, if it is one that is followed.
bool find(int descriptor, struct stat& file) {
  return !folder.empty() && ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && file.st_dev == device &&
         is_ours(path_of(descriptor).c_str());
}

int refuse() {
  errno = EIO;
  return -1;
}

}  // namespace

// Found before the C library's, by LevelDB as a library of either kind.
extern "C" {

ssize_t write(int descriptor, const void* data, size_t size) {
  const std::scoped_lock guard(lock);
  struct stat file{};
  if (size > 0 && find(descriptor, file)) {
    if (down) return refuse();
    off_t& sure = synced.try_emplace(file.st_ino, 0).first->second;
    if (file.st_size == 0) sure = 0;  // the number of a file that was removed
    if (left > 0 && (!tables_only || is_a(".ldb", descriptor)) && --left == 0) {
      down = true;
      const size_t part = chance() % size;
      if (part > 0) (void)::syscall(SYS_write, descriptor, data, part);
      // The length of a file may be written before its bytes.
      if (chance() % 2 == 0 && is_a(".log", descriptor))
        (void)::ftruncate(descriptor, file.st_size + static_cast<off_t>(size));
      return refuse();
    }
  }
  return ::syscall(SYS_write, descriptor, data, size);
}

int fdatasync(int descriptor) {
  const std::scoped_lock guard(lock);
  struct stat file{};
  if (find(descriptor, file)) {
    if (down) return refuse();
    synced[file.st_ino] = file.st_size;
  }
  return 0;  // no need to wait for a real disk
}

int rename(const char* from, const char* to) noexcept {
  const std::scoped_lock guard(lock);
  if (down && is_ours(from)) return refuse();
  return static_cast<int>(::syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

int unlink(const char* path) noexcept {
  const std::scoped_lock guard(lock);
  if (down && is_ours(path)) return refuse();
  return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}
}

namespace disk {

void watch(const std::string& path) {
  const std::scoped_lock guard(lock);
  std::filesystem::create_directories(path);
  folder = path;
  struct stat file{};
  if (::stat(path.c_str(), &file) == 0) device = file.st_dev;
  synced.clear();
  down = false;
  left = 0;
}

void fail_after(unsigned writes, bool of_tables, unsigned long seed) {
  const std::scoped_lock guard(lock);
  left = writes;
  tables_only = of_tables;
  chance.seed(seed);
}

bool failed() {
  const std::scoped_lock guard(lock);
  return down;
}

void restart(bool keep, unsigned long seed) {
  const std::scoped_lock guard(lock);
  std::mt19937_64 random(seed);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  for (const auto& path : files) {
    struct stat file{};
    if (keep || ::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode) ||
        path.filename().string().rfind("LO", 0) == 0)
      continue;
    const auto known = synced.find(file.st_ino);
    const off_t sure = known == synced.end() ? 0 : std::min(known->second, file.st_size);
    if (sure == file.st_size) continue;
    const auto loose = static_cast<unsigned long>(file.st_size - sure);
    const unsigned long kinds = random() % 3;
    const off_t length = kinds == 0 ? sure : sure + static_cast<off_t>(kinds == 1 ? loose : random() % (loose + 1));
    (void)::truncate(path.c_str(), length);
    synced[file.st_ino] = length;
  }
  down = false;
  left = 0;
}

}  // namespace disk
