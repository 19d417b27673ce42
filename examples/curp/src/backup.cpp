#include "backup.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace curp {

namespace {

// "log/" and the place, in digits that sort; "epoch".
std::string log_key(std::size_t place) {
  char digits[24];
  (void)std::snprintf(digits, sizeof digits, "log/%016zx", place);
  return digits;
}

}  // namespace

Backup::Backup(Context& context, const Cluster& cluster, std::uint32_t index)
    : context_(context), cluster_(cluster), monitor_(index) {}

template <class Event>
spec::MessageId Backup::tell(Event event) {
  if (!watched()) return {};
  const auto log = told(log_, log_.size());
  return event(spec::BackupState{told(epoch_), log});
}

std::string Backup::open(Disk& disk) {
  if (std::string error = store_.open(disk, "log"); !error.empty()) return error;
  bool first_life = true;
  for (const auto& [key, value] : store_.read("epoch")) {
    (void)std::from_chars(value.data(), value.data() + value.size(), epoch_);
    first_life = false;
  }
  for (const auto& [key, value] : store_.read("log/")) {
    if (!decode(value, log_.emplace_back())) return "an entry of the log cannot be read: " + key;
  }
  if (context_.has(fault::loses_last_of_backlog) && !log_.empty()) log_.pop_back();
  if (first_life) {
    if (std::string error = store_.write({{"epoch", "0"}}, true); !error.empty()) return error;
  }
  tell([&](const auto& state) {
    first_life ? monitor_.begins(state) : monitor_.recovers(state);
    return spec::MessageId();
  });
  alive();
  return {};
}

void Backup::alive() {
  context_.send({Kind::coordinator, 0}, {.body = Heartbeat{context_.boot(), context_.now()}});
  context_.after(cluster_.heartbeat, [this] { alive(); });
}

void Backup::receive(const Message& message) {
  if (const auto* replicate = std::get_if<Replicate>(&message.body)) on(*replicate, message);
  if (std::holds_alternative<Fetch>(message.body)) on_fetch(message);
}

/// Writes the epoch and the entries from `from` on; what was longer before is cut. False: nothing was written.
bool Backup::write(std::uint64_t epoch, std::size_t from, std::size_t old_size) {
  std::vector<Store::Change> changes;
  if (!context_.has(fault::forgets_its_epoch)) changes.push_back({"epoch", std::to_string(epoch)});
  for (std::size_t i = from; i < log_.size(); ++i) {
    Entry entry = log_[i];
    if (context_.has(fault::swapped_fields)) {
      const std::uint64_t number = entry.request.op.number;
      entry.request.op.number = entry.request.op.client;
      entry.request.op.client = static_cast<std::uint32_t>(number);
    }
    changes.push_back({log_key(i), encode(entry)});
  }
  for (std::size_t i = log_.size(); i < old_size; ++i) changes.push_back({log_key(i), {}, true});
  context_.reach(point::backup_before_write);
  const bool written = store_.write(changes, !context_.has(fault::backup_without_fsync)).empty();
  context_.reach(point::backup_written);
  return written;
}

void Backup::acknowledge(const Message& message, std::size_t count, spec::MessageId step) {
  Name name;
  if (watched()) {
    const auto log = told(log_, std::min(count, log_.size()));
    name = named(monitor_.sends_replicated(step, master_of(message.epoch), told(message.epoch), log));
  }
  context_.send(message.from, {.epoch = message.epoch, .name = name, .body = Replicated{count}});
  context_.reach(point::backup_acknowledged);
}

void Backup::on(const Replicate& replicate, const Message& message) {
  const bool fenced = message.epoch < epoch_;
  if (fenced && !context_.has(fault::takes_old_epochs)) {
    context_.send(message.from, {.epoch = message.epoch, .body = Deposed{}});
    return;
  }
  // Another epoch's log replaces this one; the same epoch's is continued.
  const bool same = message.epoch == epoch_;
  const std::size_t kept = same || fenced ? log_.size() : 0;
  if (replicate.start > kept) {
    context_.send(message.from, {.epoch = message.epoch, .body = Lacks{kept}});
    return;
  }
  const std::size_t count = replicate.start + replicate.entries.size();
  if (context_.has(fault::acknowledges_first)) acknowledge(message, count, {});
  std::vector<Entry> before = log_;
  log_.resize(same || fenced ? std::max(log_.size(), count) : count);
  std::ranges::copy(replicate.entries, log_.begin() + static_cast<std::ptrdiff_t>(replicate.start));
  if (!write(message.epoch, replicate.start, before.size())) {
    // Not acknowledged, so not promised; the master sends it again.
    log_ = std::move(before);
    return;
  }
  epoch_ = message.epoch;
  const spec::MessageId step = tell([&](const auto& state) {
    const auto log = told(log_, count);
    return monitor_.receive_replicate(told(message.name), master_of(message.epoch), told(message.epoch), log, state);
  });
  if (!context_.has(fault::acknowledges_first)) acknowledge(message, count, step);
}

void Backup::on_fetch(const Message& message) {
  if (message.epoch < epoch_) {
    context_.send(message.from, {.epoch = message.epoch, .body = Deposed{}});
    return;
  }
  if (message.epoch > epoch_) {
    const std::uint64_t before = std::exchange(epoch_, message.epoch);
    if (!write(epoch_, log_.size(), log_.size())) {
      epoch_ = before;
      return;
    }
    const spec::MessageId step = tell([&](const auto& state) {
      return monitor_.receive_fetch(told(message.name), master_of(message.epoch), told(message.epoch), state);
    });
    if (watched()) backlog_ = named(monitor_.sends_backlog(step, master_of(epoch_), told(log_, log_.size())));
  }
  context_.send(message.from, {.epoch = message.epoch, .name = backlog_, .body = Backlog{log_}});
}

}  // namespace curp
