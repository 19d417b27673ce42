#include "sim.h"

#include <algorithm>
#include <set>

#include "backup.h"
#include "client.h"
#include "coordinator.h"
#include "master.h"
#include "watch.h"
#include "witness.h"

namespace curp {

namespace {

struct Died {};

constexpr Microseconds kSecond = 1'000'000;
constexpr Microseconds kPatience = 120 * kSecond;  ///< of simulated time

class World;

/// One process, in one life after the other.
class Process final : public Context {
 public:
  Process(World& world, Node node) : world_(world), node_(node) {}

  void send(Node to, Message message) override;
  void after(Microseconds delay, std::function<void()> then) override;
  Microseconds now() override;
  [[nodiscard]] std::uint64_t boot() const override { return boot_; }
  void reach(FailPoint point) override;
  [[nodiscard]] bool has(Fault fault) const override;

  void start(bool first);
  void die(bool power_loss);
  void receive(const Message& message);
  [[nodiscard]] bool lives() const { return lives_; }
  [[nodiscard]] Client* client() { return client_.get(); }

 private:
  World& world_;
  Node node_;
  std::uint64_t boot_ = 0;
  bool lives_ = false;
  std::unique_ptr<Disk> disk_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Coordinator> coordinator_;
  std::unique_ptr<Master> master_;
  std::unique_ptr<Backup> backup_;
  std::unique_ptr<Witness> witness_;
};

class World {
 public:
  World(const Cluster& cluster, const Schedule& schedule, std::filesystem::path folder)
      : cluster_(cluster), schedule_(schedule), folder_(std::move(folder)), random_(schedule.seed) {}

  Outcome run();

 private:
  friend class Process;
  struct Event {
    Microseconds at;
    std::uint64_t order;
    std::function<void()> happen;
    friend bool operator>(const Event& a, const Event& b) { return a.at != b.at ? a.at > b.at : a.order > b.order; }
  };

  void at(Microseconds when, std::function<void()> happen) { events_.push({when, order_++, std::move(happen)}); }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  Process& process(Node node) { return *processes_.at(node); }
  void deliver(Node from, Node to, const std::string& bytes);
  void guarded(Process& process, const std::function<void()>& act);
  void death(Process& process);
  void plan_deaths();
  [[nodiscard]] Microseconds far(Node from, Node to) const {
    const auto found = slow_.find({from, to});
    return found == slow_.end() ? 0 : found->second;
  }
  void next_operation(std::uint32_t client);
  void look(bool last);
  [[nodiscard]] bool quiet() const { return deaths_ == 0; }

