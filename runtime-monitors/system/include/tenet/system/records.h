/// What a role has stored, one record a key: on the disk, those used last also in memory.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tenet/system/disk.h"
#include "tenet/system/wire.h"

namespace tenet::system {

/// `Record` says by `fields` what it consists of (wire.h).
template <class Record>
class Records {
 public:
  /// `prefix`: of this role's keys in the store. `initial`: what a record is before anything happened to it.
  Records(Store& store, std::string prefix, Record initial = {})
      : store_(store), prefix_(std::move(prefix)), initial_(std::move(initial)) {}

  struct Entry {
    Record record;
    bool stored = false;      ///< it is on the disk
    bool introduced = false;  ///< for its user: the monitor was told what it was when this process began with it
  };
  /// Valid until the next call.
  Entry& at(const std::string& key) {
    const auto found = held_.find(key);
    if (found != held_.end()) return found->second;
    if (held_.size() == kHeld) held_.erase(held_.begin());
    Entry& made = held_[key];
    made.record = initial_;
    if (const auto bytes = store_.get(prefix_ + key)) {
      made.stored = true;
      damaged_ = damaged_ || !decoded(*bytes, made.record);
    }
    return made;
  }
  /// All or nothing, `more` with it. Empty, or what failed.
  [[nodiscard]] std::string write(const std::string& key, const Record& record, bool fsync,
                                  std::vector<Store::Change> more = {}) {
    if (damaged_) return "a record cannot be read";
    more.push_back({prefix_ + key, encoded(record)});
    std::string error = store_.write(more, fsync);
    if (!error.empty()) return error;
    Entry& entry = at(key);
    entry.record = record;
    entry.stored = true;
    return {};
  }
  /// Every key that was ever written.
  [[nodiscard]] std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (const auto& [key, bytes] : store_.read(prefix_)) all.push_back(key.substr(prefix_.size()));
    return all;
  }

 private:
  static constexpr std::size_t kHeld = 1024;

  Store& store_;
  std::string prefix_;
  Record initial_;
  std::map<std::string, Entry> held_;
  bool damaged_ = false;
};

}  // namespace tenet::system
