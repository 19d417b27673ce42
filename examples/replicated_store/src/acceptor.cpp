#include "acceptor.h"

namespace replicated {

namespace {

spec::LeaderId leader(Peer replica) { return spec::LeaderId(static_cast<std::uint32_t>(replica)); }

}  // namespace

AcceptorSlot& Acceptor::slot(std::uint64_t number) {
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
bool Acceptor::write(std::uint64_t number, const AcceptorSlot& next) {
  AcceptorSlot stored = next;
  if (context_.has(fault::swapped_fields) && stored.voted) {
    Ballot& ballot = stored.voted->ballot;
    ballot = {ballot.leader, static_cast<std::uint32_t>(ballot.number)};
  }
  context_.reach(point::acceptor_before_write);
  const std::string error = slots_.write(key_of(number), stored, !context_.has(fault::acceptor_without_fsync));
  if (!error.empty()) {
    context_.give_up(error);
    return false;
  }
  slots_.at(key_of(number)).record = next;  // what it believes, if that was stored in another way
  context_.reach(point::acceptor_written);
  return true;
}

void Acceptor::promise(Peer to, const Promise& promise, MessageId step) {
  MessageId name;
  if (watched(promise.slot)) {
    name = monitor_.sends_promise(step, leader(to), told(promise.ballot), told(promise.voted), run_of(promise.slot));
  }
  context_.send(to, encode(Message{name, promise}));
  context_.reach(point::acceptor_sent);
}

void Acceptor::preempt(Peer to, const Preempt& preempt, MessageId step) {
  MessageId name;
  if (watched(preempt.slot)) {
    name = monitor_.sends_preempt(step, leader(to), told(preempt.ballot), run_of(preempt.slot));
  }
  context_.send(to, encode(Message{name, preempt}));
}

void Acceptor::accept(Peer to, const Accept& accept, MessageId step) {
  MessageId name;
  if (watched(accept.slot)) {
    const spec::LearnerId learner(static_cast<std::uint32_t>(to));
    name = monitor_.sends_accept(step, learner, told(accept.vote), run_of(accept.slot));
  }
  context_.send(to, encode(Message{name, accept}));
}

void Acceptor::on(const Prepare& prepare, Peer from, MessageId name) {
  AcceptorSlot next = slot(prepare.slot);
  const bool again = next.promised == prepare.ballot;
  if (again) {
    // The same request once more: the answer may have been lost. It is the same, unless the leader has gone on.
    if (!next.voted || next.voted->ballot < prepare.ballot) {
      promise(from, {prepare.slot, prepare.ballot, next.voted}, {});
    }
    return;
  }
  const bool higher = !next.promised || prepare.ballot > *next.promised;
  if (higher) {
    next.promised = prepare.ballot;
    if (!write(prepare.slot, next)) return;
  }
  MessageId step;
  if (watched(prepare.slot)) {
    step = with_state(next, [&](const auto& state) {
      return monitor_.receive_prepare(name, leader(from), told(prepare.ballot), state, run_of(prepare.slot));
    });
  }
  if (higher) {
    promise(from, {prepare.slot, prepare.ballot, next.voted}, step);
  } else {
    preempt(from, {prepare.slot, *next.promised}, step);
  }
}

void Acceptor::on(const Propose& propose, Peer from, MessageId name) {
  const std::uint64_t number = propose.slot;
  AcceptorSlot next = slot(number);
  bool votes = !next.promised || propose.vote.ballot >= *next.promised;
  if (context_.has(fault::ignores_its_promise)) votes = true;
  if (context_.has(fault::compares_numbers_only)) {
    votes = !next.promised || propose.vote.ballot.number >= next.promised->number;
  }
  const auto tell_all = [&](MessageId step) {
    for (std::uint32_t learner = 0; learner < cluster_.replicas; ++learner) {
      accept(learner, {number, propose.vote}, step);
    }
    context_.reach(point::acceptor_sent);
  };
  if (votes) {
    if (context_.has(fault::accepts_first)) tell_all({});
    const bool same = next.promised == propose.vote.ballot && next.voted == propose.vote;
    next.promised = propose.vote.ballot;
    if (!context_.has(fault::forgets_its_vote)) next.voted = propose.vote;
    if (!same && !write(number, next)) return;
  }
  MessageId step;
  if (watched(number)) {
    step = with_state(next, [&](const auto& state) {
      return monitor_.receive_propose(name, leader(from), told(propose.vote), state, run_of(number));
    });
  }
  if (!votes) {
    preempt(from, {number, *next.promised}, step);
  } else if (!context_.has(fault::accepts_first)) {
    tell_all(step);
  }
}

void Acceptor::on(const Ask& ask, Peer from) {
  constexpr std::uint64_t kAtOnce = 32;
  for (std::uint64_t number = ask.slot; number < ask.slot + kAtOnce; ++number) {
    const std::uint64_t read = context_.has(fault::off_by_one_slot) ? number + 1 : number;
    const std::optional<Vote> voted = slot(read).voted;
    if (!voted) break;
    (void)slot(number);
    accept(from, {number, *voted}, {});
  }
}

}  // namespace replicated
