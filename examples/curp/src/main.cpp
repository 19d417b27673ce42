// The command line of the system: servers, load, chaos and measurements.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <random>
#include <thread>

#include "service.h"
#include "tenet/system/chaos.h"
#include "tenet/system/console.h"
#include "watch.h"

namespace {

using namespace curp;

/// Options that servers and clients share.
struct Common {
  Setup setup;
  std::string folder = "/dev/shm/curp";

  void add(CLI::App& app) {
    Cluster& c = setup.cluster;
    app.add_option("--clients", c.clients, "clients of the load");
    app.add_option("--masters", c.masters, "processes that can be master");
    app.add_option("--backups", c.backups, "f: backups, and witnesses of a list");
    app.add_option("--witnesses", c.witnesses, "witness processes, at least f");
    app.add_option("--sync-after", c.sync_after, "microseconds after which unsynced updates go to the backups");
    app.add_option("--sync-batch", c.sync_batch, "or as soon as there are so many");
    app.add_option("--retry", c.retry, "microseconds after which a message is sent again");
    app.add_option("--dead-after", c.dead_after, "microseconds of silence after which a server is replaced");
    app.add_option("--lease", c.lease, "microseconds for which a master may answer reads");
    app.add_option("--port", setup.base_port, "the first of a hundred ports");
    app.add_option("--delay", setup.delay, "microseconds added to every message");
    app.add_option("--folder", folder, "of all files");
    app.add_option("--fault", setup.fault, "a switch of faults.h");
    app.add_flag("--synchronous", c.synchronous, "the baseline without witnesses");
    app.add_flag("--unreplicated", c.unreplicated, "the baseline without backups");
    app.add_flag("--watched", setup.watched, "record events");
  }
  [[nodiscard]] bool finish() {
    setup.folder = folder;
    if (!setup.fault.empty() && tenet::system::switch_named(kFaults, setup.fault) == nullptr) {
      fmt::print(stderr, "no fault is called {}\n", setup.fault);
      return false;
    }
    if (setup.cluster.backups == 0 || setup.cluster.witnesses < setup.cluster.backups || setup.cluster.masters == 0) {
      fmt::print(stderr, "there must be a master, a backup, and as many witnesses as backups\n");
      return false;
    }
    return true;
  }
};

std::optional<Node> node_named(const std::string& name) {
  for (const Kind kind : {Kind::coordinator, Kind::master, Kind::backup, Kind::witness}) {
    for (std::uint32_t i = 0; i < 20; ++i) {
      if (to_string({kind, i}) == name) return Node{kind, i};
    }
  }
  return std::nullopt;
}

int say(const Setup& setup, const Report& report, bool judged) {
  const double trip = setup.delay > 0 ? 2 * static_cast<double>(setup.delay) : 1;
  fmt::print(
      "{} operations in {:.2f} s, {} unanswered; updates: median {:.2f}, 99th percentile {:.2f} {}; {:.1f} % fast\n",
      report.history.size(), static_cast<double>(report.elapsed) / 1e6, report.unanswered, report.quantile(0.5) / trip,
      report.quantile(0.99) / trip, setup.delay > 0 ? "round trips" : "microseconds",
      100.0 * static_cast<double>(report.fast) /
          static_cast<double>(std::max<std::size_t>(1, report.put_latency.size())));
  if (!judged) return report.unanswered == 0 ? 0 : 1;
  return tenet::system::say_judgement(report);
}

/// Kills servers at random under load, with the monitor watching.
int chaos(Setup setup, Load load, std::uint64_t kills, bool power_loss, const std::string& record) {
  std::filesystem::remove_all(setup.folder);
  setup.watched = true;
  tenet::system::Launcher launcher(tenet::system::this_program());
  if (!launch_all(launcher, setup)) {
    fmt::print(stderr, "the cluster does not come up\n");
    return 4;
  }
  tenet::monitor::Options options;
  // The clients are in this process, and record straight into this monitor.
  options.file = (setup.folder / "clients.rings").string();
  options.ring_bytes = std::size_t{64} << 20;
  options.watch = ring_files(setup);
  options.findings = (setup.folder / "findings.jsonl").string();
  options.record = record;
  options.reveal = true;
  options.memory_bytes = std::size_t{512} << 20;
  std::string error;
  auto monitor = tenet::monitor::Monitor::start(options, rules(setup.cluster), error);
  if (!monitor) {
    fmt::print(stderr, "nobody watches: {}\n", error);
    return 4;
  }
  std::vector<std::string> names;
  for (const Node node : servers(setup.cluster)) names.push_back(to_string(node));
  const auto restart = [&](const std::string& name, bool doomed, std::mt19937_64& random) {
    Death death;
    if (doomed) death = {std::string(kFailPoints[random() % kFailPoints.size()]), 1 + random() % 20, power_loss};
    launch(launcher, setup, *node_named(name), false, death);
  };
  tenet::system::Chaos chaos(launcher, names, kills, load.seed, restart);
  Setup unwatched = setup;
  unwatched.watched = false;  // the clients' events go straight into this monitor
  const Report report = curp::load(unwatched, load, [&] { chaos.tick(); });
  fmt::print("{} servers killed; ", chaos.killed());
  const int watched = tenet::system::conclude(*monitor);
  const int status = say(setup, report, true);
  return std::max(status, watched);
}

struct Line {
  std::string name;
  Report report;
  double busy = 0;
};

Line measure(Setup setup, const Load& load, std::string name) {
  static std::uint16_t round = 0;
  setup.base_port = static_cast<std::uint16_t>(setup.base_port + 100 * (round++ % 20));
  // What is on its way is not lost, only far.
  setup.cluster.retry = std::max<Microseconds>(setup.cluster.retry, 10 * setup.delay);
  std::filesystem::remove_all(setup.folder);
  Line line{std::move(name), {}, 0};
  const auto used = [] { return tenet::system::processor_seconds(false) + tenet::system::processor_seconds(true); };
  const double before = used();
  {
    tenet::system::Launcher launcher(tenet::system::this_program());
    if (!launch_all(launcher, setup)) return line;
    line.report = curp::load(setup, load);
  }
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  line.busy = (used() - before) / cores / (static_cast<double>(std::max<Microseconds>(1, line.report.elapsed)) / 1e6);
  return line;
}

/// The paper's claims, all baselines in one run: tables in Markdown.
int bench(Setup setup, std::size_t operations) {
  const auto trips = [&](double microseconds) { return microseconds / (2 * static_cast<double>(setup.delay)); };
  const auto share = [](const Report& r) {
    return 100.0 * static_cast<double>(r.put_latency.size() - r.fast) /
           static_cast<double>(std::max<std::size_t>(1, r.put_latency.size()));
  };
  // Latency: the clients are few enough that nothing waits for a processor.
  setup.cluster.clients = 4;
  Load load;
  load.operations = operations;
  load.keys = 100'000;
  fmt::print(
      "| System | Updates in round trips, median | 99th percentile | Slow updates | Processors used |\n| --- | --- | "
      "--- | --- | --- |\n");
  const auto row = [&](const Line& line) {
    fmt::print("| {} | {:.2f} | {:.2f} | {:.1f} % | {:.0f} % |\n", line.name, trips(line.report.quantile(0.5)),
               trips(line.report.quantile(0.99)), share(line.report), 100 * line.busy);
    std::fflush(stdout);
  };
  Setup other = setup;
  other.cluster.unreplicated = true;
  row(measure(other, load, "unreplicated"));
  row(measure(setup, load, "CURP, no conflicts"));
  other = setup;
  other.cluster.synchronous = true;
  row(measure(other, load, "synchronous primary-backup"));
  Load one = load;
  one.keys = 1;
  one.operations = operations / 4;
  row(measure(setup, one, "CURP, one key: all conflict"));

  fmt::print("\n| Skew (theta, 1,000 keys, {} clients) | Slow updates | Median | Mean |\n| --- | --- | --- | --- |\n",
             16);
  setup.cluster.clients = 16;
  for (const double theta : {0.0, 0.5, 0.8, 0.9, 0.99}) {
    Load skewed = load;
    skewed.keys = 1000;
    skewed.skew = theta;
    const Line line = measure(setup, skewed, "");
    double sum = 0;
    for (const Microseconds latency : line.report.put_latency) sum += static_cast<double>(latency);
    fmt::print("| {} | {:.1f} % | {:.2f} | {:.2f} |\n", theta, share(line.report), trips(line.report.quantile(0.5)),
               trips(sum / static_cast<double>(std::max<std::size_t>(1, line.report.put_latency.size()))));
    std::fflush(stdout);
  }

  fmt::print("\n| Sync batch (no delay, 32 clients) | Updates a second | Processors used |\n| --- | --- | --- |\n");
  setup.cluster.clients = 32;
  setup.delay = 0;
  const auto throughput = [&](const Setup& now, const std::string& name) {
    Load full = load;
    full.operations = operations * 8;
    const Line line = measure(now, full, name);
    fmt::print("| {} | {:.0f} | {:.0f} % |\n", name,
               1e6 * static_cast<double>(line.report.put_latency.size()) /
                   static_cast<double>(std::max<Microseconds>(1, line.report.elapsed)),
               100 * line.busy);
    std::fflush(stdout);
  };
  setup.cluster.sync_after = 20'000;
  for (const std::size_t batch : {1UL, 4UL, 16UL, 50UL, 200UL}) {
    setup.cluster.sync_batch = batch;
    throughput(setup, fmt::format("CURP, {}", batch));
    other = setup;
    other.cluster.synchronous = true;
    throughput(other, fmt::format("synchronous primary-backup, {}", batch));
  }
  other = setup;
  other.cluster.unreplicated = true;
  throughput(other, "unreplicated");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"CURP: a replicated store whose updates take one round trip"};
  app.require_subcommand(1);
  Common common;
  Load load;
  Death death;
  std::string name, record;
  bool first = false, power_loss = false;
  std::uint64_t kills = 10;
  std::size_t operations = 1000;

