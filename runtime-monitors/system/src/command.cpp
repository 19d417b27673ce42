#include "tenet/system/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <random>

#include "tenet/system/bench.h"
#include "tenet/system/chaos.h"
#include "tenet/system/cluster.h"
#include "tenet/system/console.h"
#include "tenet/system/schedule.h"
#include "tenet/system/sim.h"

namespace tenet::system {

namespace {

/// What the words say.
struct Words {
  Setup setup;
  Load load;
  Death death;
  Schedule schedule;
  std::string server, folder, record;
  std::uint64_t kills = 10, seeds = 10, from = 1, rounds = 10;
  bool power_loss = false, whole_campaign = false, verbose = false;
};

void add_settings(CLI::App& app, System& system) {
  for (const Setting& setting : system.settings()) {
    app.add_option("--" + setting.name, *setting.value, setting.says)->check(CLI::Range(setting.least, setting.most));
  }
}

void add_fault(CLI::App& app, const System& system, std::string& fault) {
  std::vector<std::string> names;
  for (const Switch& one : system.faults()) names.emplace_back(one.name);
  app.add_option("--fault", fault, "switch a fault on (the word 'faults' lists them)")->check(CLI::IsMember(names));
}

void add_setup(CLI::App& app, System& system, Words& words) {
  Setup& setup = words.setup;
  add_settings(app, system);
  app.add_option("--port", setup.base_port, "of the first server");
  app.add_option("--delay", setup.delay, "microseconds added to every message");
  app.add_option("--folder", words.folder, "of all files");
  add_fault(app, system, setup.fault);
  app.add_option("--watch-memory", setup.watch_megabytes,
                 "megabytes of who watches; what has to be forgotten is unknown")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--sample", setup.sample_one_in, "record the events of one run in so many")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--disk-bytes", setup.disk_bytes, "a server's disk is full after so many; 0: never");
  app.add_flag("--watched", setup.watched, "record events");
}

void add_load(CLI::App& app, System& system, Words& words) {
  Load& load = words.load;
  add_setup(app, system, words);
  app.add_option("--clients", words.setup.clients, "how many")->check(CLI::Range(1, 500));
  app.add_option("--operations", load.operations, "of all clients together")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
  app.add_option("--keys", load.keys, "how many")->check(CLI::Range(1, 10'000'000));
  app.add_option("--skew", load.skew, "theta of the Zipf distribution");
  app.add_option("--reads", load.reads, "percent")->check(CLI::Range(0, 100));
  app.add_option("--value-bytes", load.value_bytes, "of every value");
  app.add_option("--seed", load.seed, "of everything random");
  app.add_option("--rate", load.rate,
                 "operations a second that fall due, whatever is answered; 0: a client asks again when it is answered")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--patience", load.patience, "microseconds until what is under way counts as unanswered");
}

void add_schedule(CLI::App& app, System& system, Words& words) {
  Schedule& schedule = words.schedule;
  add_settings(app, system);
  add_fault(app, system, schedule.fault);
  app.add_option("--seeds", words.seeds, "how many schedules");
  app.add_option("--from", words.from, "the first seed");
  app.add_option("--clients", schedule.clients, "how many")->check(CLI::Range(1, 100));
  app.add_option("--operations", schedule.operations, "of all clients together");
  app.add_option("--deaths", schedule.deaths, "servers that die, at most");
  app.add_option("--partitions", schedule.partitions, "times that a server is cut off");
  app.add_option("--record", schedule.record, "a file for the trace of all events");
  app.add_flag("--power-loss", schedule.power_loss, "who dies loses what was not fsynced");
  app.add_flag("--local-off", schedule.local_rules_off, "check no guards and effects of single hosts");
  app.add_flag("--campaign", words.whole_campaign,
               "every fault, or the one of --fault, as a table; status 1 if one is noticed by nobody");
  app.add_flag("--verbose", words.verbose, "show the first finding");
}

int judged(const Report& report) {
  fmt::print("{}\n", report.text());
  return say_judgement(report);
}

std::unique_ptr<tenet::monitor::Monitor> watch_or_complain(const System& system, const Words& words) {
  std::string error;
  auto monitor = watch(system, words.setup, words.record, error);
  if (!monitor) fmt::print(stderr, "nobody watches: {}\n", error);
  return monitor;
}

int be_a_server(const System& system, const Words& words) {
  const std::vector<std::string> servers = system.servers();
  const auto found = std::ranges::find(servers, words.server);
  if (found == servers.end()) {
    fmt::print(stderr, "there is no {}\n", words.server);
    return 3;
  }
  Death death = words.death;
  death.power_loss = words.power_loss;
  const std::string error = serve(system, words.setup, static_cast<Peer>(found - servers.begin()), death);
  if (!error.empty()) fmt::print(stderr, "{}: {}\n", words.server, error);
  return error.empty() ? 0 : 4;
}

bool start_all(Launcher& launcher, System& system, const Setup& setup) {
  const bool up = launch_all(launcher, system, setup);
  if (!up) fmt::print(stderr, "the cluster does not come up: are the ports from {} free?\n", setup.base_port);
  return up;
}

int start(System& system, const Setup& setup) {
  Launcher launcher(this_program());
  if (!start_all(launcher, system, setup)) return 4;
  block_signals();
  fmt::print("ports from {}, files in {}\n", setup.base_port, setup.folder.string());
  std::fflush(stdout);
  wait_for_signal();
  return 0;
}

int watch_until_told(const System& system, const Words& words) {
  block_signals();
  const auto monitor = watch_or_complain(system, words);
  if (!monitor) return 4;
  wait_for_signal();
  return conclude(*monitor);
}

/// Kills servers at random under load, with the monitor watching.
int chaos(System& system, Words words) {
  Setup& setup = words.setup;
  std::filesystem::remove_all(setup.folder);
  setup.watched = true;
  Launcher launcher(this_program());
  if (!start_all(launcher, system, setup)) return 4;
  const auto monitor = watch_or_complain(system, words);
  if (!monitor) return 4;
  const auto restart = [&](const std::string& server, bool doomed, std::mt19937_64& random) {
    Death death;
    const auto points = system.fail_points();
    if (doomed && !points.empty()) {
      death = {std::string(points[random() % points.size()]), 1 + random() % 200, words.power_loss};
    }
    launch(launcher, system, setup, server, death);
  };
  std::vector<int> signals = {SIGKILL};
  if (words.power_loss) signals.push_back(SIGUSR1);
  Chaos havoc(launcher, system.servers(), words.kills, words.load.seed, restart, signals);
  const Report report = load(system, setup, words.load, [&] { havoc.tick(); });
  fmt::print("{} servers killed; ", havoc.killed());
  const int status = conclude(*monitor);
  return std::max(status, judged(report));
}

void say(const Schedule& schedule, const Outcome& outcome, bool verbose) {
  std::string violated;
  for (const Violated& one : outcome.watch.violated) violated += " " + one.rule;
  fmt::print("seed {}: {} operations, {} deaths, {} events, {}{}{}\n", schedule.seed, outcome.done, outcome.died,
             outcome.watch.events, outcome.history.linearizable ? "linearizable" : "not linearizable",
             outcome.finished ? "" : ", not finished", violated.empty() ? "" : "; violated:" + violated);
  if (verbose && !outcome.watch.first_finding.empty()) fmt::print("  {}\n", outcome.watch.first_finding);
}

int sweep(const System& system, const Words& words) {
  const auto folder = schedule_folder(system.name() + "-sweep");
  Schedule schedule = words.schedule;
  std::size_t unclean = 0;
  if (words.whole_campaign) {
    unclean = campaign(system, schedule, words.seeds, folder);
  } else {
    for (schedule.seed = words.from; schedule.seed < words.from + words.seeds; ++schedule.seed) {
      const Outcome outcome = play(system, schedule, folder);
      if (!outcome.clean()) ++unclean;
      say(schedule, outcome, words.verbose);
    }
  }
  std::filesystem::remove_all(folder);
  return unclean == 0 ? 0 : 1;
}

int list_faults(const System& system) {
  for (const Switch& one : system.faults()) {
    fmt::print("{:<26} {}{}\n", one.name, one.says,
               one.of_the_specification ? " (a variant of the specification)" : "");
  }
  return 0;
}

}  // namespace

