#include "leader.h"

namespace replicated {

Leader::Leader(Context& context, const Cluster& cluster, std::uint32_t index, tenet::system::Store& store, Owner owner)
    : context_(context),
      cluster_(cluster),
      index_(index),
      slots_(store, "leader/", LeaderSlot{.ballot = {0, index}}),
      owner_(std::move(owner)),
      monitor_(index) {}

LeaderSlot& Leader::slot(std::uint64_t number) {
  Slots::Entry& slot = slots_.at(key_of(number));
  if (!slot.introduced && watched(number)) {
    slot.introduced = true;
    const spec::LeaderConstants constants{index_};
    with_state(slot.record, [&](const auto& state) {
      slot.stored ? monitor_.recovers(constants, state, run_of(number))
                  : monitor_.begins(constants, state, run_of(number));
    });
  }
  return slot.record;
}

/// False: nothing was written, and nothing may be said.
bool Leader::write(std::uint64_t number, const LeaderSlot& next) {
  context_.reach(point::leader_before_write);
  const std::string error = slots_.write(key_of(number), next, !context_.has(fault::leader_without_fsync));
  if (!error.empty()) {
    context_.give_up(error);
    return false;
  }
  context_.reach(point::leader_written);
  return true;
}

void Leader::drive(std::uint64_t number) {
  current_ = number;
  messages_ = 0;
  const LeaderSlot now = slot(number);
  if (now.proposed) return send_proposal(number, {});
  MessageId step;
  if (watched(number)) {
    step = with_state(now, [&](const auto& state) { return monitor_.prepare(state, run_of(number)); });
  }
  for (std::uint32_t acceptor = 0; acceptor < cluster_.replicas; ++acceptor) {
    MessageId name;
    if (watched(number)) {
      name = monitor_.sends_prepare(step, spec::AcceptorId(acceptor), told(now.ballot), run_of(number));
    }
    context_.send(acceptor, encode(Message{name, Prepare{number, now.ballot}}));
  }
  context_.reach(point::leader_sent);
}

void Leader::on(const Promise& promise, Peer from, MessageId name) {
  const std::uint64_t number = promise.slot;
  if (number != current_) return;
  LeaderSlot next = slot(number);
  if (next.proposed || (promise.ballot != next.ballot && !context_.has(fault::counts_old_promises))) return;
  ++messages_;
  const auto acceptor = static_cast<std::uint32_t>(from);
  const bool more = next.promised.insert(acceptor).second;
  if (context_.has(fault::carries_votes_over) && !next.highest) next.highest = carried_;
  if (promise.voted && (!next.highest || promise.voted->ballot > next.highest->ballot)) next.highest = promise.voted;
  if (next.highest) carried_ = next.highest;
  if (more) {
    if (!write(number, next)) return;
    if (watched(number)) {
      with_state(next, [&](const auto& state) {
        return monitor_.receive_promise(name, spec::AcceptorId(acceptor), told(promise.ballot), told(promise.voted),
                                        state, run_of(number));
      });
    }
  }
  const std::size_t count = context_.has(fault::counts_messages) ? messages_ : next.promised.size();
  if (cluster_.majority(count)) propose(number);
}

void Leader::propose(std::uint64_t number) {
  LeaderSlot next = slot(number);
  const std::string fresh = owner_.fresh(number);
  const bool bound = next.highest && !context_.has(fault::insists_on_its_value);
  next.value = bound ? next.highest->value : fresh;
  next.proposed = true;
  if (!write(number, next)) return;
  MessageId step;
  if (watched(number)) {
    step =
        with_state(next, [&](const auto& state) { return monitor_.propose(told_value(fresh), state, run_of(number)); });
  }
  send_proposal(number, step);
}

void Leader::send_proposal(std::uint64_t number, MessageId step) {
  const LeaderSlot& now = slot(number);
  const Propose propose{number, {now.ballot, now.value}};
  for (std::uint32_t acceptor = 0; acceptor < cluster_.replicas; ++acceptor) {
    MessageId name;
    if (watched(number)) {
      name = monitor_.sends_propose(step, spec::AcceptorId(acceptor), told(propose.vote), run_of(number));
    }
    context_.send(acceptor, encode(Message{name, propose}));
  }
  context_.reach(point::leader_sent);
}

void Leader::on(const Preempt& preempt, Peer from, MessageId name) {
  const std::uint64_t number = preempt.slot;
  if (number != current_) return;
  LeaderSlot next = slot(number);
  if (preempt.ballot <= next.ballot && !context_.has(fault::believes_old_news)) return;
  const std::uint64_t beyond = context_.has(fault::tries_the_same_number) ? 0 : 1;
  next.ballot = {preempt.ballot.number + beyond, index_};
  if (!context_.has(fault::keeps_its_promises)) next.promised.clear();
  next.highest.reset();
  next.proposed = false;
  next.value.clear();
  if (!write(number, next)) return;
  if (watched(number)) {
    const spec::AcceptorId acceptor(static_cast<std::uint32_t>(from));
    with_state(next, [&](const auto& state) {
      return monitor_.receive_preempt(name, acceptor, told(preempt.ballot), state, run_of(number));
    });
  }
  owner_.preempted(number);
}

}  // namespace replicated
