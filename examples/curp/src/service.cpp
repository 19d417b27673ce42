#include "service.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>

#include "backup.h"
#include "client.h"
#include "coordinator.h"
#include "master.h"
#include "tenet/system/host.h"
#include "tenet/system/net.h"
#include "watch.h"
#include "witness.h"

namespace curp {

namespace asio = boost::asio;

std::uint16_t port_of(std::uint16_t base, Node node) {
  return static_cast<std::uint16_t>(base + 20 * static_cast<unsigned>(node.kind) + node.index);
}

namespace {

/// The world of one role in a process.
class Host final : public Context {
 public:
  using Receive = std::function<void(const Message&)>;
  Host(asio::io_context& io, const Setup& setup, Node node, Death death, Receive receive)
      : io_(io),
        setup_(setup),
        node_(node),
        death_(death),
        boot_(tenet::system::new_boot()),
        receive_(std::move(receive)),
        transport(
            io, [base = setup.base_port](tenet::system::Peer to) { return listens_at(base, to); }, setup.delay,
            [this](std::string_view body) { return arrived(body); }) {}

  void send(Node to, Message message) override {
    message.from = node_;
    transport.send(peer(to), encode(message));
  }
  void after(Microseconds delay, std::function<void()> then) override {
    tenet::system::call_after(io_, delay, std::move(then));
  }
  Microseconds now() override { return tenet::system::clock_now(); }
  [[nodiscard]] std::uint64_t boot() const override { return boot_; }
  void reach(FailPoint point) override {
    if (point != death_.point || --death_.times > 0) return;
    if (death_.power_loss && disk != nullptr) disk->lose_power(boot_);
    ::kill(::getpid(), SIGKILL);
  }
  [[nodiscard]] bool has(const Switch& fault) const override { return setup_.fault == fault.name; }

  Disk* disk = nullptr;

 private:
  static std::optional<std::uint16_t> listens_at(std::uint16_t base, tenet::system::Peer to) {
    const Node node{static_cast<Kind>(to >> 32), static_cast<std::uint32_t>(to)};
    if (node.kind == Kind::client) return std::nullopt;
    return port_of(base, node);
  }
  bool arrived(std::string_view body) {
    Message message;
    if (!decode(body, message)) return false;
    if (message.from.kind == Kind::client && node_.kind != Kind::client) transport.answer_here(peer(message.from));
    receive_(message);
    return true;
  }

  asio::io_context& io_;
  const Setup& setup_;
  Node node_;
  Death death_;
  std::uint64_t boot_;
  Receive receive_;

 public:
  tenet::system::Transport transport;
};

std::string ring_file(const Setup& setup, const std::string& name) {
  return (setup.folder / (name + ".rings")).string();
}

std::unique_ptr<tenet::monitor::Monitor> record(const Setup& setup, const std::string& name) {
  tenet::monitor::Options options;
  options.ring_bytes = std::size_t{64} << 20;  // an event carries a log
  options.rings = 2;
  return setup.watched ? tenet::system::record_events(ring_file(setup, name), rules(setup.cluster), options) : nullptr;
}

template <class Role, class... Arguments>
std::string run(const Setup& setup, Node node, Death death, Arguments... arguments) {
  asio::io_context io(1);
  std::unique_ptr<Role> role;
  Host host(io, setup, node, death, [&role](const Message& message) {
    if (role) role->receive(message);
  });
  Disk disk(setup.folder / to_string(node));
  host.disk = &disk;
  const auto recorder = record(setup, to_string(node));
  role = std::make_unique<Role>(host, setup.cluster, arguments...);
  if constexpr (requires { role->open(disk); }) {
    if (std::string error = role->open(disk); !error.empty()) return error;
  }
  if (std::string error = host.transport.listen(port_of(setup.base_port, node)); !error.empty()) return error;
  tenet::system::stop_on_signals(io);
  io.run();
  return {};
}

}  // namespace

std::string serve(const Setup& setup, Node node, bool first, const Death& death) {
  switch (node.kind) {
    case Kind::coordinator:
      return run<Coordinator>(setup, node, death);
    case Kind::master:
      return run<Master>(setup, node, death, first && node.index == 0);
    case Kind::backup:
      return run<Backup>(setup, node, death, node.index);
    case Kind::witness:
      return run<Witness>(setup, node, death, node.index);
    case Kind::client:
      break;
  }
  return "a client is no server";
}

std::vector<Node> servers(const Cluster& cluster) {
  std::vector<Node> all;
  const auto add = [&](Kind kind, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) all.push_back({kind, i});
  };
  add(Kind::coordinator, 1);
  add(Kind::witness, cluster.witnesses);
  add(Kind::backup, cluster.backups);
  add(Kind::master, cluster.masters);
  return all;
}

