#include "ring_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <random>

namespace tenet::monitor {
namespace {

constexpr char kMagic[8] = {'T', 'E', 'N', 'E', 'T', 'R', 'N', 'G'};
constexpr std::size_t kMaxRings = 4096;

std::uint64_t random_word() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}

std::string why(const std::string& path, const char* what) { return path + ": " + what + ": " + std::strerror(errno); }

// Whether it is empty, or rings of any version, or what a killed process had not finished making: zeros, the magic
// being written last.
bool may_be_made_anew(int fd) {
  char found[sizeof kMagic] = {};
  constexpr char kUnfinished[sizeof kMagic] = {};
  const ssize_t n = ::pread(fd, found, sizeof found, 0);
  return n >= 0 &&
         (std::memcmp(found, kMagic, sizeof kMagic) == 0 || std::memcmp(found, kUnfinished, sizeof found) == 0);
}

}  // namespace

std::size_t RingFile::data_offset(std::size_t rings) {
  const std::size_t end = kPage + kHostSlots * sizeof(HostSlot) + rings * sizeof(RingHeader);
  return (end + kPage - 1) / kPage * kPage;
}

std::size_t RingFile::total_bytes(std::size_t rings, std::size_t ring_words) {
  return data_offset(rings) + rings * ring_words * sizeof(std::uint64_t);
}

RingFile::~RingFile() {
  if (base_ != nullptr) ::munmap(base_, bytes_);
  if (fd_ >= 0) ::close(fd_);
}

void RingFile::unlock() {
  if (fd_ >= 0) ::flock(fd_, LOCK_UN);
}

bool RingFile::lock_again() { return fd_ < 0 || ::flock(fd_, LOCK_EX | LOCK_NB) == 0; }

// Who lives is told by a lock: a process id may be another process's by now, or be counted in another container. Bound
// to the open file (F_OFD_SETLK), it ends with the process, and neither another monitor of this process nor one that
// closes the same file takes it away. It does not meet the lock of who records, a flock.
bool RingFile::set_consumer_lock(short type) {
  struct flock first_byte{};
  first_byte.l_type = type;
  first_byte.l_whence = SEEK_SET;
  first_byte.l_len = 1;
  if (fd_ < 0 || ::fcntl(fd_, F_OFD_SETLK, &first_byte) == 0) return true;
  return errno != EAGAIN && errno != EACCES;  // a file system without locks: nobody is kept out
}

bool RingFile::begin_consuming() {
  if (!set_consumer_lock(F_WRLCK)) return false;
  consumer_ = ::getpid();
  header().consumer.store(static_cast<std::uint32_t>(consumer_));
  return true;
}

void RingFile::end_consuming() {
  if (consumer_ != ::getpid()) return;  // a child that was forked: the lock is its parent's
  consumer_ = 0;
  header().consumer.store(0);
  (void)set_consumer_lock(F_UNLCK);
}

bool RingFile::is_at(const std::string& path) const {
  struct stat mine{};
  struct stat there{};
  return fd_ >= 0 && ::fstat(fd_, &mine) == 0 && ::stat(path.c_str(), &there) == 0 && mine.st_dev == there.st_dev &&
         mine.st_ino == there.st_ino;
}

void RingFile::make(const std::string& stamp, std::size_t rings, std::size_t ring_words) {
  rings_ = rings;
  ring_words_ = ring_words;
  std::memset(base_, 0, data_offset(rings));
  FileHeader& h = header();
  h.version = kFileVersion;
  h.rings = static_cast<std::uint32_t>(rings);
  h.ring_words = ring_words;
  std::strncpy(h.stamp, stamp.c_str(), kStampBytes - 1);
  h.file_id = random_word();
  h.clock_ticks = ticks();
  h.clock_ns = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
  h.enabled.store(1);
  h.sample_one_in.store(1);
  std::memcpy(h.magic, kMagic, sizeof kMagic);
}

