#include "tenet/system/cluster.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <optional>
#include <utility>

#include "tenet/system/host.h"
#include "tenet/system/net.h"
#include "tenet/system/wire.h"

namespace tenet::system {

namespace asio = boost::asio;

namespace {

std::string with_sender(Peer from, std::string_view body) {
  Writer writer;
  writer(from);
  return std::move(writer.bytes) += body;
}

/// The world of one role in a process.
class Host final : public Context {
 public:
  /// False: no message.
  using Receive = std::function<bool(Peer from, std::string_view body)>;
  Host(asio::io_context& io, const Setup& setup, std::size_t servers, Peer self, Death death, Receive receive)
      : io_(io),
        setup_(setup),
        self_(self),
        death_(std::move(death)),
        boot_(new_boot()),
        receive_(std::move(receive)),
        transport(
            io, [&setup, servers](Peer to) { return to < servers ? std::optional(port_of(setup, to)) : std::nullopt; },
            setup.delay, [this](std::string_view body) { return arrived(body); }) {}

  void send(Peer to, std::string body) override {
    if (!trouble.empty()) return;
    if (to == self_) {
      asio::post(io_, [this, body = std::move(body)] { (void)take(self_, body); });
    } else {
      transport.send(to, with_sender(self_, body));
    }
  }
  void after(Microseconds delay, std::function<void()> then) override {
    call_after(io_, delay, [this, then = std::move(then)] {
      if (trouble.empty()) then();
    });
  }
  [[nodiscard]] Microseconds now() const override { return clock_now(); }
  [[nodiscard]] std::uint64_t boot() const override { return boot_; }
  void reach(FailPoint point) override {
    if (point == death_.point && --death_.times == 0) die(death_.power_loss);
  }
  void give_up(const std::string& why) override {
    trouble = why;
    io_.stop();
  }
  [[nodiscard]] bool has(const Switch& fault) const override { return setup_.fault == fault.name; }

  void die(bool power_loss) {
    if (power_loss && disk != nullptr) disk->lose_power(boot_);
    ::kill(::getpid(), SIGKILL);
  }

  Disk* disk = nullptr;
  std::string trouble;  ///< why it cannot go on

 private:
  bool arrived(std::string_view bytes) {
    Reader reader(bytes);
    Peer from = 0;
    reader(from);
    if (!reader.good) return false;
    // Clients do not listen: they are answered where they have asked.
    if (from >= kClients && self_ < kClients) transport.answer_here(from);
    return take(from, reader.rest);
  }
  bool take(Peer from, std::string_view body) { return !trouble.empty() || receive_(from, body); }

  asio::io_context& io_;
  const Setup& setup_;
  Peer self_;
  Death death_;
  std::uint64_t boot_;
  Receive receive_;

 public:
  Transport transport;
};

std::filesystem::path ring_file(const Setup& setup, const std::string& server) {
  return setup.folder / (server + ".rings");
}

}  // namespace

std::uint16_t port_of(const Setup& setup, Peer server) { return static_cast<std::uint16_t>(setup.base_port + server); }

std::vector<std::string> ring_files(const System& system, const Setup& setup) {
  std::vector<std::string> files;
  for (const std::string& server : system.servers()) files.push_back(ring_file(setup, server).string());
  return files;
}

std::string enveloped(Peer from, std::string_view body) { return frame(with_sender(from, body)); }

std::string serve(const System& system, const Setup& setup, Peer server, const Death& death) {
  const std::vector<std::string> servers = system.servers();
  const std::string& name = servers.at(server);
  asio::io_context io(1);
  std::unique_ptr<Role> role;
  Host host(io, setup, servers.size(), server, death,
            [&role](Peer from, std::string_view body) { return !role || role->receive(from, body); });
  Disk disk(setup.folder / name);
  host.disk = &disk;
  if (setup.disk_bytes > 0) disk.fill(setup.disk_bytes);
  asio::signal_set power(io, SIGUSR1);
  power.async_wait([&host](const boost::system::error_code& error, int) {
    if (!error) host.die(true);
  });
  stop_on_signals(io);
  // Who cannot record goes on without.
  tenet::monitor::Options options;
  options.sample_one_in = setup.sample_one_in;
  // Every life of the process has a ring of its own until what is in it was checked.
  options.ring_bytes = std::size_t{4} << 20;
  options.rings = 16;
  const auto recorder = setup.watched ? record_events(ring_file(setup, name), system.rules(), options) : nullptr;
  role = system.server(host, server);
  if (std::string error = role->open(disk); !error.empty()) return error;
  if (std::string error = host.transport.listen(port_of(setup, server)); !error.empty()) return error;
  io.run();
  return host.trouble;
}

std::vector<std::string> words(System& system, const Setup& setup) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& name, auto value) {
    all.push_back("--" + name);
    all.push_back(std::to_string(value));
  };
  for (const Setting& setting : system.settings()) add(setting.name, *setting.value);
  add("port", setup.base_port);
  add("delay", setup.delay);
  add("sample", setup.sample_one_in);
  add("watch-memory", setup.watch_megabytes);
  add("disk-bytes", setup.disk_bytes);
  all.insert(all.end(), {"--folder", setup.folder.string()});
  if (setup.watched) all.emplace_back("--watched");
  if (!setup.fault.empty()) all.insert(all.end(), {"--fault", setup.fault});
  return all;
}

