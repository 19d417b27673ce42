/// What the roles store of a slot: the variables of the specification, all durable, and little else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "message.h"
#include "tenet/system/disk.h"
#include "tenet/system/wire.h"

namespace replicated {

struct LeaderSlot {
  Ballot ballot;
  std::set<std::uint32_t> promised;
  std::optional<Vote> highest;
  bool proposed = false;
  std::string value;  ///< that was proposed, to say it again
};
struct AcceptorSlot {
  std::optional<Ballot> promised;
  std::optional<Vote> voted;
};
struct LearnerSlot {
  std::map<Vote, std::set<std::uint32_t>> accepts;
  std::optional<std::string> learned;
};
[[nodiscard]] std::string encode(const LeaderSlot& slot);
[[nodiscard]] bool decode(std::string_view bytes, LeaderSlot& slot);
[[nodiscard]] std::string encode(const AcceptorSlot& slot);
[[nodiscard]] bool decode(std::string_view bytes, AcceptorSlot& slot);
[[nodiscard]] std::string encode(const LearnerSlot& slot);
[[nodiscard]] bool decode(std::string_view bytes, LearnerSlot& slot);

/// The slots of one role: in the store, the last used ones also in memory.
template <class Record>
class Slots {
 public:
  /// `initial`: what a slot is before anything happened in it.
  Slots(tenet::system::Store& store, std::string prefix, Record initial = {})
      : store_(store), prefix_(std::move(prefix)), initial_(std::move(initial)) {}

  struct Slot {
    Record record;
    bool stored = false;
    bool introduced = false;  ///< the monitor was told what it was when this process began with it
  };
  /// Valid until the next call.
  Slot& at(std::uint64_t slot) {
    const auto found = held_.find(slot);
    if (found != held_.end()) return found->second;
    if (held_.size() == kHeld) held_.erase(held_.begin());
    Slot& made = held_[slot];
    made.record = initial_;
    if (const auto bytes = store_.get(key(slot))) {
      made.stored = true;
      damaged_ = damaged_ || !decode(*bytes, made.record);
    }
    return made;
  }
  /// All or nothing. Empty, or what failed.
  [[nodiscard]] std::string write(std::uint64_t slot, const Record& record, bool fsync) {
    if (damaged_) return "a record cannot be read";
    std::string error = store_.write({{key(slot), encode(record)}}, fsync);
    if (error.empty()) at(slot).stored = true;
    return error;
  }

 private:
  static constexpr std::size_t kHeld = 1024;
  /// In digits that sort.
  [[nodiscard]] std::string key(std::uint64_t slot) const {
    std::string digits(16, '0');
    for (std::size_t at = 16; at-- > 0; slot >>= 4) digits[at] = "0123456789abcdef"[slot & 15];
    return prefix_ + digits;
  }

  tenet::system::Store& store_;
  std::string prefix_;
  Record initial_;
  std::map<std::uint64_t, Slot> held_;
  bool damaged_ = false;
};

}  // namespace replicated