std::vector<std::string> ring_files(const Setup& setup) {
  std::vector<std::string> files;
  for (const Node node : servers(setup.cluster)) files.push_back(ring_file(setup, to_string(node)));
  return files;
}

std::vector<std::string> words(const Setup& setup) {
  const Cluster& c = setup.cluster;
  std::vector<std::string> all;
  const auto add = [&](const char* name, auto value) {
    all.emplace_back(name);
    all.push_back(std::to_string(value));
  };
  add("--clients", c.clients);
  add("--masters", c.masters);
  add("--backups", c.backups);
  add("--witnesses", c.witnesses);
  add("--sync-after", c.sync_after);
  add("--sync-batch", c.sync_batch);
  add("--retry", c.retry);
  add("--dead-after", c.dead_after);
  add("--lease", c.lease);
  add("--port", setup.base_port);
  add("--delay", setup.delay);
  all.insert(all.end(), {"--folder", setup.folder.string()});
  if (c.synchronous) all.emplace_back("--synchronous");
  if (c.unreplicated) all.emplace_back("--unreplicated");
  if (setup.watched) all.emplace_back("--watched");
  if (!setup.fault.empty()) all.insert(all.end(), {"--fault", setup.fault});
  return all;
}

void launch(tenet::system::Launcher& launcher, const Setup& setup, Node node, bool first, const Death& death) {
  std::vector<std::string> all = {"node", to_string(node)};
  const std::vector<std::string> common = words(setup);
  all.insert(all.end(), common.begin(), common.end());
  if (first) all.emplace_back("--first");
  if (!death.point.empty()) {
    all.insert(all.end(), {"--die-at", death.point, "--die-times", std::to_string(death.times)});
  }
  if (death.power_loss) all.emplace_back("--power-loss");
  (void)launcher.start(to_string(node), std::move(all));
}

bool launch_all(tenet::system::Launcher& launcher, const Setup& setup) {
  std::filesystem::create_directories(setup.folder);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (const Node node : servers(setup.cluster)) launch(launcher, setup, node, true);
  return std::ranges::all_of(servers(setup.cluster), [&](Node node) {
    return tenet::system::wait_for_port(port_of(setup.base_port, node), end);
  });
}

namespace {

class Loader {
 public:
  Loader(const Setup& setup, const Load& load, const std::function<void()>& tick)
      : setup_(setup),
        load_(load),
        tick_(tick),
        recorder_(record(setup, "clients")),
        work_(load, tenet::system::clock_now) {}

  Report run() {
    const Microseconds begin = tenet::system::clock_now();
    for (std::uint32_t i = 0; i < setup_.cluster.clients; ++i) {
      seats_.push_back(std::make_unique<Seat>());
      Seat& seat = *seats_.back();
      seat.host = std::make_unique<Host>(io_, setup_, Node{Kind::client, i}, Death{}, [&seat](const Message& message) {
        if (seat.client) seat.client->receive(message);
      });
      seat.client = std::make_unique<Client>(*seat.host, setup_.cluster, i);
      next(i);
    }
    tenet::system::call_every(io_, 10'000, [&] {
      if (tick_) tick_();
      if (tenet::system::clock_now() - begin > load_.patience) io_.stop();
      return true;
    });
    io_.run();
    Report report{work_.report(), fast_};
    report.elapsed = tenet::system::clock_now() - begin;
    return report;
  }

 private:
  struct Seat {
    std::unique_ptr<Host> host;
    std::unique_ptr<Client> client;
  };

  void next(std::uint32_t index) {
    const auto place = work_.begin(index);
    if (!place) return;
    const tenet::system::Operation& operation = work_.operation(*place);
    const auto done = [this, index, place = *place](const Client::Outcome& outcome) {
      if (work_.operation(place).put && outcome.fast) ++fast_;
      work_.finish(place, outcome.version, outcome.value);
      if (work_.done()) return io_.stop();
      // Not from within the client, which is not done with this one yet.
      asio::post(io_, [this, index] { next(index); });
    };
    Client& client = *seats_[index]->client;
    if (operation.put) {
      client.put(operation.key, operation.value, done);
    } else {
      client.get(operation.key, done);
    }
  }

  const Setup& setup_;
  const Load& load_;
  const std::function<void()>& tick_;
  std::unique_ptr<tenet::monitor::Monitor> recorder_;
  asio::io_context io_{1};
  std::vector<std::unique_ptr<Seat>> seats_;
  tenet::system::Workload work_;
  std::size_t fast_ = 0;
};

}  // namespace

Report load(const Setup& setup, const Load& load, const std::function<void()>& tick) {
  return Loader(setup, load, tick).run();
}

}  // namespace curp
