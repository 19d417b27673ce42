#include "block_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <chrono>

#include "format.h"

namespace tenet::training {

bool BlockFile::create(const std::string& prefix, std::uint64_t monotonic_now) {
  close();
  const std::string stem = prefix + "." + std::to_string(::getpid());
  for (int attempt = 0; attempt < 10000 && file_ < 0; ++attempt) {
    path_ = stem + (attempt == 0 ? "" : "-" + std::to_string(attempt)) + ".tnt";
    file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file_ < 0 && errno != EEXIST) return false;
  }
  if (file_ < 0) return false;
  if (::getrandom(identity_.data(), identity_.size(), 0) != static_cast<ssize_t>(identity_.size())) return false;
  blocks_ = 0;
  records_ = 0;
  length_ = 0;
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  format::FileHeader header{
      .magic = format::kFileMagic,
      .version = format::kVersion,
      .header_bytes = sizeof(format::FileHeader),
      .identity = identity_,
      .process = static_cast<std::uint64_t>(::getpid()),
      .monotonic_start = monotonic_now,
      .wall_start = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count()),
      .checksum = 0};
  header.checksum = format::checksum(header);
  if (!write_all(&header, sizeof header)) return false;
  length_ = sizeof header;
  return true;
}

bool BlockFile::append(const Bytes& body, const Block& block, int level) {
  if (file_ < 0 || body.size() > format::kMaxBodyBytes) return false;
  Bytes stored(sizeof(format::BlockHeader) + ZSTD_compressBound(body.size()));
  std::uint8_t* payload = stored.data() + sizeof(format::BlockHeader);
  const std::size_t size =
      ZSTD_compress(payload, stored.size() - sizeof(format::BlockHeader), body.data(), body.size(), level);
  if (ZSTD_isError(size) != 0) return false;
  format::BlockHeader header{.magic = format::kBlockMagic,
                             .flags = block.last ? format::kLastBlockFlag : 0,
                             .sequence = blocks_,
                             .records = block.records,
                             .body_bytes = static_cast<std::uint32_t>(body.size()),
                             .stored_bytes = static_cast<std::uint32_t>(size),
                             .first_record = records_,
                             .dropped = block.dropped,
                             .reserved = 0,
                             .checksum = 0};
  header.checksum = format::checksum(header, payload);
  std::memcpy(stored.data(), &header, sizeof header);
  const std::size_t total = sizeof header + size;
  if (!write_all(stored.data(), total)) {
    const int failure = errno;
    if (::ftruncate(file_, static_cast<off_t>(length_)) == 0) ::lseek(file_, static_cast<off_t>(length_), SEEK_SET);
    errno = failure;
    return false;
  }
  length_ += total;
  records_ += block.records;
  ++blocks_;
  return true;
}

void BlockFile::close() noexcept {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

bool BlockFile::write_all(const void* data, std::size_t size) {
  const auto* from = static_cast<const std::uint8_t*>(data);
  while (size > 0) {
    const ssize_t written = ::write(file_, from, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    from += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace tenet::training
