#include "service.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>

#include "client.h"
#include "replica.h"
#include "tenet/system/host.h"
#include "tenet/system/net.h"

namespace replicated {

namespace asio = boost::asio;

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
            io, [&setup](tenet::system::Peer to) { return listens_at(setup, to); }, setup.delay,
            [this](std::string_view body) { return arrived(body); }) {}

  void send(Node to, Message message) override {
    message.from = node_;
    if (to == node_) {
      asio::post(io_, [this, message = std::move(message)] { take(message); });
    } else {
      transport.send(peer(to), encode(message));
    }
  }
  void after(Microseconds delay, std::function<void()> then) override {
    tenet::system::call_after(io_, delay, [this, then = std::move(then)] {
      if (trouble.empty()) then();
    });
  }
  [[nodiscard]] std::uint64_t boot() const override { return boot_; }
  void reach(FailPoint point) override {
    if (point != death_.point || --death_.times > 0) return;
    die(death_.power_loss);
  }
  void give_up(const std::string& why) override {
    trouble = why;
    io_.stop();
  }
  [[nodiscard]] bool has(Fault fault) const override { return setup_.fault == fault; }

  void die(bool power_loss) {
    if (power_loss && disk != nullptr) disk->lose_power(boot_);
    ::kill(::getpid(), SIGKILL);
  }

  tenet::system::Disk* disk = nullptr;
  std::string trouble;  ///< why it cannot go on

 private:
  static std::optional<std::uint16_t> listens_at(const Setup& setup, tenet::system::Peer to) {
    for (std::uint64_t replica = 0; replica < setup.cluster.replicas; ++replica) {
      if (to == peer({Kind::replica, replica})) return port_of(setup, replica);
    }
    return std::nullopt;
  }
  bool arrived(std::string_view body) {
    Message message;
    if (!decode(body, message)) return false;
    if (message.from.kind == Kind::client && node_.kind != Kind::client) transport.answer_here(peer(message.from));
    take(message);
    return true;
  }
  void take(const Message& message) {
    if (trouble.empty()) receive_(message);
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

std::filesystem::path ring_file(const Setup& setup, const std::string& name) {
  return setup.folder / (name + ".rings");
}

}  // namespace

std::uint16_t port_of(const Setup& setup, std::uint64_t replica) {
  return static_cast<std::uint16_t>(setup.base_port + replica);
}

std::string serve(const Setup& setup, std::uint32_t replica, const Death& death) {
  const Node node{Kind::replica, replica};
  asio::io_context io(1);
  std::optional<Replica> role;
  Host host(io, setup, node, death, [&role](const Message& message) {
    if (role) role->receive(message);
  });
  tenet::system::Disk disk(setup.folder / to_string(node));
  host.disk = &disk;
  if (setup.disk_bytes > 0) disk.fill(setup.disk_bytes);
  asio::signal_set power(io, SIGUSR1);
  power.async_wait([&host](const boost::system::error_code& error, int) {
    if (!error) host.die(true);
  });
  tenet::system::stop_on_signals(io);
  // Who cannot record goes on without.
  tenet::monitor::Options options;
  options.sample_one_in = setup.sample_one_in;
  // Every life of the process has a ring of its own until what is in it was checked.
  options.ring_bytes = std::size_t{4} << 20;
  options.rings = 16;
  const auto recorder =
      setup.watched ? tenet::system::record_events(ring_file(setup, to_string(node)), rules(setup.cluster), options)
                    : nullptr;
  role.emplace(host, setup.cluster, replica);
  if (std::string error = role->open(disk); !error.empty()) return error;
  if (std::string error = host.transport.listen(port_of(setup, replica)); !error.empty()) return error;
  io.run();
  return host.trouble;
}

std::vector<std::string> servers(const Setup& setup) {
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < setup.cluster.replicas; ++i) all.push_back(to_string({Kind::replica, i}));
  return all;
}

std::vector<std::string> ring_files(const Setup& setup) {
  std::vector<std::string> files;
  for (const std::string& server : servers(setup)) files.push_back(ring_file(setup, server).string());
  return files;
}

