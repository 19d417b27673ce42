#include "service.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

#include "backup.h"
#include "client.h"
#include "coordinator.h"
#include "master.h"
#include "net.h"
#include "watch.h"
#include "witness.h"

namespace curp {

namespace asio = boost::asio;

namespace {

Microseconds clock_now() {
  using namespace std::chrono;
  return static_cast<Microseconds>(duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count());
}

/// The world of one role in a process.
class Host final : public Context {
 public:
  Host(asio::io_context& io, const Setup& setup, Node node, Death death, Transport::Receive receive)
      : io_(io),
        setup_(setup),
        node_(node),
        death_(death),
        boot_(clock_now() ^ (static_cast<std::uint64_t>(::getpid()) << 40)),
        transport(io, node, setup.base_port, setup.delay, std::move(receive)) {}

  void send(Node to, Message message) override {
    message.from = node_;
    transport.send(to, message);
  }
  void after(Microseconds delay, std::function<void()> then) override {
    auto timer = std::make_shared<asio::steady_timer>(io_, std::chrono::microseconds(delay));
    timer->async_wait([timer, then = std::move(then)](const boost::system::error_code& error) {
      if (!error) then();
    });
  }
  Microseconds now() override { return clock_now(); }
  [[nodiscard]] std::uint64_t boot() const override { return boot_; }
  void reach(FailPoint point) override {
    if (point != death_.point || --death_.times > 0) return;
    if (death_.power_loss && disk != nullptr) disk->lose_power(boot_);
    ::kill(::getpid(), SIGKILL);
  }
  [[nodiscard]] bool has(Fault fault) const override { return setup_.fault == fault; }

  Disk* disk = nullptr;

 private:
  asio::io_context& io_;
  const Setup& setup_;
  Node node_;
  Death death_;
  std::uint64_t boot_;

 public:
  Transport transport;
};

std::string ring_file(const Setup& setup, const std::string& name) {
  return (setup.folder / (name + ".rings")).string();
}

/// Records the events of this process; whoever watches checks them. If it cannot, the service goes on without.
std::unique_ptr<tenet::monitor::Monitor> record(const Setup& setup, const std::string& name) {
  if (!setup.watched) return nullptr;
  tenet::monitor::Options options;
  options.file = ring_file(setup, name);
  options.record_only = true;
  options.ring_bytes = std::size_t{64} << 20;
  options.rings = 2;
  std::string error;
  return tenet::monitor::Monitor::start(options, rules(setup.cluster), error);
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
  if (std::string error = host.transport.listen(); !error.empty()) return error;
  asio::signal_set signals(io, SIGTERM, SIGINT);
  signals.async_wait([&io](const auto&, int) { io.stop(); });
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

std::vector<std::string> ring_files(const Setup& setup) {
  std::vector<std::string> files;
  const auto add = [&](Kind kind, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) files.push_back(ring_file(setup, to_string({kind, i})));
  };
  add(Kind::coordinator, 1);
  add(Kind::master, setup.cluster.masters);
  add(Kind::backup, setup.cluster.backups);
  add(Kind::witness, setup.cluster.witnesses);
  return files;
}

namespace {

/// Draws keys by the Zipf distribution (J. Gray et al., Quickly Generating Billion-Record Synthetic Databases, SIGMOD
/// 1994), by its table of sums.
class Keys {
 public:
  Keys(std::size_t count, double skew) : sums_(count) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sums_[i] = sum += 1 / std::pow(static_cast<double>(i + 1), skew);
  }
  std::string draw(std::mt19937_64& random) const {
    const double at = std::uniform_real_distribution<>(0, sums_.back())(random);
    const auto found = std::ranges::upper_bound(sums_, at);
    return "key" + std::to_string(found - sums_.begin());
  }

 private:
  std::vector<double> sums_;
};

class Loader {
 public:
  Loader(const Setup& setup, const Load& load, const std::function<void()>& tick)
      : setup_(setup),
        load_(load),
        tick_(tick),
        recorder_(record(setup, "clients")),
        keys_(load.keys, load.skew),
        random_(load.seed) {}

  Report run() {
    const Microseconds begin = clock_now();
    for (std::uint32_t i = 0; i < setup_.cluster.clients; ++i) {
      seats_.push_back(std::make_unique<Seat>());
      Seat& seat = *seats_.back();
      seat.host = std::make_unique<Host>(io_, setup_, Node{Kind::client, i}, Death{}, [&seat](const Message& message) {
        if (seat.client) seat.client->receive(message);
      });
      seat.client = std::make_unique<Client>(*seat.host, setup_.cluster, i);
      next(i);
    }
    asio::steady_timer timer(io_);
    const std::function<void()> beat = [&] {
      if (tick_) tick_();
      if (clock_now() - begin > load_.patience) return io_.stop();
      timer.expires_after(std::chrono::milliseconds(10));
      timer.async_wait([&](const auto& error) {
        if (!error) beat();
      });
    };
    beat();
    io_.run();
    report_.elapsed = clock_now() - begin;
    report_.unanswered = load_.operations - done_;
    std::ranges::sort(report_.put_latency);
    std::ranges::sort(report_.get_latency);
    return std::move(report_);
  }

 private:
  struct Seat {
    std::unique_ptr<Host> host;
    std::unique_ptr<Client> client;
  };

  void next(std::uint32_t index) {
    if (begun_ == load_.operations) return;
    const std::size_t number = begun_++;
    const std::size_t place = report_.history.size();
    Operation operation;
    operation.client = index;
    operation.key = keys_.draw(random_);
    operation.put = random_() % 100 >= load_.reads;
    if (operation.put) {
      operation.value = "v" + std::to_string(number) + "-";
      operation.value.resize(std::max(operation.value.size(), load_.value_bytes), 'x');
    }
    operation.called = clock_now();
    report_.history.push_back(operation);
    const auto done = [this, index, place](const Client::Outcome& outcome) {
      Operation& finished = report_.history[place];
      const Microseconds now = clock_now();
      finished.returned = now;
      finished.version = outcome.version;
      if (!finished.put) finished.value = outcome.value;
      (finished.put ? report_.put_latency : report_.get_latency).push_back(now - finished.called);
      if (finished.put && outcome.fast) ++report_.fast;
      if (++done_ == load_.operations) return io_.stop();
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
  Keys keys_;
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::size_t begun_ = 0;
  std::size_t done_ = 0;
  Report report_;
};

}  // namespace

double Report::quantile(double q) const {
  if (put_latency.empty()) return 0;
  const auto at = static_cast<std::size_t>(q * static_cast<double>(put_latency.size() - 1));
  return static_cast<double>(put_latency[at]);
}

Report load(const Setup& setup, const Load& load, const std::function<void()>& tick) {
  return Loader(setup, load, tick).run();
}

}  // namespace curp