// Whether the mapped bytes are a whole file of this layout and stamp. Nothing in it is believed before.
bool RingFile::fits(const std::string& stamp) const {
  if (bytes_ < kPage) return false;
  const FileHeader& h = *reinterpret_cast<const FileHeader*>(base_);
  if (std::memcmp(h.magic, kMagic, sizeof kMagic) != 0 || h.version != kFileVersion) return false;
  if (h.rings == 0 || h.rings > kMaxRings || h.ring_words == 0 || (h.ring_words & (h.ring_words - 1)) != 0)
    return false;
  if (h.ring_words > bytes_ || total_bytes(h.rings, h.ring_words) != bytes_) return false;
  return ::strnlen(h.stamp, kStampBytes) < kStampBytes && stamp.substr(0, kStampBytes - 1) == h.stamp;
}

RingFile::Opened RingFile::open_to_record(const std::string& path, const std::string& stamp, std::size_t rings,
                                          std::size_t ring_words) {
  Opened opened;
  // Started again in the same process: threads may still hold rings of the same mapping.
  if (auto before = recorded_before(path)) {
    if (!before->made_for(stamp, rings, ring_words)) {
      opened.error = path + ": recorded into before with another specification or other sizes; use another file";
    } else if (!before->lock_again()) {
      opened.error = path + ": another process records into it";
    } else {
      before->header().enabled.store(1);
      opened.file = std::move(before);
    }
    return opened;
  }
  std::shared_ptr<RingFile> file(new RingFile);
  file->fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  const std::size_t wanted = total_bytes(rings, ring_words);
  if (file->fd_ >= 0) {
    if (::flock(file->fd_, LOCK_EX | LOCK_NB) != 0) {
      opened.error = path + ": another process records into it";
      return opened;
    }
    struct stat info{};
    if (::fstat(file->fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
      opened.error = path + ": not a regular file";
      return opened;
    }
    const std::size_t there = static_cast<std::size_t>(info.st_size);
    if (there == wanted) {
      void* base = ::mmap(nullptr, there, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd_, 0);
      if (base != MAP_FAILED) {
        file->base_ = static_cast<char*>(base);
        file->bytes_ = there;
        if (file->fits(stamp)) {
          file->rings_ = file->header().rings;
          file->ring_words_ = file->header().ring_words;
          file->header().enabled.store(1);
          for (std::size_t i = 0; i < file->rings_; ++i) {
            if (file->ring(i).owner.load() == kOwned) file->ring(i).owner.store(kAbandoned);
          }
          opened.file = std::move(file);
          return opened;
        }
        ::munmap(file->base_, file->bytes_);
        file->base_ = nullptr;
      }
    }
    if (!may_be_made_anew(file->fd_)) {
      opened.error = path + ": holds something else than rings, and is left as it is; use another file";
      return opened;
    }
    opened.foreign = there != 0;
    // Every block is allocated now: a full disk is found here and not by a fault on the event path.
    if (::ftruncate(file->fd_, 0) == 0 && ::posix_fallocate(file->fd_, 0, static_cast<off_t>(wanted)) == 0) {
      void* base = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd_, 0);
      if (base != MAP_FAILED) file->base_ = static_cast<char*>(base);
    }
  }
  if (file->base_ == nullptr) {
    opened.anonymous = true;
    opened.error = why(path, "no ring file, events will not outlive the process");
    void* base = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) {
      opened.error = why(path, "no memory for rings");
      return opened;
    }
    file->base_ = static_cast<char*>(base);
  }
  file->bytes_ = wanted;
  file->make(stamp, rings, ring_words);
  opened.file = std::move(file);
  return opened;
}

RingFile::Opened RingFile::open_to_watch(const std::string& path, const std::string& stamp) {
  Opened opened;
  std::shared_ptr<RingFile> file(new RingFile);
  file->fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  struct stat info{};
  if (file->fd_ < 0 || ::fstat(file->fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
    opened.error = why(path, "cannot be watched");
    return opened;
  }
  file->bytes_ = static_cast<std::size_t>(info.st_size);
  void* base =
      file->bytes_ == 0 ? MAP_FAILED : ::mmap(nullptr, file->bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file->fd_, 0);
  if (base != MAP_FAILED) file->base_ = static_cast<char*>(base);
  if (file->base_ == nullptr || !file->fits(stamp)) {
    opened.error = path + ": not a ring file of this version of the specification";
    opened.foreign = true;
    return opened;
  }
  file->rings_ = file->header().rings;
  file->ring_words_ = file->header().ring_words;
  opened.file = std::move(file);
  return opened;
}

}  // namespace tenet::monitor
