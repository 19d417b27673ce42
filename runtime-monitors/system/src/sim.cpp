#include "tenet/system/sim.h"

#include <unistd.h>

#include <algorithm>

namespace tenet::system {

namespace {

struct Died {};

}  // namespace

std::filesystem::path schedule_folder(const std::string& name) {
  const std::filesystem::path memory = "/dev/shm";
  const bool there = ::access(memory.c_str(), W_OK) == 0;
  return (there ? memory : std::filesystem::temp_directory_path()) / (name + "-" + std::to_string(::getpid()));
}

void Process::send_bytes(Peer to, std::string bytes) { world_.send(*this, to, std::move(bytes)); }

void Process::after(Microseconds delay, std::function<void()> then) {
  world_.at(world_.now_ + delay, [this, boot = boot_, then = std::move(then)] {
    if (lives_ && boot == boot_) world_.guarded(*this, then);
  });
}

Microseconds Process::now() const { return world_.now_; }

void Process::fail_point() {
  if (world_.deaths_ > 0 && world_.below(world_.chances_.at_points) == 0) {
    --world_.deaths_;
    throw Died();
  }
}

Disk& Process::disk(const std::string& name) {
  if (!disk_) disk_ = std::make_unique<Disk>(world_.folder_ / name);
  return *disk_;
}

World::World(const Chances& chances, std::filesystem::path folder)
    : chances_(chances), folder_(std::move(folder)), random_(chances.seed) {
  std::filesystem::create_directories(folder_);
}

void World::add(std::unique_ptr<Process> process) {
  in_order_.push_back(process.get());
  processes_[process->self()] = std::move(process);
}

void World::start() {
  for (Process* process : in_order_) begin(*process, true);
  plan();
}

void World::send(Process& from, Peer to, std::string bytes) {
  if (reaches && !reaches(from.self_, to)) return;
  if (chances_.losses > 0 && below(100) < chances_.losses) return;
  const auto slow = slow_.find({from.self_, to});
  const Microseconds far = slow == slow_.end() ? 0 : slow->second;
  Microseconds& last = arrival_[{from.self_, to}];
  last = std::max(last + 1, now_ + 200 + far + below(below(20) == 0 ? 30'000 : 1'500));
  const auto come = [this, sender = from.self_, boot = from.boot_, to, bytes = std::move(bytes)] {
    arrive(sender, boot, to, bytes);
  };
  // A message that comes twice comes late, and so out of order.
  if (chances_.repeats > 0 && below(100) < chances_.repeats) at(last + below(200'000), come);
  at(last, come);
}

void World::arrive(Peer from, std::uint64_t boot, Peer to, const std::string& bytes) {
  // What a process sent before it died may have left it or not.
  if (boot != processes_.at(from)->boot_ && below(2) == 0) return;
  const auto found = processes_.find(to);
  if (found == processes_.end() || !found->second->lives_) return;
  guarded(*found->second, [&] { found->second->receive(from, bytes); });
}

void World::guarded(Process& process, const std::function<void()>& act) {
  try {
    act();
  } catch (const Died&) {
    death(process);
  }
}

void World::begin(Process& process, bool first) {
  process.boot_ = ++boots_;
  process.lives_ = true;
  // A process that cannot begin does not come up again.
  if (!process.begin(first).empty()) end(process, false);
}

void World::end(Process& process, bool power_loss) {
  process.lives_ = false;
  ++process.boot_;
  process.end();
  if (power_loss && process.disk_) process.disk_->lose_power(random_());
}

void World::death(Process& process) {
  ++died_;
  end(process, chances_.power_loss);
  at(now_ + 1'000 + below(900'000), [this, &process] { guarded(process, [&] { begin(process, false); }); });
}

/// Kills between messages; those at fail points come by themselves.
void World::plan() {
  deaths_ = chances_.deaths;
  for (std::size_t i = 0; i < chances_.deaths; ++i) {
    at(below(chances_.during), [this] {
      if (deaths_ == 0) return;
      std::vector<Process*> living;
      for (const auto& [peer, process] : processes_) {
        if (process->mortal() && process->lives_) living.push_back(process.get());
      }
      if (living.empty()) return;
      --deaths_;
      death(*living[below(living.size())]);
    });
  }
  // What one has sent can arrive long after what another has sent later. Clients first, whatever their numbers are: so
  // a seed means the same links for systems that number their processes in another way.
  std::vector<Peer> all;
  for (const bool mortal : {false, true}) {
    for (const auto& [peer, process] : processes_) {
      if (process->mortal() == mortal) all.push_back(peer);
    }
  }
  for (std::size_t i = 0; i < chances_.slow_links; ++i) {
    const Peer from = all[below(all.size())];
    const Peer to = all[below(all.size())];
    if (may_be_far && !(may_be_far(from) && may_be_far(to))) continue;
    slow_[{from, to}] = slow_[{to, from}] = below(400'000);
  }
}

void World::run(Microseconds patience, const std::function<bool()>& done, const std::function<void()>& look) {
  std::uint64_t happened = 0;
  while (!events_.empty() && now_ < patience && !done()) {
    Event event = events_.top();
    events_.pop();
    now_ = event.at;
    event.happen();
    if (++happened % 64 == 0) look();
  }
}

void World::close() {
  for (const auto& [peer, process] : processes_) {
    if (process->lives_) end(*process, false);
  }
}

}  // namespace tenet::system
