/// Plays seeded schedules: `curp_sweep [--fault NAME] [--seeds N] [--from N] [--power-loss] …`. Status 0 if all were clean.
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "sim.h"

int main(int argc, char** argv) {
  curp::Schedule schedule;
  curp::Cluster cluster;
  cluster.clients = 3;
  cluster.masters = 3;
  std::uint64_t seeds = 10, from = 1;
  bool verbose = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
    if (word == "--fault" && i + 1 < argc) {
      const auto fault = curp::fault_named(argv[++i]);
      if (!fault) {
        std::fprintf(stderr, "no fault is called %s\n", argv[i]);
        return 3;
      }
      schedule.fault = *fault;
    } else if (word == "--seeds") {
      seeds = number();
    } else if (word == "--from") {
      from = number();
    } else if (word == "--power-loss") {
      schedule.power_loss = true;
    } else if (word == "--operations") {
      schedule.operations = number();
    } else if (word == "--deaths") {
      schedule.deaths = number();
    } else if (word == "--partitions") {
      schedule.partitions = number();
    } else if (word == "--local-off") {
      schedule.only_local_rules_off = true;
    } else if (word == "--verbose") {
      verbose = true;
    }
  }
  const auto folder = std::filesystem::temp_directory_path() / ("curp-sweep-" + std::to_string(from) + "-" + std::to_string(::getpid()));
  std::size_t unclean = 0;
  for (std::uint64_t seed = from; seed < from + seeds; ++seed) {
    schedule.seed = seed;
    std::filesystem::remove_all(folder);
    const curp::Outcome o = curp::play(cluster, schedule, folder);
    unclean += o.clean() ? 0 : 1;
    std::string violated;
    for (const auto& rule : o.violated) violated += " " + rule;
    std::printf("seed %llu: %zu done, %zu fast, %zu died, %llu events, %llu gaps, %s%s%s%s\n", (unsigned long long)seed, o.done,
                o.fast, o.died, (unsigned long long)o.events, (unsigned long long)o.gaps,
                o.history.linearizable ? "linearizable" : "NOT LINEARIZABLE", o.finished ? "" : ", NOT FINISHED",
                violated.empty() ? "" : ", violated:", violated.c_str());
    if (verbose && !o.first_finding.empty()) std::printf("  %s\n", o.first_finding.c_str());
  }
  std::filesystem::remove_all(folder);
  return unclean == 0 ? 0 : 1;
}
