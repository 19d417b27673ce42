// Plays seeded schedules of the whole system in one thread, and says who noticed what.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "sim.h"
#include "tenet/system/sim.h"

namespace {

using namespace curp;

void tell(const Schedule& schedule, const Outcome& outcome, bool verbose) {
  std::string violated;
  for (const tenet::system::Violated& one : outcome.watch.violated) violated += " " + one.rule;
  fmt::print("seed {}: {} operations, {} fast, {} deaths, {} events, {}{}{}\n", schedule.seed, outcome.done,
             outcome.fast, outcome.died, outcome.watch.events,
             outcome.history.linearizable ? "linearizable" : "not linearizable",
             outcome.finished ? "" : ", not finished", violated.empty() ? "" : "; violated:" + violated);
  if (verbose && !outcome.watch.first_finding.empty()) fmt::print("  {}\n", outcome.watch.first_finding);
}

}  // namespace

int main(int argc, char** argv) {
  Cluster cluster;
  cluster.clients = 3;
  cluster.masters = 3;
  Schedule schedule;
  std::uint64_t seeds = 10, from = 1;
  bool verbose = false, all = false;
  CLI::App app{"play seeded schedules of CURP in one thread, watched by the generated monitor"};
  app.add_option("--seeds", seeds, "how many schedules");
  app.add_option("--from", from, "the first seed");
  app.add_option("--fault", schedule.fault, "a switch of faults.h");
  app.add_option("--operations", schedule.operations, "of all clients together");
  app.add_option("--deaths", schedule.deaths, "processes that die, at most");
  app.add_option("--partitions", schedule.partitions, "times that a master is cut off from the coordinator");
  app.add_flag("--power-loss", schedule.power_loss, "who dies loses what was not fsynced");
  app.add_flag("--local-off", schedule.only_local_rules_off, "check no guards and effects of single hosts");
  app.add_flag("--campaign", all, "every fault, or the one of --fault, as a table");
  app.add_flag("--verbose", verbose, "show the first finding");
  CLI11_PARSE(app, argc, argv);
  const Switch* one = tenet::system::switch_named(kFaults, schedule.fault);
  if (one == nullptr && !schedule.fault.empty()) {
    fmt::print(stderr, "no fault is called {}\n", schedule.fault);
    return 3;
  }
  const auto folder = tenet::system::schedule_folder("curp-sweep");
  std::size_t unclean = 0;
  if (all) {
    const std::vector<Switch> faults =
        one != nullptr ? std::vector{*one} : std::vector<Switch>(kFaults.begin(), kFaults.end());
    (void)tenet::system::campaign(faults, seeds, [&](const tenet::system::Trial& trial) {
      Schedule now = schedule;
      now.fault = faults[trial.fault].name;
      now.power_loss = schedule.power_loss || faults[trial.fault].needs_power_loss;
      now.seed = trial.seed;
      now.only_local_rules_off = trial.local_rules_off;
      std::filesystem::remove_all(folder);
      return play(cluster, now, folder);
    });
  } else {
    for (schedule.seed = from; schedule.seed < from + seeds; ++schedule.seed) {
      std::filesystem::remove_all(folder);
      const Outcome outcome = play(cluster, schedule, folder);
      if (!outcome.clean()) ++unclean;
      tell(schedule, outcome, verbose);
    }
  }
  std::filesystem::remove_all(folder);
  return unclean == 0 ? 0 : 1;
}
