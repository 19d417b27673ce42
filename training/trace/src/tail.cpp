#include "tail.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace tenet::training {
namespace {

// Space is reserved, not only promised: a store into a hole of a full disk would be a SIGBUS in the user's job.
bool reserve_space(int file, std::size_t bytes) noexcept {
  const int failure = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (failure == 0) return true;
  if (failure == EOPNOTSUPP || failure == EINVAL) return ::ftruncate(file, static_cast<off_t>(bytes)) == 0;
  errno = failure;
  return false;
}

}  // namespace

bool Tail::create(const std::string& path, std::size_t capacity, const std::array<std::uint8_t, 16>& identity) {
  unmap();
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const std::size_t total = format::kTailRowsOffset + capacity;
  void* memory = MAP_FAILED;
  if (reserve_space(file, total)) memory = ::mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const int failure = errno;
  ::close(file);
  if (memory == MAP_FAILED) {
    ::unlink(path.c_str());
    errno = failure;
    return false;
  }
  header_ = static_cast<format::TailHeader*>(memory);
  rows_ = static_cast<std::uint8_t*>(memory) + format::kTailRowsOffset;
  capacity_ = capacity;
  used_ = 0;
  *header_ = format::TailHeader{.magic = format::kTailMagic,
                                .version = format::kVersion,
                                .rows_offset = format::kTailRowsOffset,
                                .identity = identity,
                                .capacity = capacity,
                                .sequence = 0,
                                .committed_bytes = 0,
                                .begun = 0,
                                .committed = 0,
                                .dropped = 0};
  return true;
}

std::uint8_t* Tail::reserve(std::size_t bytes) noexcept { return bytes <= capacity_ - used_ ? rows_ + used_ : nullptr; }

void Tail::commit(std::size_t bytes, bool is_record) noexcept {
  used_ += bytes;
  store(header_->committed_bytes, used_);
  if (is_record) store(header_->committed, header_->committed + 1);
}

void Tail::restart(std::uint64_t next_sequence) noexcept {
  used_ = 0;
  store(header_->committed_bytes, 0);
  store(header_->sequence, next_sequence);
}

void Tail::unmap() noexcept {
  if (header_ != nullptr) ::munmap(header_, format::kTailRowsOffset + capacity_);
  header_ = nullptr;
  rows_ = nullptr;
  capacity_ = used_ = 0;
}

void Tail::store(std::uint64_t& field, std::uint64_t value) noexcept {
  std::atomic_ref(field).store(value, std::memory_order_release);
}

}  // namespace tenet::training