  const Cluster& cluster_;
  const Schedule& schedule_;
  std::filesystem::path folder_;
  std::mt19937_64 random_;
  Microseconds now_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t boots_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::map<Node, std::unique_ptr<Process>> processes_;
  std::map<std::pair<Node, Node>, Microseconds> arrival_;  ///< of the last message from one to another
  std::map<std::pair<Node, Node>, Microseconds> slow_;
  std::optional<Node> cut_off_;  ///< a master that the coordinator does not hear
  std::size_t deaths_ = 0;       ///< that may still come
  std::size_t begun_ = 0;
  std::vector<Operation> history_;
  std::unique_ptr<tenet::monitor::Monitor> monitor_;
  Outcome outcome_;
};

void Process::send(Node to, Message message) {
  message.from = node_;
  const std::string bytes = encode(message);
  const bool master_to_coordinator = (to.kind == Kind::coordinator && world_.cut_off_ == node_) ||
                                     (node_.kind == Kind::coordinator && world_.cut_off_ == to);
  if (master_to_coordinator) return;
  Microseconds& last = world_.arrival_[{node_, to}];
  const Microseconds far = world_.far(node_, to);
  last = std::max(last + 1, world_.now_ + 200 + far + world_.below(world_.below(20) == 0 ? 30'000 : 1'500));
  world_.at(last, [this, to, bytes, boot = boot_] {
    // What a process sent before it died may have left it or not.
    if (boot != boot_ && world_.below(2) == 0) return;
    world_.deliver(node_, to, bytes);
  });
}

void Process::after(Microseconds delay, std::function<void()> then) {
  world_.at(world_.now_ + delay, [this, boot = boot_, then = std::move(then)] {
    if (lives_ && boot == boot_) world_.guarded(*this, then);
  });
}

Microseconds Process::now() { return world_.now_; }
bool Process::has(Fault fault) const { return world_.schedule_.fault == fault; }

void Process::reach(FailPoint) {
  if (world_.deaths_ > 0 && world_.below(60) == 0) {
    --world_.deaths_;
    throw Died();
  }
}

void Process::start(bool first) {
  boot_ = ++world_.boots_;
  lives_ = true;
  if (!disk_ && node_.kind != Kind::client && node_.kind != Kind::master) {
    disk_ = std::make_unique<Disk>(world_.folder_ / to_string(node_));
  }
  std::string error;
  switch (node_.kind) {
    case Kind::client:
      client_ = std::make_unique<Client>(*this, world_.cluster_, node_.index);
      break;
    case Kind::coordinator:
      coordinator_ = std::make_unique<Coordinator>(*this, world_.cluster_);
      error = coordinator_->open(*disk_);
      break;
    case Kind::master:
      master_ = std::make_unique<Master>(*this, world_.cluster_, first && node_.index == 0);
      break;
    case Kind::backup:
      backup_ = std::make_unique<Backup>(*this, world_.cluster_, node_.index);
      error = backup_->open(*disk_);
      break;
    case Kind::witness:
      witness_ = std::make_unique<Witness>(*this, world_.cluster_, node_.index);
      error = witness_->open(*disk_);
      break;
  }
  // A log that cannot be read: the process does not come up again.
  if (!error.empty()) die(false);
}

void Process::die(bool power_loss) {
  lives_ = false;
  ++boot_;
  client_.reset();
  coordinator_.reset();
  master_.reset();
  backup_.reset();
  witness_.reset();
  if (power_loss && disk_) disk_->lose_power(world_.random_());
}

void Process::receive(const Message& message) {
  if (client_) client_->receive(message);
  if (coordinator_) coordinator_->receive(message);
  if (master_) master_->receive(message);
  if (backup_) backup_->receive(message);
  if (witness_) witness_->receive(message);
}

void World::deliver(Node from, Node to, const std::string& bytes) {
  const auto found = processes_.find(to);
  if (found == processes_.end() || !found->second->lives()) return;
  Message message;
  if (!decode(bytes, message) || message.from != from) return;
  guarded(*found->second, [&] { found->second->receive(message); });
}

void World::guarded(Process& process, const std::function<void()>& act) {
  try {
    act();
  } catch (const Died&) {
    death(process);
  }
}

void World::death(Process& process) {
  ++outcome_.died;
  process.die(schedule_.power_loss);
  at(now_ + 1'000 + below(900'000), [this, &process] { guarded(process, [&] { process.start(false); }); });
}

/// Kills and cuts between messages; those at fail points come by themselves.
void World::plan_deaths() {
  deaths_ = schedule_.deaths;
  for (std::size_t i = 0; i < schedule_.deaths; ++i) {
    at(below(3 * kSecond), [this] {
      if (deaths_ == 0) return;
      std::vector<Process*> living;
      for (const auto& [node, process] : processes_) {
        if (node.kind != Kind::client && process->lives()) living.push_back(process.get());
      }
      if (living.empty()) return;
      --deaths_;
      death(*living[below(living.size())]);
    });
  }
  // Servers and clients far from a server: what one master has sent can arrive after the next one has begun.
  for (std::size_t i = 0; i < schedule_.slow_links; ++i) {
    const auto any = [&] {
      return std::next(processes_.begin(), static_cast<std::ptrdiff_t>(below(processes_.size())));
    };
    const Node from = any()->first;
    const Node to = any()->first;
    if (from.kind == Kind::coordinator || to.kind == Kind::coordinator) continue;
    slow_[{from, to}] = slow_[{to, from}] = below(400'000);
  }
  for (std::size_t i = 0; i < schedule_.partitions; ++i) {
    at(below(3 * kSecond), [this] {
      cut_off_ = Node{Kind::master, static_cast<std::uint32_t>(below(cluster_.masters))};
      at(now_ + kSecond, [this] { cut_off_.reset(); });
    });
  }
}

void World::next_operation(std::uint32_t index) {
  Process& process = *processes_.at({Kind::client, index});
  Client& client = *process.client();
  if (!client.idle() || begun_ == schedule_.operations) return;
  const std::size_t number = begun_++;
  const std::size_t place = history_.size();
  Operation operation;
  operation.client = index;
  operation.key = "k" + std::to_string(std::min(below(schedule_.keys), below(schedule_.keys)));
  operation.put = below(100) >= schedule_.reads;
  if (operation.put) operation.value = "v" + std::to_string(number);
  operation.called = order_++;
  history_.push_back(operation);
  const auto done = [this, index, place](const Client::Outcome& outcome) {
    Operation& finished = history_[place];
    finished.returned = order_++;
    finished.version = outcome.version;
    if (!finished.put) finished.value = outcome.value;
    ++outcome_.done;
    if (finished.put && outcome.fast) ++outcome_.fast;
    at(now_ + below(20'000), [this, index] { next_operation(index); });
  };
  if (operation.put) {
    client.put(operation.key, operation.value, done);
  } else {
    client.get(operation.key, done);
  }
}

void World::look(bool last) {
  if (last) {
    (void)monitor_->flush();
  } else {
    (void)monitor_->poll();
  }
  const tenet::monitor::Summary summary = monitor_->summary();
  outcome_.events = summary.events;
  outcome_.gaps = summary.gaps;
  const auto rules = monitor_->rules();
  for (const auto& rule : rules) {
    if (rule.count.violated == 0 || std::ranges::count(outcome_.violated, rule.info.name, &Violated::rule)) continue;
    outcome_.violated.push_back({rule.info.name, rule.info.kind});
    if (!outcome_.events_until) outcome_.events_until = summary.events;
  }
  if (!outcome_.violated.empty() && outcome_.first_finding.empty() && !monitor_->findings().empty()) {
    outcome_.first_finding = monitor_->findings().front();
  }
}

Outcome World::run() {
  std::filesystem::create_directories(folder_);
  tenet::monitor::Options options;
  options.file = (folder_ / "rings").string();
  options.inline_mode = true;
  options.reveal = true;
  options.ring_bytes = std::size_t{16} << 20;
  options.rings = 2;
  options.memory_bytes = std::size_t{512} << 20;
  std::string error;
  monitor_ = tenet::monitor::Monitor::start(options, rules(cluster_), error);
  if (!monitor_) {
    outcome_.first_finding = error;
    outcome_.finished = false;
    return outcome_;
  }
  if (schedule_.only_local_rules_off) {
    for (const auto& rule : monitor_->rules()) {
      if (rule.info.kind == "guard" || rule.info.kind == "effect") (void)monitor_->switch_rule(rule.info.name, false);
    }
  }
  const auto make = [&](Kind kind, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      processes_[{kind, i}] = std::make_unique<Process>(*this, Node{kind, i});
      processes_[{kind, i}]->start(true);
    }
  };
  make(Kind::coordinator, 1);
  make(Kind::witness, cluster_.witnesses);
  make(Kind::backup, cluster_.backups);
  make(Kind::master, cluster_.masters);
  make(Kind::client, cluster_.clients);
  plan_deaths();
  for (std::uint32_t client = 0; client < cluster_.clients; ++client) next_operation(client);

  std::uint64_t happened = 0;
  while (!events_.empty() && now_ < kPatience && outcome_.done < schedule_.operations) {
    Event event = events_.top();
    events_.pop();
    now_ = event.at;
    event.happen();
    if (++happened % 64 == 0) look(false);
  }
  look(true);
  outcome_.finished = outcome_.done == schedule_.operations;
  outcome_.history = judge(history_);
  monitor_->stop();
  processes_.clear();
  return outcome_;
}

}  // namespace

Outcome play(const Cluster& cluster, const Schedule& schedule, const std::filesystem::path& folder) {
  World world(cluster, schedule, folder);
  return world.run();
}

}  // namespace curp