std::vector<std::string> words(const Setup& setup) {
  std::vector<std::string> all;
  const auto add = [&](const char* name, auto value) {
    all.emplace_back(name);
    all.push_back(std::to_string(value));
  };
  add("--replicas", setup.cluster.replicas);
  add("--batch", setup.cluster.batch);
  add("--retry", setup.cluster.retry);
  add("--port", setup.base_port);
  add("--delay", setup.delay);
  add("--sample", setup.sample_one_in);
  add("--disk-bytes", setup.disk_bytes);
  all.insert(all.end(), {"--folder", setup.folder.string()});
  if (setup.watched) all.emplace_back("--watched");
  for (const FaultInfo& fault : all_faults()) {
    if (fault.fault == setup.fault) all.insert(all.end(), {"--fault", std::string(fault.name)});
  }
  return all;
}

void launch(tenet::system::Launcher& launcher, const Setup& setup, const std::string& server, const Death& death) {
  std::vector<std::string> all = {"node", server};
  const std::vector<std::string> shared = words(setup);
  all.insert(all.end(), shared.begin(), shared.end());
  if (death.point != FailPoint::none) {
    all.insert(all.end(),
               {"--die-at", std::string(to_string(death.point)), "--die-times", std::to_string(death.times)});
  }
  if (death.power_loss) all.emplace_back("--power-loss");
  (void)launcher.start(server, std::move(all));
}

bool launch_all(tenet::system::Launcher& launcher, const Setup& setup) {
  std::filesystem::create_directories(setup.folder);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (const std::string& server : servers(setup)) launch(launcher, setup, server);
  for (std::uint64_t i = 0; i < setup.cluster.replicas; ++i) {
    if (!tenet::system::wait_for_port(port_of(setup, i), end)) return false;
  }
  return true;
}

namespace {

class Loader {
 public:
  Loader(const Setup& setup, const Load& load, const std::function<void()>& tick)
      : setup_(setup), load_(load), tick_(tick), work_(load, tenet::system::clock_now) {}

  Report run() {
    const Microseconds begin = tenet::system::clock_now();
    // Numbers that no client of this cluster had before.
    const std::uint64_t first = tenet::system::new_boot() % (kClients - setup_.clients);
    for (std::uint32_t i = 0; i < setup_.clients; ++i) {
      seats_.push_back(std::make_unique<Seat>());
      Seat& seat = *seats_.back();
      seat.host.emplace(io_, setup_, Node{Kind::client, first + i}, Death{}, [&seat](const Message& message) {
        if (seat.client) seat.client->receive(message);
      });
      seat.client.emplace(*seat.host, setup_.cluster, first + i);
      next(i);
    }
    tenet::system::call_every(io_, 10'000, [&] {
      if (tick_) tick_();
      if (tenet::system::clock_now() - begin > load_.patience) io_.stop();
      return true;
    });
    io_.run();
    Report report = work_.report();
    report.elapsed = tenet::system::clock_now() - begin;
    return report;
  }

 private:
  struct Seat {
    std::optional<Host> host;
    std::optional<Client> client;
  };

  void next(std::uint32_t index) {
    const auto place = work_.begin(index);
    if (!place) return;
    const auto done = [this, index, place = *place](const Result& result) {
      work_.finish(place, result.version, result.value);
      if (work_.done()) return io_.stop();
      // Not from within the client, which is not done with this one yet.
      asio::post(io_, [this, index] { next(index); });
    };
    Client& client = *seats_[index]->client;
    const tenet::system::Operation& operation = work_.operation(*place);
    if (operation.put) {
      client.put(operation.key, operation.value, done);
    } else {
      client.get(operation.key, done);
    }
  }

  const Setup& setup_;
  const Load& load_;
  const std::function<void()>& tick_;
  asio::io_context io_{1};
  std::vector<std::unique_ptr<Seat>> seats_;
  tenet::system::Workload work_;
};

}  // namespace

Report load(const Setup& setup, const Load& load, const std::function<void()>& tick) {
  return Loader(setup, load, tick).run();
}

}  // namespace replicated