void launch(Launcher& launcher, System& system, const Setup& setup, const std::string& server, const Death& death) {
  std::vector<std::string> all = {"node", server};
  const std::vector<std::string> shared = words(system, setup);
  all.insert(all.end(), shared.begin(), shared.end());
  if (!death.point.empty()) {
    all.insert(all.end(), {"--die-at", death.point, "--die-times", std::to_string(death.times)});
  }
  if (death.power_loss) all.emplace_back("--power-loss");
  (void)launcher.start(server, std::move(all));
}

bool launch_all(Launcher& launcher, System& system, const Setup& setup) {
  std::filesystem::create_directories(setup.folder);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  const std::vector<std::string> servers = system.servers();
  for (const std::string& server : servers) launch(launcher, system, setup, server);
  for (Peer server = 0; server < servers.size(); ++server) {
    if (!wait_for_port(port_of(setup, server), end)) return false;
  }
  return true;
}

std::unique_ptr<tenet::monitor::Monitor> watch(const System& system, const Setup& setup, const std::string& record,
                                               std::string& error) {
  tenet::monitor::Options options;
  options.watch = ring_files(system, setup);
  options.findings = (setup.folder / "findings.jsonl").string();
  options.record = record;
  options.reveal = true;
  options.memory_bytes = setup.watch_megabytes << 20;
  return tenet::monitor::Monitor::start(options, system.rules(), error);
}

namespace {

class Loader {
 public:
  Loader(const System& system, const Setup& setup, const Load& load, const std::function<void()>& tick)
      : system_(system), setup_(setup), load_(load), tick_(tick), work_(load, clock_now) {}

  Report run() {
    const Microseconds begin = clock_now();
    // Numbers that no client of this cluster had before.
    const Peer first = kClients + new_boot() % (kClients - setup_.clients);
    const std::size_t servers = system_.servers().size();
    for (std::uint32_t i = 0; i < setup_.clients; ++i) {
      seats_.push_back(std::make_unique<Seat>());
      Seat& seat = *seats_.back();
      seat.host.emplace(io_, setup_, servers, first + i, Death{}, [&seat](Peer from, std::string_view body) {
        return !seat.client || seat.client->receive(from, body);
      });
      seat.client = system_.client(*seat.host, first + i);
      free_.push_back(i);
    }
    if (load_.rate > 0) {
      fall_due(clock_now());
    } else {
      for (std::uint32_t i = 0; i < setup_.clients; ++i) next(i);
    }
    call_every(io_, 10'000, [&] {
      if (tick_) tick_();
      if (clock_now() - begin > load_.patience) io_.stop();
      return true;
    });
    io_.run();
    Report report = work_.report();
    report.elapsed = clock_now() - begin;
    return report;
  }

 private:
  struct Seat {
    std::optional<Host> host;
    std::unique_ptr<Client> client;
  };

  // Of an open loop: one operation falls due at `time`, and the next one after a gap.
  void fall_due(Microseconds time) {
    if (fallen_due_++ == load_.operations) return;
    const Microseconds now = clock_now();
    timer_.expires_after(std::chrono::microseconds(time > now ? time - now : 0));
    timer_.async_wait([this, time](const boost::system::error_code& error) {
      if (error) return;
      due_.push_back(time);
      begin_due();
      fall_due(time + work_.gap());
    });
  }

  void begin_due() {
    while (!due_.empty() && !free_.empty()) {
      const std::uint32_t client = free_.front();
      const Microseconds due = due_.front();
      free_.pop_front();
      due_.pop_front();
      next(client, due);
    }
  }

  void next(std::uint32_t index, Microseconds due = 0) {
    const auto place = work_.begin(index, due);
    if (!place) return;
    const auto done = [this, index, place = *place](const Answer& answer) {
      work_.finish(place, answer.version, answer.value);
      if (work_.done()) return io_.stop();
      // Not from within the client, which is not done with this one yet.
      asio::post(io_, [this, index] {
        if (load_.rate <= 0) return next(index);
        free_.push_back(index);
        begin_due();
      });
    };
    Client& client = *seats_[index]->client;
    const Operation& operation = work_.operation(*place);
    if (operation.put) {
      client.put(operation.key, operation.value, done);
    } else {
      client.get(operation.key, done);
    }
  }

  const System& system_;
  const Setup& setup_;
  const Load& load_;
  const std::function<void()>& tick_;
  asio::io_context io_{1};
  std::vector<std::unique_ptr<Seat>> seats_;
  Workload work_;
  // Of an open loop.
  asio::steady_timer timer_{io_};
  std::deque<std::uint32_t> free_;
  std::deque<Microseconds> due_;
  std::size_t fallen_due_ = 0;
};

}  // namespace

Report load(const System& system, const Setup& setup, const Load& load, const std::function<void()>& tick) {
  return Loader(system, setup, load, tick).run();
}

}  // namespace tenet::system
