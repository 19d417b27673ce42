#include "tenet/system/schedule.h"

#include <optional>
#include <utility>
#include <vector>

#include "tenet/system/load.h"
#include "tenet/system/sim.h"

namespace tenet::system {

namespace {

/// One process of the system.
class Member final : public Process, public Context {
 public:
  Member(World& world, const System& system, const Schedule& schedule, Peer self, std::string name)
      : Process(world, self), system_(system), schedule_(schedule), name_(std::move(name)) {}

  void send(Peer to, std::string body) override {
    if (!gave_up_) send_bytes(to, std::move(body));
  }
  void after(Microseconds delay, std::function<void()> then) override {
    Process::after(delay, [this, then = std::move(then)] {
      if (!gave_up_) then();
    });
  }
  [[nodiscard]] Microseconds now() const override { return Process::now(); }
  [[nodiscard]] std::uint64_t boot() const override { return Process::boot(); }
  void reach(FailPoint) override { fail_point(); }
  void give_up(const std::string&) override { gave_up_ = true; }
  [[nodiscard]] bool has(const Switch& fault) const override { return schedule_.fault == fault.name; }
  [[nodiscard]] Client& client() { return *client_; }

 private:
  std::string begin(bool) override {
    gave_up_ = false;
    if (self() >= kClients) {
      client_ = system_.client(*this, self());
      return {};
    }
    role_ = system_.server(*this, self());
    return role_->open(disk(name_));
  }
  void end() override {
    client_.reset();
    role_.reset();
  }
  void receive(Peer from, const std::string& bytes) override {
    if (gave_up_) return;
    if (client_) (void)client_->receive(from, bytes);
    if (role_) (void)role_->receive(from, bytes);
  }
  [[nodiscard]] bool mortal() const override { return self() < kClients; }

  const System& system_;
  const Schedule& schedule_;
  std::string name_;
  bool gave_up_ = false;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Role> role_;
};

class Play {
 public:
  Play(const System& system, const Schedule& schedule, const std::filesystem::path& folder)
      : system_(system),
        schedule_(schedule),
        world_({.seed = schedule.seed,
                .power_loss = schedule.power_loss,
                .deaths = schedule.deaths,
                .slow_links = schedule.slow_links,
                .repeats = schedule.repeats,
                .losses = schedule.losses},
               folder),
        work_({.operations = schedule.operations,
               .keys = schedule.keys,
               .skew = 0.5,
               .reads = schedule.reads,
               .value_bytes = 0,
               .seed = schedule.seed},
              [this] { return world_.tick(); }) {}

  Outcome run();

 private:
  Member* add(Peer self, const std::string& name) {
    auto member = std::make_unique<Member>(world_, system_, schedule_, self, name);
    Member* added = member.get();
    world_.add(std::move(member));
    return added;
  }
  void plan_partitions(std::size_t servers);
  void next_operation(std::size_t client);

  const System& system_;
  const Schedule& schedule_;
  World world_;
  Workload work_;
  std::vector<Member*> clients_;
  std::optional<Peer> cut_off_;
};

void Play::plan_partitions(std::size_t servers) {
  world_.reaches = [this](Peer from, Peer to) {
    return !cut_off_ || from == to || (from != cut_off_ && to != cut_off_);
  };
  for (std::size_t i = 0; i < schedule_.partitions; ++i) {
    world_.at(world_.below(3 * kSecond), [this, servers] {
      cut_off_ = world_.below(servers);
      world_.at(world_.now() + world_.below(kSecond), [this] { cut_off_.reset(); });
    });
  }
}

void Play::next_operation(std::size_t index) {
  Client& client = clients_[index]->client();
  const auto place = work_.begin(static_cast<std::uint32_t>(index));
  if (!place) return;
  const auto done = [this, index, place = *place](const Answer& answer) {
    work_.finish(place, answer.version, answer.value);
    world_.at(world_.now() + world_.below(20'000), [this, index] { next_operation(index); });
  };
  const Operation& operation = work_.operation(*place);
  if (operation.put) {
    client.put(operation.key, operation.value, done);
  } else {
    client.get(operation.key, done);
  }
}

Outcome Play::run() {
  Outcome outcome;
  tenet::monitor::Options options;
  options.file = (world_.folder() / "rings").string();
  options.inline_mode = true;
  options.reveal = true;
  options.ring_bytes = std::size_t{16} << 20;
  options.rings = 2;
  options.memory_bytes = std::size_t{512} << 20;
  options.record = schedule_.record;
  const auto monitor = tenet::monitor::Monitor::start(options, system_.rules(), outcome.watch.first_finding);
  if (!monitor) {
    outcome.finished = false;
    return outcome;
  }
  if (schedule_.local_rules_off) check_local_rules(*monitor, false);
  const std::vector<std::string> servers = system_.servers();
  for (std::size_t i = 0; i < servers.size(); ++i) add(i, servers[i]);
  for (std::size_t i = 0; i < schedule_.clients; ++i) {
    clients_.push_back(add(kClients + i, "client" + std::to_string(i)));
  }
  world_.start();
  plan_partitions(servers.size());
  for (std::size_t client = 0; client < schedule_.clients; ++client) next_operation(client);
  world_.run(
      system_.patience(), [this] { return work_.done(); },
      [&] {
        (void)monitor->poll();
        outcome.watch.look(*monitor);
      });
  (void)monitor->flush();
  outcome.watch.look(*monitor);
  outcome.finished = work_.done();
  outcome.done = work_.finished();
  outcome.history = judge(work_.report().history);
  outcome.died = world_.died();
  monitor->stop();
  world_.close();
  return outcome;
}

}  // namespace

Outcome play(const System& system, const Schedule& schedule, const std::filesystem::path& folder) {
  std::filesystem::remove_all(folder);
  return Play(system, schedule, folder).run();
}

std::size_t campaign(const System& system, const Schedule& like, std::uint64_t seeds,
                     const std::filesystem::path& folder) {
  const auto all = system.faults();
  const Switch* one = switch_named(all, like.fault);
  const std::vector<Switch> faults = one != nullptr ? std::vector{*one} : std::vector<Switch>(all.begin(), all.end());
  return campaign(faults, seeds, [&](const Trial& trial) {
    Schedule now = like;
    now.seed = trial.seed;
    now.fault = faults[trial.fault].name;
    now.power_loss = like.power_loss || faults[trial.fault].needs_power_loss;
    now.local_rules_off = trial.local_rules_off;
    return play(system, now, folder);
  });
}

}  // namespace tenet::system
