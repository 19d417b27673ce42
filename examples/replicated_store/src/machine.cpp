#include "machine.h"

namespace replicated {

const Result* Machine::executed(const Command& command) const {
  const auto found = last_.find(command.client);
  return found != last_.end() && found->second.number == command.number ? &found->second : nullptr;
}

Result Machine::read(const Command& command) const {
  const auto found = entries_.find(command.key);
  if (found == entries_.end()) return {command.number, 0, {}};
  return {command.number, found->second.version, found->second.value};
}

Result Machine::apply(const Command& command) {
  Result& last = last_[command.client];
  if (command.number <= last.number && !context_.has(fault::executes_again)) return last;
  if (command.put) {
    Entry entry = entries_[command.key];
    last = {command.number, ++entry.version, {}};
    entry.value = command.value;
    const bool lost = context_.has(fault::lost_update) && ++puts_ % 8 == 0;
    if (!lost) entries_[command.key] = entry;
  } else {
    last = read(command);
  }
  return last;
}

}  // namespace replicated