  CLI::App* node = app.add_subcommand("node", "be a server until SIGTERM");
  common.add(*node);
  node->add_option("name", name, "coordinator0, master0, backup1, witness2 …")->required();
  node->add_flag("--first", first, "the cluster begins with it: master0 is the first master");
  node->add_option("--die-at", death.point, "a fail point of faults.h");
  node->add_option("--die-times", death.times, "at the so many-th time");
  node->add_flag("--power-loss", death.power_loss, "and lose what was not fsynced");

  const auto loads = [&](CLI::App& sub) {
    common.add(sub);
    sub.add_option("--operations", load.operations, "of all clients together");
    sub.add_option("--keys", load.keys, "how many");
    sub.add_option("--skew", load.skew, "theta of the Zipf distribution");
    sub.add_option("--reads", load.reads, "percent");
    sub.add_option("--value-bytes", load.value_bytes, "of every value");
    sub.add_option("--seed", load.seed, "of everything random");
  };
  CLI::App* loader = app.add_subcommand("load", "be the clients of a cluster that runs, and judge what they saw");
  loads(*loader);
  CLI::App* start = app.add_subcommand("start", "start all servers and wait for SIGTERM or Ctrl-C");
  common.add(*start);
  CLI::App* havoc = app.add_subcommand("chaos", "start a cluster, load it, kill servers, watch, and judge");
  loads(*havoc);
  havoc->add_option("--kills", kills, "how many");
  havoc->add_flag("--power-loss", power_loss, "those that die at a fail point lose what was not fsynced");
  havoc->add_option("--record", record, "a file for the trace of all events");
  CLI::App* measuring = app.add_subcommand("bench", "measure the paper's claims");
  common.add(*measuring);
  measuring->add_option("--operations", operations, "a measurement");
  CLI11_PARSE(app, argc, argv);
  if (!common.finish()) return 3;
  const Setup& setup = common.setup;
  if (*node) {
    const auto which = node_named(name);
    if (!which || (!death.point.empty() && std::ranges::count(kFailPoints, death.point) == 0)) {
      fmt::print(stderr, "there is no {}\n", which ? death.point : name);
      return 3;
    }
    const std::string error = serve(setup, *which, first, death);
    if (!error.empty()) fmt::print(stderr, "{}: {}\n", name, error);
    return error.empty() ? 0 : 4;
  }
  if (*loader) return say(setup, curp::load(setup, load), true);
  if (*start) {
    tenet::system::Launcher launcher(tenet::system::this_program());
    if (!launch_all(launcher, setup)) return 4;
    tenet::system::block_signals();
    fmt::print("ports from {}, files in {}\n", setup.base_port, setup.folder.string());
    std::fflush(stdout);
    tenet::system::wait_for_signal();
    return 0;
  }
  if (*havoc) return chaos(setup, load, kills, power_loss, record);
  if (setup.delay == 0) common.setup.delay = 20'000;
  return bench(setup, operations);
}
