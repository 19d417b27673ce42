#include "primary.h"

#include <cstdlib>
#include <utility>

namespace mysystem_service {

namespace sys = tenet::system;

namespace {

constexpr sys::Microseconds kRetry = 50'000;
const std::string kClientKeys = "client/";

spec::PrimaryState state_of(const PrimaryRecord& now) {
  return {told(now.version), told(now.value), now.stored, told(now.acknowledged)};
}

}  // namespace

Primary::Primary(sys::Context& context, std::uint32_t backups)
    : context_(context), backups_(backups), records_(store_, "key/") {}

std::string Primary::open(sys::Disk& disk) {
  if (std::string error = store_.open(disk, "primary"); !error.empty()) return error;
  for (const auto& [key, bytes] : store_.read(kClientKeys)) {
    const Peer client = std::strtoull(key.c_str() + kClientKeys.size(), nullptr, 10);
    if (!sys::decoded(bytes, done_[client])) return "a client's record cannot be read";
  }
  for (const std::string& key : records_.keys()) {
    const PrimaryRecord& now = at(key);
    if (now.acknowledged < now.version) busy_[key];
  }
  context_.after(kRetry, [this] { retry(); });
  return {};
}

PrimaryRecord& Primary::at(const std::string& key) {
  auto& entry = records_.at(key);
  if (!entry.introduced) {
    entry.introduced = true;
    const spec::PrimaryState state = state_of(entry.record);
    entry.stored ? monitor_.recovers(state, run_of(key)) : monitor_.begins(state, run_of(key));
  }
  return entry.record;
}

/// False: nothing was written, and nothing may be said.
bool Primary::write(const std::string& key, const PrimaryRecord& next, std::vector<sys::Store::Change> more) {
  context_.reach(point::primary_before_write);
  const bool fsync = !context_.has(fault::primary_without_fsync);
  const std::string error = records_.write(key, next, fsync, std::move(more));
  if (!error.empty()) {
    context_.give_up(error);
    return false;
  }
  context_.reach(point::primary_written);
  return true;
}

bool Primary::receive(Peer from, std::string_view body) {
  Message message;
  if (!decode(body, message)) return false;
  if (const auto* request = std::get_if<Request>(&message.body)) on(*request, from);
  if (const auto* stored = std::get_if<Stored>(&message.body)) on(*stored, from, message.name);
  return true;
}

void Primary::on(const Request& request, Peer from) {
  if (from < sys::kClients) return;
  const auto busy = busy_.find(request.key);
  if (busy != busy_.end()) {
    busy->second.push_back({from, request});
  } else {
    execute({from, request});
  }
}

/// Of a key that has no write under way.
void Primary::execute(const Asked& asked) {
  const Request& request = asked.request;
  const PrimaryRecord now = at(request.key);
  if (!request.put) {
    Reply answer{request.number, now.version, now.value.value_or("")};
    if (context_.has(fault::stale_cache)) {
      answer = cache_.try_emplace(request.key, answer).first->second;
      answer.number = request.number;
    }
    return reply(asked.client, answer);
  }
  const Done& done = done_[asked.client];
  if (request.number <= done.number && !context_.has(fault::executes_again)) {
    // It comes once more: the answer may have been lost. For an older one nobody waits.
    if (request.number == done.number) reply(asked.client, {done.number, done.version, {}});
    return;
  }
  put(asked);
}

void Primary::put(const Asked& asked) {
  const Request& request = asked.request;
  PrimaryRecord next = at(request.key);
  ++next.version;
  next.value = request.value;
  if (!context_.has(fault::keeps_old_answers)) next.stored.clear();
  next.client = asked.client;
  next.number = request.number;
  const Done done{request.number, next.version};
  if (!write(request.key, next, {{kClientKeys + std::to_string(asked.client), sys::encoded(done)}})) return;
  done_[asked.client] = done;
  busy_[request.key];
  if (next.version % 4 != 0) cache_[request.key] = {0, next.version, request.value};
  const MessageId step = monitor_.update(told(request.value), state_of(next), run_of(request.key));
  replicate(request.key, next, step, false);
  context_.reach(point::primary_sent);
  acknowledge_if_all(request.key);
}

/// Tells those who have not said that they have it. `again`: they were told before.
void Primary::replicate(const std::string& key, const PrimaryRecord& now, MessageId step, bool again) {
  const bool wrong = again && context_.has(fault::off_by_one);
  const Replicate replicate{key, wrong ? now.version - 1 : now.version, now.value.value_or("")};
  for (std::uint32_t backup = 0; backup < backups_; ++backup) {
    if (now.stored.contains(backup)) continue;
    const MessageId name = monitor_.sends_replicate(step, spec::BackupId(backup), told(replicate.version),
                                                    told(replicate.value), run_of(key));
    context_.send(1 + backup, encode(Message{name, replicate}));
  }
}

void Primary::on(const Stored& stored, Peer from, MessageId name) {
  if (from == 0 || from > backups_) return;
  const auto backup = static_cast<std::uint32_t>(from - 1);
  PrimaryRecord next = at(stored.key);
  if (stored.version != next.version && !context_.has(fault::counts_old_answers)) return;
  if (!next.stored.insert(backup).second) return;
  if (!write(stored.key, next)) return;
  monitor_.receive_stored(name, spec::BackupId(backup), told(stored.version), state_of(next), run_of(stored.key));
  acknowledge_if_all(stored.key);
}

void Primary::acknowledge_if_all(const std::string& key) {
  PrimaryRecord next = at(key);
  const std::size_t needed = context_.has(fault::acknowledges_early) ? 1 : backups_;
  if (next.acknowledged == next.version || next.stored.size() < needed) return;
  next.acknowledged = next.version;
  if (!write(key, next)) return;
  monitor_.acknowledge(state_of(next), run_of(key));
  reply(next.client, {next.number, next.version, {}});
  // Those who waited, until one of them begins the next write.
  auto waiting = busy_.extract(key);
  if (waiting.empty()) return;
  std::deque<Asked>& queue = waiting.mapped();
  while (!queue.empty() && !busy_.contains(key)) {
    const Asked asked = std::move(queue.front());
    queue.pop_front();
    execute(asked);
  }
  if (queue.empty()) return;
  std::deque<Asked>& later = busy_[key];
  later.insert(later.begin(), queue.begin(), queue.end());
}

void Primary::reply(Peer client, const Reply& reply) { context_.send(client, encode(Message{{}, reply})); }

void Primary::retry() {
  std::vector<std::string> keys;
  for (const auto& [key, waiting] : busy_) keys.push_back(key);
  for (const std::string& key : keys) {
    replicate(key, at(key), {}, true);
    acknowledge_if_all(key);  // it died before it could
  }
  context_.after(kRetry, [this] { retry(); });
}

}  // namespace mysystem_service
