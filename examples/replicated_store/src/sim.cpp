#include "sim.h"

#include <algorithm>

#include "client.h"
#include "replica.h"
#include "tenet/system/load.h"
#include "tenet/system/sim.h"

namespace replicated {

namespace {

using tenet::system::kSecond;
constexpr Microseconds kPatience = 20 * kSecond;  ///< of simulated time

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
  [[nodiscard]] std::uint64_t boot() const override { return Process::boot(); }
  void reach(FailPoint) override { fail_point(); }
  void give_up(const std::string&) override { gave_up_ = true; }
  [[nodiscard]] bool has(Fault fault) const override { return schedule_.fault == fault; }
  [[nodiscard]] Client& client() { return *client_; }
  [[nodiscard]] std::uint64_t slots() const { return replica_ ? replica_->next() : 0; }

 private:
  std::string begin(bool) override {
    gave_up_ = false;
    if (node_.kind == Kind::client) {
      client_.emplace(*this, cluster_, node_.index);
      return {};
    }
    replica_.emplace(*this, cluster_, static_cast<std::uint32_t>(node_.index));
    return replica_->open(disk(to_string(node_)));
  }
  void end() override {
    client_.reset();
    replica_.reset();
  }
  void receive(tenet::system::Peer from, const std::string& bytes) override {
    Message message;
    if (gave_up_ || !decode(bytes, message) || peer(message.from) != from) return;
    if (client_) client_->receive(message);
    if (replica_) replica_->receive(message);
  }
  [[nodiscard]] bool mortal() const override { return node_.kind == Kind::replica; }

  const Cluster& cluster_;
  const Schedule& schedule_;
  Node node_;
  bool gave_up_ = false;
  std::optional<Client> client_;
  std::optional<Replica> replica_;
};

class Play {
 public:
  Play(const Cluster& cluster, const Schedule& schedule, const std::filesystem::path& folder)
      : cluster_(cluster),
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
  void add(Node node) {
    auto member = std::make_unique<Member>(world_, cluster_, schedule_, node);
    (node.kind == Kind::client ? clients_ : replicas_).push_back(member.get());
    world_.add(std::move(member));
  }
  void plan_partitions();
  void next_operation(std::uint32_t client);

  const Cluster& cluster_;
  const Schedule& schedule_;
  tenet::system::World world_;
  tenet::system::Workload work_;
  std::vector<Member*> replicas_, clients_;
  std::optional<tenet::system::Peer> cut_off_;
};

void Play::plan_partitions() {
  world_.reaches = [this](tenet::system::Peer from, tenet::system::Peer to) {
    return !cut_off_ || from == to || (from != cut_off_ && to != cut_off_);
  };
  for (std::size_t i = 0; i < schedule_.partitions; ++i) {
    world_.at(world_.below(3 * kSecond), [this] {
      cut_off_ = replicas_[world_.below(replicas_.size())]->self();
      world_.at(world_.now() + world_.below(kSecond), [this] { cut_off_.reset(); });
    });
  }
}

void Play::next_operation(std::uint32_t index) {
  Client& client = clients_[index]->client();
  const auto place = work_.begin(index);
  if (!place) return;
  const auto done = [this, index, place = *place](const Result& result) {
    work_.finish(place, result.version, result.value);
    world_.at(world_.now() + world_.below(20'000), [this, index] { next_operation(index); });
  };
  const tenet::system::Operation& operation = work_.operation(*place);
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
  const auto monitor = tenet::monitor::Monitor::start(options, rules(cluster_), outcome.watch.first_finding);
  if (!monitor) {
    outcome.finished = false;
    return outcome;
  }
  if (schedule_.only_local_rules_off) tenet::system::check_local_rules(*monitor, false);
  for (std::uint32_t i = 0; i < cluster_.replicas; ++i) add({Kind::replica, i});
  for (std::uint32_t i = 0; i < schedule_.clients; ++i) add({Kind::client, i});
  world_.start();
  plan_partitions();
  for (std::uint32_t client = 0; client < schedule_.clients; ++client) next_operation(client);
  world_.run(
      kPatience, [this] { return work_.done(); },
      [&] {
        (void)monitor->poll();
        outcome.watch.look(*monitor);
      });
  (void)monitor->flush();
  outcome.watch.look(*monitor);
  outcome.finished = work_.done();
  outcome.done = work_.finished();
  outcome.history = tenet::system::judge(work_.report().history);
  outcome.died = world_.died();
  for (const Member* replica : replicas_) outcome.slots = std::max(outcome.slots, replica->slots());
  monitor->stop();
  world_.close();
  return outcome;
}

}  // namespace

Outcome play(const Cluster& cluster, const Schedule& schedule, const std::filesystem::path& folder) {
  return Play(cluster, schedule, folder).run();
}

}  // namespace replicated
