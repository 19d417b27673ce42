#include "acceptor.h"

namespace replicated {

namespace {

spec::LeaderId leader(const Message& message) { return spec::LeaderId(static_cast<std::uint32_t>(message.from.index)); }

}  // namespace

Acceptor::Slot& Acceptor::slot(std::uint64_t number) {
  Slot& slot = slots_.at(number);
  if (!slot.introduced && watched(number)) {
    slot.introduced = true;
    with_state(slot.record, [&](const auto& state) {
      slot.stored ? monitor_.recovers(state, run_of(number)) : monitor_.begins(state, run_of(number));
    });
  }
  return slot;
}

/// False: nothing was written, and nothing may be said.
bool Acceptor::write(std::uint64_t number, const AcceptorSlot& next) {
  AcceptorSlot stored = next;
  if (context_.has(Fault::swapped_fields) && stored.voted) {
    Ballot& ballot = stored.voted->ballot;
    ballot = {ballot.leader, static_cast<std::uint32_t>(ballot.number)};
  }
  context_.reach(FailPoint::acceptor_before_write);
  const std::string error = slots_.write(number, stored, !context_.has(Fault::acceptor_without_fsync));
  if (!error.empty()) {
    context_.give_up(error);
    return false;
  }
  slots_.at(number).record = next;
  context_.reach(FailPoint::acceptor_written);
  return true;
}

void Acceptor::promise(const Message& message, const Promise& promise, spec::MessageId step) {
  Name name;
  if (watched(promise.slot)) {
    name = named(
        monitor_.sends_promise(step, leader(message), told(promise.ballot), told(promise.voted), run_of(promise.slot)));
  }
  context_.send(message.from, {.name = name, .body = promise});
  context_.reach(FailPoint::acceptor_sent);
}

void Acceptor::preempt(const Message& message, const Preempt& preempt, spec::MessageId step) {
  Name name;
  if (watched(preempt.slot)) {
    name = named(monitor_.sends_preempt(step, leader(message), told(preempt.ballot), run_of(preempt.slot)));
  }
  context_.send(message.from, {.name = name, .body = preempt});
}

void Acceptor::accept(Node to, const Accept& accept, spec::MessageId step) {
  Name name;
  if (watched(accept.slot)) {
    const spec::LearnerId learner(static_cast<std::uint32_t>(to.index));
    name = named(monitor_.sends_accept(step, learner, told(accept.vote), run_of(accept.slot)));
  }
  context_.send(to, {.name = name, .body = accept});
}

void Acceptor::on(const Prepare& prepare, const Message& message) {
  AcceptorSlot next = slot(prepare.slot).record;
  const bool again = next.promised == prepare.ballot;
  if (again) {
    // The same request once more: the answer may have been lost. It is the same, unless the leader has gone on.
    if (!next.voted || next.voted->ballot < prepare.ballot) {
      promise(message, {prepare.slot, prepare.ballot, next.voted}, {});
    }
    return;
  }
  const bool higher = !next.promised || prepare.ballot > *next.promised;
  if (higher) {
    next.promised = prepare.ballot;
    if (!write(prepare.slot, next)) return;
  }
  spec::MessageId step;
  if (watched(prepare.slot)) {
    step = with_state(next, [&](const auto& state) {
      return monitor_.receive_prepare(told(message.name), leader(message), told(prepare.ballot), state,
                                      run_of(prepare.slot));
    });
  }
  if (higher) {
    promise(message, {prepare.slot, prepare.ballot, next.voted}, step);
  } else {
    preempt(message, {prepare.slot, *next.promised}, step);
  }
}

void Acceptor::on(const Propose& propose, const Message& message) {
  const std::uint64_t number = propose.slot;
  AcceptorSlot next = slot(number).record;
  bool votes = !next.promised || propose.vote.ballot >= *next.promised;
  if (context_.has(Fault::ignores_its_promise)) votes = true;
  if (context_.has(Fault::compares_numbers_only)) {
    votes = !next.promised || propose.vote.ballot.number >= next.promised->number;
  }
  const auto tell_all = [&](spec::MessageId step) {
    for (std::uint32_t learner = 0; learner < cluster_.replicas; ++learner) {
      accept({Kind::replica, learner}, {number, propose.vote}, step);
    }
    context_.reach(FailPoint::acceptor_sent);
  };
  if (votes) {
    if (context_.has(Fault::accepts_first)) tell_all({});
    const bool same = next.promised == propose.vote.ballot && next.voted == propose.vote;
    next.promised = propose.vote.ballot;
    if (!context_.has(Fault::forgets_its_vote)) next.voted = propose.vote;
    if (!same && !write(number, next)) return;
  }
  spec::MessageId step;
  if (watched(number)) {
    step = with_state(next, [&](const auto& state) {
      return monitor_.receive_propose(told(message.name), leader(message), told(propose.vote), state, run_of(number));
    });
  }
  if (!votes) {
    preempt(message, {number, *next.promised}, step);
  } else if (!context_.has(Fault::accepts_first)) {
    tell_all(step);
  }
}

void Acceptor::on(const Ask& ask, const Message& message) {
  constexpr std::uint64_t kAtOnce = 32;
  for (std::uint64_t number = ask.slot; number < ask.slot + kAtOnce; ++number) {
    const std::uint64_t read = context_.has(Fault::off_by_one_slot) ? number + 1 : number;
    const std::optional<Vote> voted = slot(read).record.voted;
    if (!voted) break;
    (void)slot(number);
    accept(message.from, {number, *voted}, {});
  }
}

}  // namespace replicated
