// The command line of the system: replicas, load, chaos and measurements.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <random>

#include "service.h"
#include "tell.h"
#include "tenet/system/chaos.h"
#include "tenet/system/console.h"

namespace {

using namespace replicated;

/// Options that replicas and clients share.
struct Common {
  Setup setup;
  std::string folder = "/dev/shm/store";
  std::string fault = "none";

  void add(CLI::App& app) {
    Cluster& c = setup.cluster;
    app.add_option("--replicas", c.replicas, "three or five, say")->check(CLI::Range(1, 20));
    app.add_option("--batch", c.batch, "commands of a slot, at most")->check(CLI::Range(1, 10'000));
    app.add_option("--retry", c.retry, "microseconds after which a message is sent again");
    app.add_option("--clients", setup.clients, "clients of the load")->check(CLI::Range(1, 500));
    app.add_option("--port", setup.base_port, "of the first replica");
    app.add_option("--delay", setup.delay, "microseconds added to every message");
    app.add_option("--folder", folder, "of all files");
    app.add_option("--fault", fault, "a switch of faults.h");
    app.add_option("--sample", setup.sample_one_in, "record the events of one slot in so many")
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--disk-bytes", setup.disk_bytes, "a replica's disk is full after so many; 0: never");
    app.add_flag("--watched", setup.watched, "record events");
  }
  [[nodiscard]] bool finish() {
    setup.folder = folder;
    const auto named = fault_named(fault);
    if (!named) {
      fmt::print(stderr, "no fault is called {}\n", fault);
      return false;
    }
    setup.fault = *named;
    return true;
  }
};

int judged(const Report& report) {
  fmt::print("{}\n", report.text());
  return tenet::system::say_judgement(report);
}

/// Watches the events that the replicas record. Null: nobody can.
std::unique_ptr<tenet::monitor::Monitor> watch(const Setup& setup, const std::string& record) {
  tenet::monitor::Options options;
  options.watch = ring_files(setup);
  options.findings = (setup.folder / "findings.jsonl").string();
  options.record = record;
  options.reveal = true;
  options.memory_bytes = std::size_t{512} << 20;
  std::string error;
  auto monitor = tenet::monitor::Monitor::start(options, rules(setup.cluster), error);
  if (!monitor) fmt::print(stderr, "nobody watches: {}\n", error);
  return monitor;
}

/// Kills replicas at random under load, with the monitor watching.
int chaos(Setup setup, const Load& load, std::uint64_t kills, bool power_loss, const std::string& record) {
  std::filesystem::remove_all(setup.folder);
  setup.watched = true;
  tenet::system::Launcher launcher(tenet::system::this_program());
  if (!launch_all(launcher, setup)) {
    fmt::print(stderr, "the cluster does not come up\n");
    return 4;
  }
  const auto monitor = watch(setup, record);
  if (!monitor) return 4;
  const auto restart = [&](const std::string& server, bool doomed, std::mt19937_64& random) {
    Death death;
    const auto points = all_fail_points();
    if (doomed) death = {points[random() % points.size()], 1 + random() % 200, power_loss};
    launch(launcher, setup, server, death);
  };
  std::vector<int> signals = {SIGKILL};
  if (power_loss) signals.push_back(SIGUSR1);
  tenet::system::Chaos chaos(launcher, servers(setup), kills, load.seed, restart, signals);
  const Report report = replicated::load(setup, load, [&] { chaos.tick(); });
  fmt::print("{} replicas killed; ", chaos.killed());
  const int status = tenet::system::conclude(*monitor);
  return std::max(status, judged(report));
}

/// One measurement: what the replicas, and who watches them, use of the processors for a load. One line of JSON.
int measure(Setup setup, const Load& load) {
  std::filesystem::remove_all(setup.folder);
  tenet::system::Launcher launcher(tenet::system::this_program());
  if (!launch_all(launcher, setup)) return 4;
  if (setup.watched) {
    std::vector<std::string> all = {"watch"};
    const auto shared = words(setup);
    all.insert(all.end(), shared.begin(), shared.end());
    launcher.start("watcher", all);
  }
  const auto replicas = [&] {
    double sum = 0;
    for (const auto& [name, process] : launcher.children())
      sum += name == "watcher" ? 0 : tenet::system::processor_seconds_of(process) * 1e6;
    return sum;
  };
  Load warm = load;
  warm.operations = std::max<std::size_t>(1, load.operations / 10);
  (void)replicated::load(setup, warm);
  const double before = replicas();
  const double watcher_before =
      launcher.runs("watcher") ? tenet::system::processor_seconds_of(launcher.children().at("watcher")) * 1e6 : 0;
  const Report report = replicated::load(setup, load);
  const double service = replicas() - before;
  // A watcher that is told to stop checks what is left first.
  const double children = tenet::system::processor_seconds(true);
  launcher.kill("watcher", SIGTERM);
  const double watcher = (tenet::system::processor_seconds(true) - children) * 1e6 - watcher_before;
  const auto operations = static_cast<double>(report.history.size() - report.unanswered);
  fmt::print(
      "{{\"operations\": {}, \"unanswered\": {}, \"seconds\": {:.3f}, \"service_us\": {:.3f}, \"checker_us\": "
      "{:.3f}}}\n",
      operations, report.unanswered, static_cast<double>(report.elapsed) / 1e6, service / operations,
      watcher / operations);
  return report.unanswered == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"a replicated store: one run of Paxos for every slot of a log"};
  app.require_subcommand(1);
  Common common;
  Load load;
  Death death;
  std::string name, point = "none", record;
  bool power_loss = false;
  std::uint64_t kills = 10;

  CLI::App* node = app.add_subcommand("node", "be a replica until SIGTERM; SIGUSR1 is a loss of power");
  common.add(*node);
  node->add_option("name", name, "replica0 …")->required();
  node->add_option("--die-at", point, "a fail point of faults.h");
  node->add_option("--die-times", death.times, "at the so many-th time");
  node->add_flag("--power-loss", death.power_loss, "and lose what was not fsynced");

  const auto loads = [&](CLI::App& sub) {
    common.add(sub);
    sub.add_option("--operations", load.operations, "of all clients together");
    sub.add_option("--keys", load.keys, "how many")->check(CLI::Range(1, 10'000'000));
    sub.add_option("--skew", load.skew, "theta of the Zipf distribution");
    sub.add_option("--reads", load.reads, "percent");
    sub.add_option("--value-bytes", load.value_bytes, "of every value");
    sub.add_option("--seed", load.seed, "of everything random");
    sub.add_option("--patience", load.patience, "microseconds until what is under way counts as unanswered");
  };
  CLI::App* loader = app.add_subcommand("load", "be the clients of a cluster that runs, and judge what they saw");
  loads(*loader);
  CLI::App* start = app.add_subcommand("start", "start all replicas and wait for SIGTERM or Ctrl-C");
  common.add(*start);
  CLI::App* watcher = app.add_subcommand("watch", "check the events of a cluster that runs until SIGTERM or Ctrl-C");
  common.add(*watcher);
  watcher->add_option("--record", record, "a file for the trace of all events");
  CLI::App* havoc = app.add_subcommand("chaos", "start a cluster, load it, kill replicas, watch, and judge");
  loads(*havoc);
  havoc->add_option("--kills", kills, "how many");
  havoc->add_flag("--power-loss", power_loss, "half of them lose what was not fsynced");
  havoc->add_option("--record", record, "a file for the trace of all events");
  CLI::App* measuring = app.add_subcommand("measure", "what a load costs, and the watching; see ../bench");
  loads(*measuring);
  CLI11_PARSE(app, argc, argv);
  if (!common.finish()) return 3;
  const Setup& setup = common.setup;
  if (*node) {
    const auto all = servers(setup);
    const auto which = std::ranges::find(all, name);
    const auto where = fail_point_named(point);
    if (which == all.end() || !where) {
      fmt::print(stderr, "there is no {}\n", which == all.end() ? name : point);
      return 3;
    }
    death.point = *where;
    const std::string error = serve(setup, static_cast<std::uint32_t>(which - all.begin()), death);
    if (!error.empty()) fmt::print(stderr, "{}: {}\n", name, error);
    return error.empty() ? 0 : 4;
  }
  if (*loader) return judged(replicated::load(setup, load));
  if (*start) {
    tenet::system::Launcher launcher(tenet::system::this_program());
    if (!launch_all(launcher, setup)) return 4;
    tenet::system::block_signals();
    fmt::print("ports from {}, files in {}\n", setup.base_port, setup.folder.string());
    std::fflush(stdout);
    tenet::system::wait_for_signal();
    return 0;
  }
  if (*watcher) {
    tenet::system::block_signals();
    const auto monitor = watch(setup, record);
    if (!monitor) return 4;
    tenet::system::wait_for_signal();
    return tenet::system::conclude(*monitor);
  }
  if (*havoc) return chaos(setup, load, kills, power_loss, record);
  return measure(setup, load);
}
