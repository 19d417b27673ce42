/// What the log's commands do: a store of keys, and what every client was told last, so that a command that is in two
/// slots is executed once.
#pragma once

#include <map>
#include <string>

#include "message.h"
#include "system.h"

namespace replicated {

class Machine {
 public:
  explicit Machine(const Context& context) : context_(context) {}

  /// The result; of a command that was executed before, what it was then.
  Result apply(const Command& command);
  /// What a command that was executed came to, if it is the client's last one.
  [[nodiscard]] const Result* executed(const Command& command) const;
  /// What a read would return.
  [[nodiscard]] Result read(const Command& command) const;

 private:
  struct Entry {
    std::uint64_t version = 0;
    std::string value;
  };
  const Context& context_;
  std::map<std::string, Entry> entries_;
  std::map<Peer, Result> last_;  ///< by client
  std::uint64_t puts_ = 0;
};

}  // namespace replicated
