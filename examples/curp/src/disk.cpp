#include "disk.h"

#include <fcntl.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/write_batch.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <random>

namespace curp {

namespace {

struct Length {
  std::uint64_t written = 0;
  std::uint64_t synced = 0;
};
/// Of every file that was written since the disk was opened.
struct Lengths {
  std::mutex lock;  ///< LevelDB writes in a thread of its own, too
  std::map<std::string, Length> files;
};

/// A file of LevelDB whose length at the last fsync is known.
class CountedFile final : public leveldb::WritableFile {
 public:
  CountedFile(leveldb::WritableFile* file, Lengths& lengths, std::string name)
      : file_(file), lengths_(lengths), name_(std::move(name)) {}

  leveldb::Status Append(const leveldb::Slice& data) override {
    const leveldb::Status status = file_->Append(data);
    if (status.ok()) {
      const std::scoped_lock guard(lengths_.lock);
      lengths_.files[name_].written += data.size();
    }
    return status;
  }
  leveldb::Status Close() override { return file_->Close(); }
  leveldb::Status Flush() override { return file_->Flush(); }
  leveldb::Status Sync() override {
    const leveldb::Status status = file_->Sync();
    if (status.ok()) {
      const std::scoped_lock guard(lengths_.lock);
      Length& length = lengths_.files[name_];
      length.synced = length.written;
    }
    return status;
  }

 private:
  std::unique_ptr<leveldb::WritableFile> file_;
  Lengths& lengths_;
  std::string name_;
};

std::string failed(const std::string& what, const std::string& name) {
  return what + " " + name + ": " + std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

class Disk::Env final : public leveldb::EnvWrapper {
 public:
  Env() : EnvWrapper(leveldb::Env::Default()) {}

  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** result) override {
    return counted(name, target()->NewWritableFile(name, result), 0, result);
  }
  leveldb::Status NewAppendableFile(const std::string& name, leveldb::WritableFile** result) override {
    std::uint64_t size = 0;
    if (!target()->GetFileSize(name, &size).ok()) size = 0;
    return counted(name, target()->NewAppendableFile(name, result), size, result);
  }
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override {
    const leveldb::Status status = target()->RenameFile(from, to);
    if (status.ok()) {
      const std::scoped_lock guard(lengths_.lock);
      if (auto moved = lengths_.files.extract(from)) {
        lengths_.files.erase(to);
        moved.key() = to;
        lengths_.files.insert(std::move(moved));
      }
    }
    return status;
  }
  leveldb::Status RemoveFile(const std::string& name) override {
    const leveldb::Status status = target()->RemoveFile(name);
    if (status.ok()) {
      const std::scoped_lock guard(lengths_.lock);
      lengths_.files.erase(name);
    }
    return status;
  }

  void lose_power(std::mt19937_64& random) {
    const std::scoped_lock guard(lengths_.lock);
    for (const auto& [name, length] : lengths_.files) {
      std::error_code ignored;
      if (length.synced == 0) {
        // Nobody has synced the directory entry either.
        std::filesystem::remove(name, ignored);
      } else if (length.written > length.synced) {
        const std::uint64_t torn = random() % 2 == 0 ? 0 : random() % (length.written - length.synced);
        std::filesystem::resize_file(name, length.synced + torn, ignored);
      }
    }
    lengths_.files.clear();
  }

 private:
  leveldb::Status counted(const std::string& name, leveldb::Status status, std::uint64_t size,
                          leveldb::WritableFile** result) {
    if (!status.ok()) return status;
    {
      const std::scoped_lock guard(lengths_.lock);
      lengths_.files[name] = {size, size};
    }
    *result = new CountedFile(*result, lengths_, name);  // NOLINT(cppcoreguidelines-owning-memory): LevelDB's interface
    return status;
  }

  Lengths lengths_;
};

Disk::Disk(std::filesystem::path folder) : folder_(std::move(folder)), env_(std::make_unique<Env>()) {
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
}

Disk::~Disk() = default;

void Disk::lose_power(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  env_->lose_power(random);
  for (const auto& [name, writes] : blocks_) {
    const int file = ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) continue;
    // The disk may have written any of the blocks, the last one torn.
    for (std::size_t i = writes.size(); i-- > 0;) {
      const std::uint64_t fate = random() % 4;
      if (fate == 0) continue;
      const std::string_view before = writes[i].before;
      const std::size_t kept = fate == 1 ? before.size() / 2 : 0;
      const auto offset = static_cast<off_t>(writes[i].offset + kept);
      if (::pwrite(file, before.data() + kept, before.size() - kept, offset) < 0) break;
    }
    ::close(file);
  }
  blocks_.clear();
}

Store::Store() = default;
Store::~Store() = default;

std::string Store::open(Disk& disk, const std::string& name) {
  leveldb::Options options;
  options.create_if_missing = true;
  options.env = disk.env_.get();
  options.write_buffer_size = std::size_t{1} << 20;
  leveldb::DB* db = nullptr;
  const leveldb::Status status = leveldb::DB::Open(options, (disk.folder_ / name).string(), &db);
  db_.reset(db);
  return status.ok() ? std::string() : status.ToString();
}

std::string Store::write(const std::vector<Change>& changes, bool fsync) {
  leveldb::WriteBatch batch;
  for (const Change& change : changes) {
    if (change.remove) {
      batch.Delete(change.key);
    } else {
      batch.Put(change.key, change.value);
    }
  }
  leveldb::WriteOptions options;
  options.sync = fsync;
  const leveldb::Status status = db_->Write(options, &batch);
  return status.ok() ? std::string() : status.ToString();
}

std::vector<std::pair<std::string, std::string>> Store::read(std::string_view prefix) const {
  std::vector<std::pair<std::string, std::string>> pairs;
  const std::unique_ptr<leveldb::Iterator> at(db_->NewIterator(leveldb::ReadOptions()));
  const leveldb::Slice begin(prefix.data(), prefix.size());
  for (at->Seek(begin); at->Valid() && at->key().starts_with(begin); at->Next()) {
    pairs.emplace_back(at->key().ToString(), at->value().ToString());
  }
  return pairs;
}

BlockFile::~BlockFile() {
  if (file_ >= 0) ::close(file_);
}

std::string BlockFile::open(Disk& disk, const std::string& name, std::size_t block, std::size_t blocks) {
  disk_ = &disk;
  block_ = block;
  name_ = (disk.folder_ / name).string();
  file_ = ::open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0) return failed("cannot open", name_);
  const auto size = static_cast<off_t>(block * blocks);
  if (::lseek(file_, 0, SEEK_END) < size && (::ftruncate(file_, size) != 0 || ::fsync(file_) != 0)) {
    return failed("cannot enlarge", name_);
  }
  return {};
}

std::string BlockFile::read(std::size_t index) const {
  std::string bytes(block_, '\0');
  const ssize_t got = ::pread(file_, bytes.data(), block_, static_cast<off_t>(index * block_));
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

std::string BlockFile::write(std::size_t index, std::string_view bytes, bool fsync) {
  std::string whole(bytes);
  whole.resize(block_, '\0');
  const std::uint64_t offset = index * block_;
  std::vector<Disk::Unsynced>& unsynced = disk_->blocks_[name_];
  unsynced.push_back({offset, read(index)});
  if (::pwrite(file_, whole.data(), whole.size(), static_cast<off_t>(offset)) != static_cast<ssize_t>(whole.size())) {
    return failed("cannot write", name_);
  }
  if (!fsync) return {};
  if (::fdatasync(file_) != 0) return failed("cannot sync", name_);
  unsynced.clear();
  return {};
}

}  // namespace curp
