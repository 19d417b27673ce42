#include "replica.h"

#include <algorithm>

namespace replicated {

Replica::Replica(Context& context, const Cluster& cluster, std::uint32_t index)
    : context_(context), cluster_(cluster), index_(index), machine_(context), random_(context.boot()) {}

std::string Replica::open(tenet::system::Disk& disk) {
  if (std::string error = store_.open(disk, "log"); !error.empty()) return error;
  acceptor_.emplace(context_, cluster_, index_, store_);
  leader_.emplace(context_, cluster_, index_, store_,
                  Leader::Owner{[this](std::uint64_t slot) { return fresh(slot); },
                                [this](std::uint64_t slot) { preempted(slot); }});
  learner_.emplace(context_, cluster_, index_, store_, [this](std::uint64_t slot) { learned(slot); });
  while (learner_->value(next_)) {
    const bool lost = context_.has(fault::loses_last_slot) && !learner_->value(next_ + 1);
    if (!lost) execute(next_);
    ++next_;
  }
  next_at_beat_ = next_;
  context_.after(cluster_.beat, [this] { beat(); });
  context_.after(cluster_.retry, [this] { retry(); });
  return {};
}

bool Replica::receive(Peer from, std::string_view body) {
  Message message;
  if (!decode(body, message)) return false;
  const MessageId name = message.name;
  if (const auto* request = std::get_if<Request>(&message.body)) on(*request, from);
  // The rest is said among replicas.
  if (from >= cluster_.replicas) return true;
  if (const auto* prepare = std::get_if<Prepare>(&message.body)) acceptor_->on(*prepare, from, name);
  if (const auto* propose = std::get_if<Propose>(&message.body)) acceptor_->on(*propose, from, name);
  if (const auto* ask = std::get_if<Ask>(&message.body)) acceptor_->on(*ask, from);
  if (const auto* promise = std::get_if<Promise>(&message.body)) leader_->on(*promise, from, name);
  if (const auto* preempt = std::get_if<Preempt>(&message.body)) leader_->on(*preempt, from, name);
  if (const auto* accept = std::get_if<Accept>(&message.body)) learner_->on(*accept, from, name);
  if (const auto* beat = std::get_if<Beat>(&message.body)) ahead_ = std::max(ahead_, beat->next);
  return true;
}

void Replica::on(const Request& request, Peer from) {
  const Command& command = request.command;
  if (from < tenet::system::kClients || from != command.client) return;
  if (const Result* result = machine_.executed(command)) return answer(command.client, *result);
  if (!command.put && context_.has(fault::stale_cache)) return answer(command.client, machine_.read(command));
  // A client has one command under way; an older one was answered, or given up.
  const auto same = std::ranges::find(pending_, command.client, &Command::client);
  if (same == pending_.end()) {
    pending_.push_back(command);
  } else if (same->number < command.number) {
    *same = command;
  }
  if (driven_ != next_) drive();
}

void Replica::drive() {
  driven_ = next_;
  leader_->drive(next_);
}

std::string Replica::fresh(std::uint64_t) {
  Batch batch;
  for (const Command& command : pending_) {
    if (batch.commands.size() == cluster_.batch) break;
    batch.commands.push_back(command);
    if (context_.has(fault::answers_first) && command.put) {
      answer(command.client, {command.number, machine_.read(command).version + 1, {}});
    }
  }
  return tenet::system::encoded(batch);
}

void Replica::preempted(std::uint64_t slot) {
  // The more often, the longer: of two that get in one another's way one will be through before the other comes.
  attempts_ = std::min(attempts_ + 1, 6U);
  const Microseconds wait = cluster_.backoff / 4 + random_() % (cluster_.backoff << attempts_);
  context_.after(wait, [this, slot] {
    if (slot == next_ && driven_ == slot) leader_->drive(slot);
  });
}

void Replica::learned(std::uint64_t slot) {
  if (context_.has(fault::applies_out_of_order) && slot != next_) {
    execute(slot);
    executed_early_.insert(slot);
  }
  while (learner_->value(next_)) {
    if (executed_early_.erase(next_) == 0) execute(next_);
    ++next_;
    attempts_ = 0;
  }
  // Where this replica was the leader, the next slot is its to fill, too.
  if (!pending_.empty() && driven_ != next_) drive();
}

void Replica::execute(std::uint64_t slot) {
  Batch batch;
  // What is no batch was proposed by nobody here; it is as good as an empty one, and the same for all replicas.
  if (!tenet::system::decoded(*learner_->value(slot), batch)) return;
  for (const Command& command : batch.commands) {
    const Result result = machine_.apply(command);
    const auto waiting = std::ranges::find_if(
        pending_, [&](const Command& one) { return one.client == command.client && one.number == command.number; });
    if (waiting == pending_.end()) continue;
    pending_.erase(waiting);
    context_.reach(point::replica_applied);
    answer(command.client, result);
  }
}

void Replica::answer(Peer client, const Result& result) { context_.send(client, encode(Message{{}, Answer{result}})); }

void Replica::beat() {
  for (std::uint32_t other = 0; other < cluster_.replicas; ++other) {
    if (other != index_) context_.send(other, encode(Message{{}, Beat{next_}}));
  }
  const bool moved = next_ != std::exchange(next_at_beat_, next_);
  beats_behind_ = moved || ahead_ <= next_ ? 0 : beats_behind_ + 1;
  if (ahead_ > next_) {
    for (std::uint32_t other = 0; other < cluster_.replicas; ++other) {
      context_.send(other, encode(Message{{}, Ask{next_}}));
    }
    // No majority votes for one ballot any more: only a ballot of its own can tell what was chosen.
    if (beats_behind_ > 4 && driven_ != next_) drive();
  }
  context_.after(cluster_.beat, [this] { beat(); });
}

void Replica::retry() {
  const bool wanted = !pending_.empty() || beats_behind_ > 4;
  if (wanted && driven_ == next_) leader_->drive(next_);
  context_.after(cluster_.retry, [this] { retry(); });
}

}  // namespace replicated
