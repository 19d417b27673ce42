/// What the roles store of a slot: the variables of the specification, all durable, and little else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "message.h"
#include "tenet/system/records.h"

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
void fields(auto& a, LeaderSlot& v) { each(a, v.ballot, v.promised, v.highest, v.proposed, v.value); }
void fields(auto& a, AcceptorSlot& v) { each(a, v.promised, v.voted); }
void fields(auto& a, LearnerSlot& v) { each(a, v.accepts, v.learned); }

/// A slot's number as a key of the store: in digits that sort.
[[nodiscard]] inline std::string key_of(std::uint64_t slot) {
  std::string digits(16, '0');
  for (std::size_t at = 16; at-- > 0; slot >>= 4) digits[at] = "0123456789abcdef"[slot & 15];
  return digits;
}

}  // namespace replicated