int run_command(System& system, int count, char** arguments) {
  Words words;
  words.folder = "/dev/shm/" + system.name();
  CLI::App app(system.says(), system.name());
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 all is well; 1 something is violated, not linearizable or unanswered; 2 not decided;\n"
      "3 wrong usage; 4 it could not be done.");

  CLI::App* node = app.add_subcommand("node", "be a server until SIGTERM; SIGUSR1 is a loss of power");
  add_setup(*node, system, words);
  node->add_option("name", words.server, "which server")->required();
  const auto points = system.fail_points();
  node->add_option("--die-at", words.death.point, "a fail point")
      ->check(CLI::IsMember(std::vector<std::string>(points.begin(), points.end())));
  node->add_option("--die-times", words.death.times, "at the so many-th time")->check(CLI::PositiveNumber);
  node->add_flag("--power-loss", words.power_loss, "and lose what was not fsynced");
  CLI::App* starting = app.add_subcommand("start", "start all servers and wait for SIGTERM or Ctrl-C");
  add_setup(*starting, system, words);
  CLI::App* loading = app.add_subcommand("load", "be the clients of a cluster that runs, and judge what they saw");
  add_load(*loading, system, words);
  CLI::App* watching = app.add_subcommand("watch", "check the events of a cluster that runs until SIGTERM or Ctrl-C");
  add_setup(*watching, system, words);
  watching->add_option("--record", words.record, "a file for the trace of all events");
  CLI::App* havoc = app.add_subcommand("chaos", "start a cluster, load it, kill servers, watch, and judge");
  add_load(*havoc, system, words);
  havoc->add_option("--kills", words.kills, "how many");
  havoc->add_flag("--power-loss", words.power_loss, "half of them lose what was not fsynced");
  havoc->add_option("--record", words.record, "a file for the trace of all events");
  CLI::App* sweeping = app.add_subcommand("sweep", "play seeded schedules of the system in one thread, watched");
  add_schedule(*sweeping, system, words);
  CLI::App* measuring = app.add_subcommand("bench", "measure what watching costs");
  add_load(*measuring, system, words);
  measuring->add_option("--rounds", words.rounds, "how often everything is measured")
      ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{1000}));
  CLI::App* listing = app.add_subcommand("faults", "list the faults that can be switched on");
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}: {}; --help lists what there is\n", system.name(), error.what());
    return 3;
  }
  words.setup.folder = words.folder;
  if (*node) return be_a_server(system, words);
  if (*starting) return start(system, words.setup);
  if (*loading) return judged(load(system, words.setup, words.load));
  if (*watching) return watch_until_told(system, words);
  if (*havoc) return chaos(system, words);
  if (*sweeping) return sweep(system, words);
  if (*listing) return list_faults(system);
  return bench(system, words.setup, words.load, words.rounds);
}

}  // namespace tenet::system
