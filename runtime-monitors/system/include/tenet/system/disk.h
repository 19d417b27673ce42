/// Files of a process, and what becomes of them when the power fails: everything that was not fsynced may be gone, all
/// of it or a part, and so may be that a file was made, renamed or removed. (When only the process dies, the kernel
/// still has it.)
///
/// Directories behave as those of a journaling file system do: their changes reach the disk in order, and an fsync of
/// any file takes all that came before it along. Bytes have no such order: of what was appended to a file since its
/// last fsync any part may be there, also with zeros for what is not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace leveldb {
class DB;
class Env;
}  // namespace leveldb

namespace tenet::system {

class Disk {
 public:
  /// Files are made below `folder`, which is made if it is not there.
  explicit Disk(std::filesystem::path folder);
  ~Disk();
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  /// What was not fsynced is lost; `seed` decides how much of it. Everything that was opened must have been closed, or
  /// never be used again: it cannot change the files any more.
  void lose_power(std::uint64_t seed);
  /// From now on appends fail once so many bytes more were appended, as on a disk that is full; none: there is room.
  void fill(std::optional<std::uint64_t> room);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  friend class Store;
  friend class BlockFile;
  class Env;
  struct Unsynced {
    std::uint64_t offset;
    std::string before;
  };
  std::filesystem::path folder_;
  std::unique_ptr<Env> env_;
  std::vector<std::unique_ptr<Env>> dead_;               ///< before a loss of power; who still holds one may call it
  std::map<std::string, std::vector<Unsynced>> blocks_;  ///< of files that are written in place
};

/// A LevelDB database on a disk. Failures (a full disk) are returned as text; what was written before is still there.
class Store {
 public:
  Store();
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Empty, or why it cannot be opened (another process has it, it is damaged).
  [[nodiscard]] std::string open(Disk& disk, const std::string& name);
  struct Change {
    std::string key;
    std::string value;
    bool remove = false;
  };
  /// All or nothing. `fsync`: it is on the disk when this returns. Empty, or what failed; after a failed write
  /// LevelDB takes no further ones until it is opened again.
  [[nodiscard]] std::string write(const std::vector<Change>& changes, bool fsync);
  /// None if there is no such key.
  [[nodiscard]] std::optional<std::string> get(const std::string& key) const;
  /// Every pair whose key begins with `prefix`, in order.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> read(std::string_view prefix) const;

 private:
  std::unique_ptr<leveldb::DB> db_;
};

/// A file of blocks of one size, written in place.
class BlockFile {
 public:
  BlockFile() = default;
  ~BlockFile();
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;

  /// Opens it, longer if it was shorter. Empty, or what failed.
  [[nodiscard]] std::string open(Disk& disk, const std::string& name, std::size_t block, std::size_t blocks);
  [[nodiscard]] std::string read(std::size_t index) const;
  /// `bytes` are at most a block; the rest becomes zero. Empty, or what failed.
  [[nodiscard]] std::string write(std::size_t index, std::string_view bytes, bool fsync);

 private:
  Disk* disk_ = nullptr;
  std::string name_;
  int file_ = -1;
  std::size_t block_ = 0;
};

}  // namespace tenet::system
