#include "sim.h"

#include <algorithm>

#include "backup.h"
#include "client.h"
#include "coordinator.h"
#include "master.h"
#include "tenet/system/sim.h"
#include "watch.h"
#include "witness.h"

namespace curp {

namespace {

using tenet::system::kSecond;
constexpr Microseconds kPatience = 120 * kSecond;  ///< of simulated time

/// One process of the system.
class Member final : public tenet::system::Process, public Context {
 public:
  Member(tenet::system::World& world, const Cluster& cluster, const Schedule& schedule, Node node)
      : Process(world, peer(node)), cluster_(cluster), schedule_(schedule), node_(node) {}

  void send(Node to, Message message) override {
    message.from = node_;
    send_bytes(peer(to), encode(message));
  }
  void after(Microseconds delay, std::function<void()> then) override { Process::after(delay, std::move(then)); }
  Microseconds now() override { return Process::now(); }
  [[nodiscard]] std::uint64_t boot() const override { return Process::boot(); }
  void reach(FailPoint) override { fail_point(); }
  [[nodiscard]] bool has(const Switch& fault) const override { return schedule_.fault == fault.name; }
  [[nodiscard]] Client& client() { return *client_; }

 private:
  std::string begin(bool first) override {
    switch (node_.kind) {
      case Kind::client:
        client_ = std::make_unique<Client>(*this, cluster_, node_.index);
        return {};
      case Kind::coordinator:
        coordinator_ = std::make_unique<Coordinator>(*this, cluster_);
        return coordinator_->open(disk(to_string(node_)));
      case Kind::master:
        master_ = std::make_unique<Master>(*this, cluster_, first && node_.index == 0);
        return {};
      case Kind::backup:
        backup_ = std::make_unique<Backup>(*this, cluster_, node_.index);
        return backup_->open(disk(to_string(node_)));
      case Kind::witness:
        witness_ = std::make_unique<Witness>(*this, cluster_, node_.index);
        return witness_->open(disk(to_string(node_)));
    }
    return "no such kind";
  }
  void end() override {
    client_.reset();
    coordinator_.reset();
    master_.reset();
    backup_.reset();
    witness_.reset();
  }
  void receive(tenet::system::Peer from, const std::string& bytes) override {
    Message message;
    if (!decode(bytes, message) || peer(message.from) != from) return;
    if (client_) client_->receive(message);
    if (coordinator_) coordinator_->receive(message);
    if (master_) master_->receive(message);
    if (backup_) backup_->receive(message);
    if (witness_) witness_->receive(message);
  }
  [[nodiscard]] bool mortal() const override { return node_.kind != Kind::client; }

  const Cluster& cluster_;
  const Schedule& schedule_;
  Node node_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Coordinator> coordinator_;
  std::unique_ptr<Master> master_;
  std::unique_ptr<Backup> backup_;
  std::unique_ptr<Witness> witness_;
};

class Play {
 public:
  Play(const Cluster& cluster, const Schedule& schedule, const std::filesystem::path& folder)
      : cluster_(cluster),
        schedule_(schedule),
        world_({.seed = schedule.seed,
                .power_loss = schedule.power_loss,
                .deaths = schedule.deaths,
                .slow_links = schedule.slow_links},
               folder) {}

  Outcome run();

 private:
  void plan_partitions();
  void next_operation(std::uint32_t client);

  const Cluster& cluster_;
  const Schedule& schedule_;
  tenet::system::World world_;
  std::vector<Member*> clients_;
  std::optional<Node> cut_off_;  ///< a master that the coordinator does not hear
  std::size_t begun_ = 0;
  std::vector<tenet::system::Operation> history_;
  Outcome outcome_;
};

void Play::plan_partitions() {
  for (std::size_t i = 0; i < schedule_.partitions; ++i) {
    world_.at(world_.below(3 * kSecond), [this] {
      cut_off_ = Node{Kind::master, static_cast<std::uint32_t>(world_.below(cluster_.masters))};
      world_.at(world_.now() + kSecond, [this] { cut_off_.reset(); });
    });
  }
}

void Play::next_operation(std::uint32_t index) {
  Client& client = clients_[index]->client();
  if (!client.idle() || begun_ == schedule_.operations) return;
  const std::size_t number = begun_++;
  const std::size_t place = history_.size();
  tenet::system::Operation operation;
  operation.client = index;
  operation.key = "k" + std::to_string(std::min(world_.below(schedule_.keys), world_.below(schedule_.keys)));
  operation.put = world_.below(100) >= schedule_.reads;
  if (operation.put) operation.value = "v" + std::to_string(number);
  operation.called = world_.tick();
  history_.push_back(operation);
  const auto done = [this, index, place](const Client::Outcome& outcome) {
    tenet::system::Operation& finished = history_[place];
    finished.returned = world_.tick();
    finished.version = outcome.version;
    if (!finished.put) finished.value = outcome.value;
    ++outcome_.done;
    if (finished.put && outcome.fast) ++outcome_.fast;
    world_.at(world_.now() + world_.below(20'000), [this, index] { next_operation(index); });
  };
  if (operation.put) {
    client.put(operation.key, operation.value, done);
  } else {
    client.get(operation.key, done);
  }
}

Outcome Play::run() {
  tenet::monitor::Options options;
  options.file = (world_.folder() / "rings").string();
  options.inline_mode = true;
  options.reveal = true;
  options.ring_bytes = std::size_t{16} << 20;
  options.rings = 2;
  options.memory_bytes = std::size_t{512} << 20;
  const auto monitor = tenet::monitor::Monitor::start(options, rules(cluster_), outcome_.watch.first_finding);
  if (!monitor) {
    outcome_.finished = false;
    return outcome_;
  }
  if (schedule_.only_local_rules_off) tenet::system::check_local_rules(*monitor, false);
  const auto make = [&](Kind kind, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      auto member = std::make_unique<Member>(world_, cluster_, schedule_, Node{kind, i});
      if (kind == Kind::client) clients_.push_back(member.get());
      world_.add(std::move(member));
    }
  };
  make(Kind::coordinator, 1);
  make(Kind::witness, cluster_.witnesses);
  make(Kind::backup, cluster_.backups);
  make(Kind::master, cluster_.masters);
  make(Kind::client, cluster_.clients);
  const tenet::system::Peer coordinator = peer({Kind::coordinator, 0});
  world_.reaches = [this, coordinator](tenet::system::Peer from, tenet::system::Peer to) {
    return !cut_off_ ||
           !((from == peer(*cut_off_) && to == coordinator) || (to == peer(*cut_off_) && from == coordinator));
  };
  world_.may_be_far = [coordinator](tenet::system::Peer one) { return one != coordinator; };
  world_.start();
  plan_partitions();
  for (std::uint32_t client = 0; client < cluster_.clients; ++client) next_operation(client);
  const auto look = [&] {
    (void)monitor->poll();
    outcome_.watch.look(*monitor);
  };
  world_.run(kPatience, [this] { return outcome_.done == schedule_.operations; }, look);
  (void)monitor->flush();
  outcome_.watch.look(*monitor);
  outcome_.finished = outcome_.done == schedule_.operations;
  outcome_.history = tenet::system::judge(history_);
  outcome_.died = world_.died();
  monitor->stop();
  world_.close();
  return outcome_;
}

}  // namespace

Outcome play(const Cluster& cluster, const Schedule& schedule, const std::filesystem::path& folder) {
  return Play(cluster, schedule, folder).run();
}

}  // namespace curp
