// Plays seeded schedules of the whole system in one thread, and says who noticed what.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "sim.h"

namespace {

using namespace curp;

/// In which layer a rule of the monitor is.
std::string layer(const std::string& kind) {
  if (kind == "guard" || kind == "effect" || kind == "initial" || kind == "constants" || kind == "restart")
    return "conformance";
  if (kind == "conformance" || kind == "provenance") return "messages";
  if (kind == "monotone" || kind == "local invariant") return "derived";
  return "safety";
}

void tell(const Schedule& schedule, const Outcome& outcome, bool verbose) {
  std::string violated;
  for (const Violated& one : outcome.violated) violated += " " + one.rule;
  fmt::print("seed {}: {} operations, {} fast, {} deaths, {} events, {}{}{}\n", schedule.seed, outcome.done,
             outcome.fast, outcome.died, outcome.events,
             outcome.history.linearizable ? "linearizable" : "not linearizable",
             outcome.finished ? "" : ", not finished", violated.empty() ? "" : "; violated:" + violated);
  if (verbose && !outcome.first_finding.empty()) fmt::print("  {}\n", outcome.first_finding);
}

/// What was seen of one fault in all schedules.
struct Seen {
  std::size_t schedules = 0;
  std::size_t caught = 0;      ///< by the monitor
  std::size_t by_clients = 0;  ///< the history is not linearizable, or somebody waits for ever
  std::map<std::string, std::size_t> layers;
  std::vector<std::uint64_t> events;

  [[nodiscard]] std::string text() const {
    std::string out = fmt::format("{} of {}", caught, schedules);
    for (const auto& [name, count] : layers) out += fmt::format(", {} {}", name, count);
    return out;
  }
  [[nodiscard]] std::string median() const {
    if (events.empty()) return "-";
    std::vector<std::uint64_t> sorted = events;
    std::ranges::sort(sorted);
    return std::to_string(sorted[sorted.size() / 2]);
  }
};

Seen watch(const Cluster& cluster, Schedule schedule, std::uint64_t seeds, const std::filesystem::path& folder) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    schedule.seed = seed;
    std::filesystem::remove_all(folder);
    const Outcome outcome = play(cluster, schedule, folder);
    ++seen.schedules;
    if (!outcome.history.linearizable || !outcome.finished) ++seen.by_clients;
    if (outcome.violated.empty()) continue;
    ++seen.caught;
    seen.events.push_back(*outcome.events_until);
    std::map<std::string, bool> layers;
    for (const Violated& one : outcome.violated) layers[layer(one.kind)] = true;
    for (const auto& [name, yes] : layers) ++seen.layers[name];
  }
  return seen;
}

/// A Markdown table of who notices which fault.
void campaign(const Cluster& cluster, const Schedule& like, std::uint64_t seeds, const std::filesystem::path& folder) {
  fmt::print(
      "| Fault | Counterpart | Caught by the monitor | Events until then | With guards and effects off | By the "
      "clients |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  for (const FaultInfo& fault : all_faults()) {
    Schedule schedule = like;
    schedule.fault = fault.fault;
    schedule.power_loss = fault.name.ends_with("without_fsync");
    const Seen seen = watch(cluster, schedule, seeds, folder);
    schedule.only_local_rules_off = true;
    const Seen global = watch(cluster, schedule, seeds, folder);
    fmt::print("| `{}` | {} | {} | {} | {} | {} |\n", fault.name, fault.of_the_specification ? "variant" : "none",
               seen.text(), seen.median(), global.text(), seen.by_clients);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Cluster cluster;
  cluster.clients = 3;
  cluster.masters = 3;
  Schedule schedule;
  std::uint64_t seeds = 10, from = 1;
  std::string fault = "none";
  bool verbose = false, all = false;
  CLI::App app{"play seeded schedules of CURP in one thread, watched by the generated monitor"};
  app.add_option("--seeds", seeds, "how many schedules");
  app.add_option("--from", from, "the first seed");
  app.add_option("--fault", fault, "a switch of faults.h");
  app.add_option("--operations", schedule.operations, "of all clients together");
  app.add_option("--deaths", schedule.deaths, "processes that die, at most");
  app.add_option("--partitions", schedule.partitions, "times that a master is cut off from the coordinator");
  app.add_flag("--power-loss", schedule.power_loss, "who dies loses what was not fsynced");
  app.add_flag("--local-off", schedule.only_local_rules_off, "check no guards and effects of single hosts");
  app.add_flag("--campaign", all, "every fault, as a table");
  app.add_flag("--verbose", verbose, "show the first finding");
  CLI11_PARSE(app, argc, argv);
  const auto named = fault_named(fault);
  if (!named) {
    fmt::print(stderr, "no fault is called {}\n", fault);
    return 3;
  }
  schedule.fault = *named;
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("curp-sweep-{}", ::getpid());
  std::size_t unclean = 0;
  if (all) {
    campaign(cluster, schedule, seeds, folder);
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
