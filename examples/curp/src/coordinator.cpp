#include "coordinator.h"

#include <algorithm>
#include <sstream>

namespace curp {

Coordinator::Coordinator(Context& context, const Cluster& cluster) : context_(context), cluster_(cluster), monitor_(0) {
  for (std::uint32_t w = 0; w < cluster.f(); ++w) witnesses_.push_back(w);
}

template <class Event>
spec::MessageId Coordinator::tell(Event event) {
  if (!watched()) return {};
  return event(spec::CoordinatorState{told(epoch_), told(list_), master_of(epoch_), witnesses_, told(proposed_),
                                      proposed_witnesses_});
}

bool Coordinator::write() {
  std::ostringstream text;
  text << epoch_ << ' ' << list_ << ' ' << process_ << ' ' << boot_ << ' ' << proposed_;
  for (const Witnesses* all : {&witnesses_, &proposed_witnesses_}) {
    text << ' ' << all->size();
    for (const std::uint32_t witness : *all) text << ' ' << witness;
  }
  return store_.write({{"state", text.str()}}, true).empty();
}

std::string Coordinator::open(Disk& disk) {
  if (std::string error = store_.open(disk, "coordinator"); !error.empty()) return error;
  bool first_life = true;
  for (const auto& [key, value] : store_.read("state")) {
    first_life = false;
    std::istringstream text(value);
    text >> epoch_ >> list_ >> process_ >> boot_ >> proposed_;
    for (Witnesses* all : {&witnesses_, &proposed_witnesses_}) {
      std::size_t size = 0;
      text >> size;
      all->resize(std::min<std::size_t>(size, cluster_.witnesses));
      for (std::uint32_t& witness : *all) text >> witness;
    }
    if (!text) return "the state cannot be read";
  }
  if (first_life && !write()) return "the state cannot be written";
  recovered_ = first_life;
  promoted_at_ = context_.now();
  choose_helpers();
  // Whoever lived when it was last up is given time to say so.
  leased_until_ = context_.now() + cluster_.lease;
  for (std::uint32_t i = 0; i < cluster_.masters; ++i) heard_[{Kind::master, i}] = context_.now();
  for (std::uint32_t i = 0; i < cluster_.witnesses; ++i) heard_[{Kind::witness, i}] = context_.now();
  for (std::uint32_t epoch = 1; first_life && watched() && epoch < cluster_.epochs; ++epoch) {
    spec::MasterMonitor(epoch).begins({epoch}, {spec::Phase::waiting, 0, {}, {}, {}, {}, {}, {}});
  }
  tell([&](const auto& state) {
    first_life ? monitor_.begins(state) : monitor_.recovers(state);
    return spec::MessageId();
  });
  context_.after(cluster_.heartbeat, [this] { watch(); });
  return {};
}

bool Coordinator::lives(Node node) const {
  const auto heard = heard_.find(node);
  return heard != heard_.end() && heard->second + cluster_.dead_after > context_.now();
}

/// Looks after the master and its witnesses, and repeats what was not answered.
void Coordinator::watch() {
  context_.after(cluster_.heartbeat, [this] { watch(); });
  if (!lives(master())) {
    // No read of the old master may come after a write of the new one.
    if (context_.now() >= leased_until_) promote();
    return;
  }
  if (!recovered_) {
    if (epoch_ == 0) {
      recovered_ = true;  // it never had anything to recover
      return;
    }
    // Whom it asks may be gone for good: another epoch asks others.
    if (context_.now() - promoted_at_ > 10 * cluster_.dead_after) return promote();
    context_.send(master(), {.epoch = epoch_, .name = promote_, .body = Promote{boot_, list_, backup_, witness_}});
    return;
  }
  if (proposed_ > list_) {
    context_.send(master(), {.epoch = epoch_, .name = install_, .body = Install{proposed_, proposed_witnesses_}});
    return;
  }
  const bool all_live = std::ranges::all_of(witnesses_, [&](std::uint32_t w) { return lives({Kind::witness, w}); });
  if (!all_live) propose();
}

void Coordinator::promote() {
  // Round robin, so that a process that dies of its promotion does not stop the others from trying.
  for (std::uint32_t i = 1; i <= cluster_.masters; ++i) {
    const std::uint32_t process = (process_ + i) % cluster_.masters;
    if (!lives({Kind::master, process}) || !boots_.contains(process)) continue;
    const std::uint32_t before = std::exchange(process_, process);
    const std::uint64_t boot = std::exchange(boot_, boots_[process]);
    ++epoch_;
    if (!write()) {
      process_ = before;
      boot_ = boot;
      --epoch_;
      return;
    }
    recovered_ = false;
    promoted_at_ = context_.now();
    choose_helpers();
    const spec::BackupId backup(backup_);
    const spec::WitnessId witness(witness_);
    const spec::MessageId step =
        tell([&](const auto& state) { return monitor_.promote(master_of(epoch_), backup, witness, state); });
    promote_ = named(monitor_.sends_promote(step, master_of(epoch_), told(list_), backup, witness));
    context_.send(master(), {.epoch = epoch_, .name = promote_, .body = Promote{boot_, list_, backup_, witness_}});
    return;
  }
}

/// Any backup and any witness of the list do; those that live answer sooner.
void Coordinator::choose_helpers() {
  backup_ = static_cast<std::uint32_t>(epoch_ % cluster_.backups);
  for (std::uint32_t i = 0; i < cluster_.backups && !lives({Kind::backup, backup_}); ++i) {
    backup_ = (backup_ + 1) % cluster_.backups;
  }
  std::size_t place = epoch_ % witnesses_.size();
  for (std::size_t i = 0; i < witnesses_.size() && !lives({Kind::witness, witnesses_[place]}); ++i) {
    place = (place + 1) % witnesses_.size();
  }
  witness_ = witnesses_[place];
}

/// The witnesses that live, those of the list first.
void Coordinator::propose() {
  Witnesses chosen;
  const auto take = [&](std::uint32_t witness) {
    if (chosen.size() < cluster_.f() && lives({Kind::witness, witness}) && !std::ranges::count(chosen, witness)) {
      chosen.push_back(witness);
    }
  };
  std::ranges::for_each(witnesses_, take);
  for (std::uint32_t w = 0; w < cluster_.witnesses; ++w) take(w);
  if (chosen.size() < cluster_.f()) return;  // not until enough live
  const Witnesses before = std::exchange(proposed_witnesses_, chosen);
  ++proposed_;
  if (!write()) {
    proposed_witnesses_ = before;
    --proposed_;
    return;
  }
  const spec::MessageId step = tell([&](const auto& state) { return monitor_.propose(proposed_witnesses_, state); });
  install_ = named(monitor_.sends_install(step, master_of(epoch_), told(proposed_), proposed_witnesses_));
  context_.send(master(), {.epoch = epoch_, .name = install_, .body = Install{proposed_, proposed_witnesses_}});
}

void Coordinator::receive(const Message& message) {
  if (message.from.kind != Kind::client) heard_[message.from] = context_.now();
  if (const auto* heartbeat = std::get_if<Heartbeat>(&message.body)) on(*heartbeat, message);
  if (const auto* installed = std::get_if<Installed>(&message.body)) on(*installed, message);
  if (std::holds_alternative<Recovered>(message.body) && message.from == master() && message.epoch == epoch_) {
    // A proposal to the master before it is none to this one.
    if (!std::exchange(recovered_, true)) propose();
  }
  if (std::holds_alternative<AskConfig>(message.body) && list_ > 0) {
    context_.send(message.from,
                  {.epoch = epoch_, .name = config_[message.from.index], .body = Config{list_, process_, witnesses_}});
  }
  if (std::holds_alternative<Stuck>(message.body)) {
    Message forwarded = message;
    forwarded.epoch = epoch_;
    context_.send(master(), std::move(forwarded));
  }
}

void Coordinator::on(const Heartbeat& heartbeat, const Message& message) {
  if (message.from.kind == Kind::master) boots_[message.from.index] = heartbeat.boot;
  if (message.from != master()) {
    if (message.from.kind == Kind::master && message.epoch < epoch_) {  // not kNoEpoch
      context_.send(message.from, {.epoch = message.epoch, .body = Deposed{}});
    }
    return;
  }
  if (message.epoch != epoch_) {
    // Its promotion is under way, or this is another life of the process, and what the master had is lost.
    if ((recovered_ || heartbeat.boot != boot_) && context_.now() >= leased_until_) promote();
    return;
  }
  leased_until_ = context_.now() + cluster_.lease;
  context_.send(message.from, {.epoch = epoch_, .body = Lease{heartbeat.sent}});
}

void Coordinator::on(const Installed& installed, const Message& message) {
  if (message.from != master() || message.epoch != epoch_ || installed.list != proposed_) return;
  if (proposed_ > list_) {
    const std::uint64_t list = std::exchange(list_, proposed_);
    const Witnesses witnesses = std::exchange(witnesses_, proposed_witnesses_);
    if (!write()) {
      list_ = list;
      witnesses_ = witnesses;
      return;
    }
    const spec::MessageId step = tell([&](const auto& state) {
      return monitor_.receive_installed(told(message.name), master_of(epoch_), told(installed.list), state);
    });
    for (std::uint32_t client = 0; client < cluster_.clients; ++client) {
      config_[client] =
          named(monitor_.sends_config(step, spec::ClientId(client), told(list_), master_of(epoch_), witnesses_));
    }
  }
  for (std::uint32_t client = 0; client < cluster_.clients; ++client) {
    context_.send({Kind::client, client},
                  {.epoch = epoch_, .name = config_[client], .body = Config{list_, process_, witnesses_}});
  }
}

}  // namespace curp
