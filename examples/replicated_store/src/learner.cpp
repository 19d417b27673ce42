#include "learner.h"

namespace replicated {

LearnerSlot& Learner::slot(std::uint64_t number) {
  Slots::Entry& slot = slots_.at(key_of(number));
  if (!slot.introduced && watched(number)) {
    slot.introduced = true;
    with_state(slot.record, [&](const auto& state) {
      slot.stored ? monitor_.recovers(state, run_of(number)) : monitor_.begins(state, run_of(number));
    });
  }
  return slot.record;
}

/// False: nothing was written, and nothing may be said.
bool Learner::write(std::uint64_t number, const LearnerSlot& next) {
  context_.reach(point::learner_before_write);
  const std::string error = slots_.write(key_of(number), next, !context_.has(fault::learner_without_fsync));
  if (!error.empty()) {
    context_.give_up(error);
    return false;
  }
  context_.reach(point::learner_written);
  return true;
}

void Learner::on(const Accept& accept, Peer from, MessageId name) {
  const std::uint64_t number = accept.slot;
  LearnerSlot next = slot(number);
  if (next.learned) return;
  const auto acceptor = static_cast<std::uint32_t>(from);
  std::set<std::uint32_t>& accepts = next.accepts[accept.vote];
  // It may have died between the vote that made the majority and the step that learns.
  if (accepts.insert(acceptor).second) {
    if (!write(number, next)) return;
    if (watched(number)) {
      with_state(next, [&](const auto& state) {
        return monitor_.receive_accept(name, spec::AcceptorId(acceptor), told(accept.vote), state, run_of(number));
      });
    }
  }
  if (!cluster_.majority(accepts.size())) return;
  next.learned = accept.vote.value;
  if (!write(number, next)) return;
  if (watched(number)) {
    with_state(next, [&](const auto& state) { return monitor_.learn(told(accept.vote), state, run_of(number)); });
  }
  learned_(number);
}

}  // namespace replicated
