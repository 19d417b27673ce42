#include "tenet/system/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

namespace tenet::system {

namespace {

struct Way {
  const char* name;
  bool watched;
  std::uint32_t sample_one_in;
};
constexpr std::array kWays = {Way{"off", false, 1}, Way{"off again (control)", false, 1}, Way{"on", true, 1},
                              Way{"on, one run in 16", true, 16}, Way{"on, one run in 64", true, 64}};

/// Microseconds of the processors for an operation.
struct Cost {
  double servers = 0;
  double total = 0;  ///< with the checker
};

std::optional<Cost> measure(System& system, const Setup& setup, const Load& load) {
  const std::string watcher = "watch";
  std::filesystem::remove_all(setup.folder);
  Launcher launcher(this_program());
  if (!launch_all(launcher, system, setup)) return std::nullopt;
  if (setup.watched) {
    std::vector<std::string> all = words(system, setup);
    all.insert(all.begin(), "watch");
    if (!launcher.start(watcher, std::move(all))) return std::nullopt;
  }
  const auto servers = [&] {
    double sum = 0;
    for (const auto& [name, process] : launcher.children())
      sum += name == watcher ? 0 : processor_seconds_of(process) * 1e6;
    return sum;
  };
  Load warm = load;
  warm.operations = std::max<std::size_t>(1, load.operations / 10);
  (void)system::load(system, setup, warm);
  const double servers_before = servers();
  const double watcher_before =
      launcher.runs(watcher) ? processor_seconds_of(launcher.children().at(watcher)) * 1e6 : 0;
  const Report report = system::load(system, setup, load);
  Cost cost;
  cost.servers = servers() - servers_before;
  // A watcher that is told to stop checks what is left first.
  const double children = processor_seconds(true);
  launcher.kill(watcher, SIGTERM);
  cost.total = cost.servers + (processor_seconds(true) - children) * 1e6 - watcher_before;
  if (report.unanswered > 0) return std::nullopt;
  const auto operations = static_cast<double>(std::max<std::size_t>(1, load.operations));
  return Cost{cost.servers / operations, cost.total / operations};
}

struct Interval {
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// The mean, and where it lies with 95 %.
Interval interval(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double t = boost::math::quantile(boost::math::students_t(n - 1), 0.975);
  const double half = t * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - half, mean + half};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

using Costs = std::array<std::vector<Cost>, kWays.size()>;

std::string row(const Costs& costs, std::size_t way) {
  const auto of = [&](std::size_t one, double Cost::* part) {
    std::vector<double> values;
    for (const Cost& cost : costs[one]) values.push_back(cost.*part);
    return values;
  };
  const auto against_off = [&](std::size_t one, double Cost::* part) {
    std::vector<double> values;
    for (std::size_t round = 0; round < costs[one].size(); ++round) {
      values.push_back(100 * (costs[one][round].*part / (costs[0][round].*part) - 1));
    }
    return interval(values);
  };
  std::string text = fmt::format("| {} |", kWays[way].name);
  for (double Cost::* part : {&Cost::servers, &Cost::total}) {
    const Interval noise = against_off(1, part);
    const Interval here = against_off(way, part);
    const bool lost_in_noise = here.low <= 0 && here.high >= 0 && here.low <= noise.high && here.high >= noise.low;
    std::string difference = fmt::format("{:+.1f} % ({:+.1f} to {:+.1f})", here.mean, here.low, here.high);
    if (way == 0) difference = "-";
    if (way > 1 && lost_in_noise) difference = fmt::format("below {:.1f} %", std::max(-here.low, here.high));
    text += fmt::format(" {:.0f} | {} |", median(of(way, part)), difference);
  }
  return text;
}

}  // namespace

int bench(System& system, const Setup& setup, const Load& load, std::uint64_t rounds) {
  Costs costs;
  std::mt19937_64 random(load.seed);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::array<std::size_t, kWays.size()> order{};
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    for (const std::size_t way : order) {
      Setup now = setup;
      now.watched = kWays[way].watched;
      now.sample_one_in = kWays[way].sample_one_in;
      const auto cost = measure(system, now, load);
      if (!cost) {
        fmt::print(stderr, "'{}' cannot be measured: not every operation was answered\n", kWays[way].name);
        return 4;
      }
      costs[way].push_back(*cost);
    }
    fmt::print(stderr, "round {} of {}\n", round + 1, rounds);
  }
  fmt::print(
      "| monitor | Servers, µs an operation | Against off | With the checker | Against off |\n"
      "| --- | --- | --- | --- | --- |\n");
  for (std::size_t way = 0; way < kWays.size(); ++way) fmt::print("{}\n", row(costs, way));
  return 0;
}

}  // namespace tenet::system
