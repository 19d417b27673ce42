#include "tenet/system/disk.h"

#include <fcntl.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/write_batch.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <random>
#include <utility>

namespace tenet::system {

namespace {

struct Length {
  std::uint64_t written = 0;
  std::uint64_t synced = 0;
};

/// A change of a directory that has not reached the disk.
struct Entry {
  enum class Kind : std::uint8_t { made, renamed, removed } kind = Kind::made;
  std::string name;
  std::string to = {};                ///< of a renaming
  std::string saved = {};             ///< where the file is kept that was removed, or stood in the way of a renaming
  std::optional<Length> length = {};  ///< of that file; none: it was not written since the disk was opened
};

/// What is known of the files that LevelDB writes.
struct Files {
  std::mutex lock;                        ///< LevelDB writes in a thread of its own, too
  std::map<std::string, Length> lengths;  ///< of every file that was written since the disk was opened
  std::vector<Entry> entries;             ///< in the order in which they happened
  std::filesystem::path saved;            ///< a folder for files that may have to come back
  std::uint64_t saved_count = 0;
  std::optional<std::uint64_t> room;
  bool dead = false;  ///< the power was lost: nothing changes any more

  [[nodiscard]] std::string next_saved() { return (saved / std::to_string(saved_count++)).string(); }
  [[nodiscard]] std::optional<Length> take_length(const std::string& name) {
    const auto found = lengths.extract(name);
    return found ? std::optional(found.mapped()) : std::nullopt;
  }
  void put_length(const std::string& name, const std::optional<Length>& length) {
    if (length) lengths[name] = *length;
  }
  void sync(const std::string& name) {
    Length& length = lengths[name];
    length.synced = length.written;
    std::error_code ignored;
    for (const Entry& entry : entries) {
      if (!entry.saved.empty()) std::filesystem::remove(entry.saved, ignored);
    }
    entries.clear();
  }
  void undo(const Entry& entry);
  void tear(const std::string& name, const Length& length, std::mt19937_64& random) const;
};

void Files::undo(const Entry& entry) {
  std::error_code ignored;
  switch (entry.kind) {
    case Entry::Kind::made:
      std::filesystem::remove_all(entry.name, ignored);
      lengths.erase(entry.name);
      break;
    case Entry::Kind::renamed:
      std::filesystem::rename(entry.to, entry.name, ignored);
      put_length(entry.name, take_length(entry.to));
      if (!entry.saved.empty()) {
        std::filesystem::rename(entry.saved, entry.to, ignored);
        put_length(entry.to, entry.length);
      }
      break;
    case Entry::Kind::removed:
      std::filesystem::rename(entry.saved, entry.name, ignored);
      put_length(entry.name, entry.length);
      break;
  }
}

void Files::tear(const std::string& name, const Length& length, std::mt19937_64& random) const {
  if (length.written <= length.synced) return;
  const std::uint64_t torn = random() % 2 == 0 ? 0 : random() % (length.written - length.synced + 1);
  std::error_code ignored;
  std::filesystem::resize_file(name, length.synced + torn, ignored);
  // LevelDB does not open a database whose MANIFEST ends in zeros, so only a log does here.
  if (name.ends_with(".log") && random() % 3 == 0) std::filesystem::resize_file(name, length.written, ignored);
}

leveldb::Status power_lost() { return leveldb::Status::IOError("the power was lost"); }

/// A file of LevelDB whose length at the last fsync is known.
class CountedFile final : public leveldb::WritableFile {
 public:
  CountedFile(leveldb::WritableFile* file, std::shared_ptr<Files> files, std::string name)
      : file_(file), files_(std::move(files)), name_(std::move(name)) {}

  leveldb::Status Append(const leveldb::Slice& data) override {
    const std::scoped_lock guard(files_->lock);
    if (files_->dead) return power_lost();
    const std::size_t fits = files_->room ? std::min<std::uint64_t>(*files_->room, data.size()) : data.size();
    if (files_->room) *files_->room -= fits;
    const leveldb::Status status = file_->Append(leveldb::Slice(data.data(), fits));
    if (status.ok()) files_->lengths[name_].written += fits;
    return fits < data.size() ? leveldb::Status::IOError(name_, "no space left on device") : status;
  }
  leveldb::Status Close() override { return file_->Close(); }
  leveldb::Status Flush() override { return file_->Flush(); }
  leveldb::Status Sync() override {
    const std::scoped_lock guard(files_->lock);
    if (files_->dead) return power_lost();
    const leveldb::Status status = file_->Sync();
    if (status.ok()) files_->sync(name_);
    return status;
  }

