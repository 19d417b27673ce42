#include "backup.h"

namespace mysystem_service {

namespace sys = tenet::system;

namespace {

spec::BackupState state_of(const BackupRecord& now) { return {told(now.version), told(now.value)}; }

}  // namespace

Backup::Backup(sys::Context& context, std::uint32_t index)
    : context_(context), records_(store_, "key/"), monitor_(index) {}

std::string Backup::open(sys::Disk& disk) { return store_.open(disk, "backup"); }

bool Backup::receive(Peer from, std::string_view body) {
  Message message;
  if (!decode(body, message)) return false;
  const auto* replicate = std::get_if<Replicate>(&message.body);
  if (replicate != nullptr && from == 0) on(*replicate, message.name);
  return true;
}

BackupRecord& Backup::at(const std::string& key) {
  auto& entry = records_.at(key);
  if (!entry.introduced) {
    entry.introduced = true;
    const spec::BackupState state = state_of(entry.record);
    entry.stored ? monitor_.recovers(state, run_of(key)) : monitor_.begins(state, run_of(key));
  }
  return entry.record;
}

/// False: nothing was written, and nothing may be said.
bool Backup::write(const std::string& key, const BackupRecord& next) {
  context_.reach(point::backup_before_write);
  const std::string error = records_.write(key, next, !context_.has(fault::backup_without_fsync));
  if (!error.empty()) {
    context_.give_up(error);
    return false;
  }
  context_.reach(point::backup_written);
  return true;
}

void Backup::on(const Replicate& replicate, MessageId name) {
  BackupRecord next = at(replicate.key);
  const bool newer = replicate.version > next.version || context_.has(fault::takes_old_versions);
  if (newer) {
    if (context_.has(fault::answers_first)) answer(replicate.key, replicate.version, {});
    next.version = replicate.version;
    if (!context_.has(fault::forgets_the_value)) next.value = replicate.value;
    if (!write(replicate.key, next)) return;
    const MessageId step = monitor_.receive_replicate(name, spec::PrimaryId(0), told(replicate.version),
                                                      told(replicate.value), state_of(next), run_of(replicate.key));
    if (!context_.has(fault::answers_first)) answer(replicate.key, replicate.version, step);
  } else if (replicate.version == next.version) {
    // Once more: the answer may have been lost.
    answer(replicate.key, replicate.version, {});
  }
}

void Backup::answer(const std::string& key, std::uint64_t version, MessageId step) {
  const MessageId name = monitor_.sends_stored(step, spec::PrimaryId(0), told(version), run_of(key));
  context_.send(0, encode(Message{name, Stored{key, version}}));
  context_.reach(point::backup_sent);
}

}  // namespace mysystem_service
