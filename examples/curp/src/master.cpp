#include "master.h"

#include <algorithm>

namespace curp {

Master::Master(Context& context, const Cluster& cluster, bool serving) : context_(context), cluster_(cluster) {
  if (serving) begin(0, Phase::serving);
  alive();
}

template <class Event>
spec::MessageId Master::tell(Event event) {
  if (!watched() || !monitor_) return {};
  const auto log = told(log_, log_.size());
  const auto synced = told(log_, synced_);
  const auto syncing = told(log_, syncing_);
  const auto todo = told(todo_);
  return event(spec::MasterState{phase_, told(list_), witnesses_, log, synced, syncing, acknowledged_, todo});
}

/// The first moment of the master of an epoch: a host of the specification, which no process was before.
void Master::begin(std::uint64_t epoch, Phase phase) {
  stand_by();
  epoch_ = epoch;
  phase_ = phase;
  if (phase == Phase::serving) {
    for (std::uint32_t w = 0; w < cluster_.f(); ++w) witnesses_.push_back(w);
  }
  monitor_.emplace(static_cast<std::uint32_t>(epoch));
  tell([&](const auto& state) {
    // The masters to come began to wait when the coordinator first lived.
    epoch == 0 ? monitor_->begins({told(epoch_)}, state) : monitor_->recovers({told(epoch_)}, state);
    return spec::MessageId();
  });
}

void Master::stand_by() {
  ++progress_;
  monitor_.reset();
  phase_ = Phase::waiting;
  list_ = 0;
  witnesses_.clear();
  log_.clear();
  synced_ = syncing_ = 0;
  acknowledged_.clear();
  todo_.clear();
  saved_.reset();
  results_.clear();
  store_.clear();
  cache_.clear();
  has_.clear();
  replicate_.clear();
  awaited_.clear();
  reads_.clear();
  install_.reset();
  start_.clear();
  lease_until_ = 0;
}

void Master::alive() {
  context_.send({Kind::coordinator, 0}, {.epoch = phase_ == Phase::waiting ? kNoEpoch : epoch_,
                                         .body = Heartbeat{context_.boot(), context_.now()}});
  if (phase_ == Phase::serving) {
    for (const auto& [witness, name] : start_) {
      context_.send({Kind::witness, witness}, {.epoch = epoch_, .name = name, .body = Start{list_}});
    }
  }
  context_.after(cluster_.heartbeat, [this] { alive(); });
}

template <class Send>
void Master::insist(Send send) {
  send();
  context_.after(cluster_.retry, [this, send, progress = progress_] {
    if (progress == progress_) insist(send);
  });
}

void Master::receive(const Message& message) {
  if (const auto* promote = std::get_if<Promote>(&message.body)) return on(*promote, message);
  if (const auto* update = std::get_if<Update>(&message.body)) return on(*update, message);
  if (const auto* read = std::get_if<Read>(&message.body)) return on(*read, message);
  // The rest is for the master of one epoch.
  if (message.epoch != epoch_ || phase_ == Phase::waiting) return;
  if (const auto* backlog = std::get_if<Backlog>(&message.body)) on(*backlog, message);
  if (std::holds_alternative<Saved>(message.body)) on_saved(message);
  if (const auto* replicated = std::get_if<Replicated>(&message.body)) on(*replicated, message);
  if (const auto* install = std::get_if<Install>(&message.body)) on(*install, message);
  if (const auto* stuck = std::get_if<Stuck>(&message.body)) on(*stuck);
  if (const auto* lacks = std::get_if<Lacks>(&message.body)) {
    has_[message.from.index] = std::min<std::size_t>(lacks->count, log_.size());
    replicate(message.from.index);
  }
  if (const auto* lease = std::get_if<Lease>(&message.body)) lease_until_ = lease->sent + cluster_.lease;
  if (std::holds_alternative<Deposed>(message.body)) stand_by();
}

void Master::refuse(const Message& message, const Op& op, Why why) {
  context_.send(message.from, {.epoch = epoch_, .body = Refused{op, list_, why}});
}

// Recovery: a backup's log, then what a witness has saved, then all backups, then a new list.

void Master::on(const Promote& promote, const Message& message) {
  if (promote.boot != context_.boot()) return;
  if (message.epoch == epoch_ && (phase_ == Phase::recovered || phase_ == Phase::serving)) {
    context_.send({Kind::coordinator, 0}, {.epoch = epoch_, .body = Recovered{}});
  }
  if (message.epoch <= epoch_) return;
  begin(message.epoch, Phase::waiting);
  phase_ = Phase::fetching;
  list_ = promote.list;
  const spec::BackupId backup(promote.backup);
  const spec::WitnessId witness(promote.witness);
  const spec::MessageId step = tell([&](const auto& state) {
    return monitor_->receive_promote(told(message.name), spec::CoordinatorId(), told(promote.list), backup, witness,
                                     state);
  });
  const Name fetch = named(monitor_->sends_fetch(step, backup, told(epoch_)));
  const Name freeze = named(monitor_->sends_freeze(step, witness, told(list_)));
  insist([this, promote, fetch, freeze] {
    if (phase_ == Phase::fetching) {
      context_.send({Kind::backup, promote.backup}, {.epoch = epoch_, .name = fetch, .body = Fetch{}});
    }
    context_.send({Kind::witness, promote.witness}, {.epoch = epoch_, .name = freeze, .body = Freeze{list_}});
  });
}

void Master::on(const Backlog& backlog, const Message& message) {
  if (phase_ != Phase::fetching) return;
  log_ = backlog.entries;
  for (std::size_t i = 0; i < log_.size(); ++i) {
    const Request& request = log_[i].request;
    if (!context_.has(fault::forgets_results)) results_[request.op] = i;
    store_[request.op.key] = {log_[i].version, request.value, i};
  }
  phase_ = Phase::freezing;
  tell([&](const auto& state) {
    const auto entries = told(backlog.entries, backlog.entries.size());
    return monitor_->receive_backlog(told(message.name), spec::BackupId(message.from.index), entries, state);
  });
  if (const auto saved = std::exchange(saved_, std::nullopt)) on_saved(*saved);
}

bool Master::replayed(const Op& op) const {
  if (context_.has(fault::replays_again)) return false;
  if (context_.has(fault::replays_newest_only)) {
    return std::ranges::any_of(log_, [&](const Entry& entry) {
      return entry.request.op.client == op.client && entry.request.op.number >= op.number;
    });
  }
  return results_.contains(op);
}

void Master::on_saved(const Message& message) {
  const auto& saved = std::get<Saved>(message.body);
  if (saved.list != list_) return;
  if (phase_ == Phase::fetching) saved_ = message;  // it came before the log
  if (phase_ != Phase::freezing) return;
  ++progress_;
  todo_ = saved.requests;
  phase_ = Phase::replaying;
  tell([&](const auto& state) {
    const auto ops = told(saved.requests);
    return monitor_->receive_saved(told(message.name), spec::WitnessId(message.from.index), told(saved.list), ops,
                                   state);
  });
  while (!todo_.empty()) {
    const Request request = std::move(todo_.back());
    todo_.pop_back();
    if (!replayed(request.op)) execute(request);
    tell([&](const auto& state) { return monitor_->replay(told(request.op), state); });
    context_.reach(point::master_replaying);
  }
  sync();
}

void Master::on(const Install& install, const Message& message) {
  if (install.list <= list_) return;
  install_ = {install, message.name};
  try_install();
}

void Master::try_install() {
  if (!install_ || (phase_ != Phase::recovered && phase_ != Phase::serving)) return;
  if (synced_ != log_.size() && !context_.has(fault::installs_before_sync)) return sync();
  ++progress_;
  const auto [install, from_name] = *std::exchange(install_, std::nullopt);
  phase_ = Phase::serving;
  list_ = install.list;
  witnesses_ = install.witnesses;
  const spec::MessageId step = tell([&](const auto& state) {
    return monitor_->receive_install(told(from_name), spec::CoordinatorId(), told(install.list), install.witnesses,
                                     state);
  });
  start_.clear();
  for (const std::uint32_t witness : witnesses_) {
    start_[witness] = named(monitor_->sends_start(step, spec::WitnessId(witness), told(list_)));
    context_.send({Kind::witness, witness}, {.epoch = epoch_, .name = start_[witness], .body = Start{list_}});
  }
  const Name name = named(monitor_->sends_installed(step, spec::CoordinatorId(), told(list_)));
  insist([this, name, list = list_] {
    context_.send({Kind::coordinator, 0}, {.epoch = epoch_, .name = name, .body = Installed{list}});
  });
}

// Requests.

const Entry& Master::execute(const Request& request) {
  Stored& stored = store_[request.op.key];
  const std::uint64_t version = stored.version + 1;
  const std::size_t place = log_.size();
  if (!context_.has(fault::lost_update) || place % 8 != 7) stored = {version, request.value, place};
  if (!cache_.contains(request.op.key) || place % 2 == 0) cache_[request.op.key] = {version, request.value, place};
  results_[request.op] = place;
  return log_.emplace_back(request, version);
}

/// Whether the value of the key could still be lost.
bool Master::conflicts(const std::string& key) const {
  const auto found = store_.find(key);
  const std::size_t safe = context_.has(fault::conflict_check_too_early) ? syncing_ : synced_;
  return found != store_.end() && found->second.version > 0 && found->second.place >= safe;
}

void Master::on(const Update& update, const Message& message) {
  const Op& op = update.request.op;
  if (phase_ != Phase::serving || install_) return refuse(message, op, Why::not_serving);
  if (update.list != list_ && !context_.has(fault::serves_old_lists)) return refuse(message, op, Why::other_list);
  if (const auto found = results_.find(op); found != results_.end()) {
    if (found->second < synced_) return answer(found->second);
    awaited_.insert(found->second);
    return sync();
  }
  const bool at_once = !conflicts(op.key) || context_.has(fault::answers_despite_a_conflict);
  const Entry& entry = execute(update.request);
  const std::size_t place = log_.size() - 1;
  if (cluster_.unreplicated) {
    context_.send(message.from, {.epoch = epoch_, .body = Result{op, entry.version, update.list, true}});
    return;
  }
  const spec::MessageId step = tell([&](const auto& state) {
    return monitor_->receive_update(told(message.name), spec::ClientId(op.client), told(op), told(update.list), state);
  });
  context_.reach(point::master_executed);
  if (at_once && !cluster_.synchronous) {
    const Name name =
        named(monitor_->sends_result(step, spec::ClientId(op.client), told(entry), told(update.list), false));
    context_.send(message.from, {.epoch = epoch_, .name = name, .body = Result{op, entry.version, update.list, false}});
  }
  const bool waits = !at_once || update.sync;
  if (waits) awaited_.insert(place);
  if (waits || log_.size() - syncing_ >= cluster_.sync_batch) {
    sync();
  } else {
    sync_soon();
  }
  if (context_.has(fault::collects_before_sync)) collect(place);
}

/// Tells the result of a synced entry.
void Master::answer(std::size_t place) {
  const Entry& entry = log_[place];
  const Op& op = entry.request.op;
  const spec::MessageId step = tell([&](const auto& state) { return monitor_->answer(told(entry), state); });
  const Name name = named(monitor_->sends_result(step, spec::ClientId(op.client), told(entry), told(list_), true));
  context_.send({Kind::client, op.client},
                {.epoch = epoch_, .name = name, .body = Result{op, entry.version, list_, true}});
}

void Master::on(const Read& read, const Message& message) {
  const bool leased = context_.now() < lease_until_ || context_.has(fault::reads_without_lease);
  if (phase_ != Phase::serving || !leased) return refuse(message, {}, Why::not_serving);
  if (conflicts(read.key) && !context_.has(fault::reads_unsynced)) {
    reads_.emplace_back(message.from, read);
    return sync();
  }
  answer_read(message.from, read);
}

void Master::answer_read(Node client, const Read& read) {
  const auto& values = context_.has(fault::stale_cache) ? cache_ : store_;
  const auto found = values.find(read.key);
  const Stored stored = found == values.end() ? Stored() : found->second;
  const spec::MessageId step = tell(
      [&](const auto& state) { return monitor_->the_read(told_key(read.key), spec::ClientId(client.index), state); });
  const Name name = named(
      monitor_->sends_value(step, spec::ClientId(client.index), told_key(read.key), told(stored.version), told(list_)));
  context_.send(
      client,
      {.epoch = epoch_, .name = name, .body = Value{read.number, read.key, stored.value, stored.version, list_}});
}

// Synchronisation: one at a time.

void Master::sync_soon() {
  if (std::exchange(sync_planned_, true)) return;
  context_.after(cluster_.sync_after, [this] {
    sync_planned_ = false;
    sync();
  });
}

void Master::sync() {
  const bool first = phase_ == Phase::replaying && todo_.empty();
  const bool more = phase_ == Phase::serving && log_.size() > syncing_ && syncing_ == synced_;
  if (!first && !more) return;
  context_.reach(point::master_before_sync);
  ++progress_;
  if (first) phase_ = Phase::spreading;
  syncing_ = log_.size();
  // The baseline does not wait for more than its batch, and CURP sends whatever there is.
  if (cluster_.synchronous && !first) syncing_ = std::min(syncing_, synced_ + cluster_.sync_batch);
  acknowledged_.clear();
  const spec::MessageId step = tell([&](const auto& state) { return monitor_->sync(state); });
  for (std::uint32_t backup = 0; backup < cluster_.backups; ++backup) {
    if (watched()) {
      const auto log = told(log_, syncing_);
      replicate_[backup] = named(monitor_->sends_replicate(step, spec::BackupId(backup), told(epoch_), log));
    }
  }
  insist([this] {
    for (std::uint32_t backup = 0; backup < cluster_.backups; ++backup) {
      if (!acknowledged_.contains(backup)) replicate(backup);
    }
  });
}

void Master::replicate(std::uint32_t backup) {
  const std::size_t start = has_[backup];
  auto first = log_.begin() + static_cast<std::ptrdiff_t>(start);
  const auto last = log_.begin() + static_cast<std::ptrdiff_t>(std::max(start, syncing_));
  if (context_.has(fault::off_by_one_suffix) && start > 0 && last - first > 1) ++first;
  context_.send({Kind::backup, backup},
                {.epoch = epoch_, .name = replicate_[backup], .body = Replicate{start, {first, last}}});
}

void Master::on(const Replicated& replicated, const Message& message) {
  const auto count = static_cast<std::size_t>(replicated.count);
  std::size_t& has = has_[message.from.index];
  has = std::max(has, std::min(count, syncing_));
  if (count != syncing_ || (phase_ != Phase::spreading && synced_ == syncing_)) return;
  acknowledged_.insert(message.from.index);
  const std::size_t before = synced_;
  const bool all = acknowledged_.size() == cluster_.backups || context_.has(fault::synced_on_one_backup);
  if (all) {
    synced_ = syncing_;
    if (phase_ == Phase::spreading) phase_ = Phase::recovered;
  }
  tell([&](const auto& state) {
    const auto log = told(log_, count);
    return monitor_->receive_replicated(told(message.name), spec::BackupId(message.from.index), told(epoch_), log,
                                        state);
  });
  if (all) all_have(before);
}

/// All backups have the log up to `synced_`; they had it up to `before`.
void Master::all_have(std::size_t before) {
  ++progress_;
  if (phase_ == Phase::recovered) {
    context_.reach(point::master_recovered);
    insist([this] { context_.send({Kind::coordinator, 0}, {.epoch = epoch_, .body = Recovered{}}); });
    return;
  }
  context_.reach(point::master_synced);
  while (!awaited_.empty() && *awaited_.begin() < synced_) {
    answer(*awaited_.begin());
    awaited_.erase(awaited_.begin());
  }
  for (std::size_t place = before; place < synced_ && !cluster_.synchronous; ++place) collect(place);
  for (auto& [client, read] : std::exchange(reads_, {})) {
    if (conflicts(read.key)) {
      reads_.emplace_back(client, read);
    } else {
      answer_read(client, read);
    }
  }
  try_install();
  if (!awaited_.empty() || !reads_.empty()) {
    sync();
  } else if (log_.size() > synced_) {
    sync_soon();
  }
}

/// Lets the witnesses forget a request.
void Master::collect(std::size_t place) {
  const Entry& entry = log_[place];
  const spec::MessageId step = tell([&](const auto& state) { return monitor_->the_collect(told(entry), state); });
  for (const std::uint32_t witness : witnesses_) {
    const Name name =
        named(monitor_->sends_collect(step, spec::WitnessId(witness), told(list_), told(entry.request.op)));
    context_.send({Kind::witness, witness}, {.epoch = epoch_, .name = name, .body = Collect{list_, entry.request.op}});
  }
}

void Master::on(const Stuck& stuck) {
  const auto found = results_.find(stuck.op);
  if (phase_ == Phase::serving && found != results_.end() && found->second < synced_) collect(found->second);
}

}  // namespace curp