 private:
  std::unique_ptr<leveldb::WritableFile> file_;
  std::shared_ptr<Files> files_;
  std::string name_;
};

std::string failed(const std::string& what, const std::string& name) {
  return what + " " + name + ": " + std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
}

}  // namespace

class Disk::Env final : public leveldb::EnvWrapper {
 public:
  explicit Env(std::filesystem::path saved) : EnvWrapper(leveldb::Env::Default()), files_(std::make_shared<Files>()) {
    files_->saved = std::move(saved);
  }

  leveldb::Status NewWritableFile(const std::string& name, leveldb::WritableFile** result) override {
    const std::scoped_lock guard(files_->lock);
    if (files_->dead) return power_lost();
    if (!target()->FileExists(name)) files_->entries.push_back({Entry::Kind::made, name});
    return counted(name, target()->NewWritableFile(name, result), 0, result);
  }
  leveldb::Status NewAppendableFile(const std::string& name, leveldb::WritableFile** result) override {
    const std::scoped_lock guard(files_->lock);
    if (files_->dead) return power_lost();
    std::uint64_t size = 0;
    if (!target()->GetFileSize(name, &size).ok()) files_->entries.push_back({Entry::Kind::made, name});
    return counted(name, target()->NewAppendableFile(name, result), size, result);
  }
  leveldb::Status CreateDir(const std::string& name) override {
    const std::scoped_lock guard(files_->lock);
    if (files_->dead) return power_lost();
    if (!target()->FileExists(name)) files_->entries.push_back({Entry::Kind::made, name});
    return target()->CreateDir(name);
  }
  leveldb::Status RenameFile(const std::string& from, const std::string& to) override {
    const std::scoped_lock guard(files_->lock);
    if (files_->dead) return power_lost();
    Entry entry{Entry::Kind::renamed, from, to};
    if (target()->FileExists(to)) {
      entry.saved = files_->next_saved();
      if (const auto status = target()->RenameFile(to, entry.saved); !status.ok()) return status;
      entry.length = files_->take_length(to);
    }
    const leveldb::Status status = target()->RenameFile(from, to);
    if (status.ok()) {
      files_->put_length(to, files_->take_length(from));
      files_->entries.push_back(std::move(entry));
    }
    return status;
  }
  leveldb::Status RemoveFile(const std::string& name) override {
    const std::scoped_lock guard(files_->lock);
    if (files_->dead) return power_lost();
    Entry entry{Entry::Kind::removed, name, {}, files_->next_saved()};
    const leveldb::Status status = target()->RenameFile(name, entry.saved);
    if (status.ok()) {
      entry.length = files_->take_length(name);
      files_->entries.push_back(std::move(entry));
    }
    return status;
  }

  void lose_power(std::mt19937_64& random) {
    const std::scoped_lock guard(files_->lock);
    files_->dead = true;
    const std::size_t kept = random() % (files_->entries.size() + 1);
    for (std::size_t i = files_->entries.size(); i-- > kept;) files_->undo(files_->entries[i]);
    for (const auto& [name, length] : files_->lengths) files_->tear(name, length, random);
  }
  void fill(std::optional<std::uint64_t> room) {
    const std::scoped_lock guard(files_->lock);
    files_->room = room;
  }

 private:
  leveldb::Status counted(const std::string& name, leveldb::Status status, std::uint64_t size,
                          leveldb::WritableFile** result) {
    if (!status.ok()) return status;
    files_->lengths[name] = {size, size};
    *result = new CountedFile(*result, files_, name);  // NOLINT(cppcoreguidelines-owning-memory): LevelDB's interface
    return status;
  }

  std::shared_ptr<Files> files_;
};

namespace {

std::filesystem::path saved_below(const std::filesystem::path& folder) { return folder / "unsynced"; }

}  // namespace

Disk::Disk(std::filesystem::path folder)
    : folder_(std::move(folder)), env_(std::make_unique<Env>(saved_below(folder_))) {
  std::error_code ignored;
  // If the process before this one was only killed, nothing comes back.
  std::filesystem::remove_all(saved_below(folder_), ignored);
  std::filesystem::create_directories(saved_below(folder_), ignored);
}

Disk::~Disk() = default;

void Disk::fill(std::optional<std::uint64_t> room) { env_->fill(room); }

void Disk::lose_power(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  env_->lose_power(random);
  dead_.push_back(std::exchange(env_, std::make_unique<Env>(saved_below(folder_))));
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

std::optional<std::string> Store::get(const std::string& key) const {
  std::string value;
  if (!db_->Get(leveldb::ReadOptions(), key, &value).ok()) return std::nullopt;
  return value;
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

}  // namespace tenet::system
