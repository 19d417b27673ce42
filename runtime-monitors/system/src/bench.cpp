#include "tenet/system/bench.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <numeric>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace tenet::system {

namespace {

struct Way {
  const char* name;
  bool watched;
  std::uint32_t sample_one_in;
  bool stranger;  ///< beside a process that has nothing to do with it
};
constexpr std::array kWays = {Way{"off", false, 1, false},
                              Way{"off again (control)", false, 1, false},
                              Way{"off, beside a stranger", false, 1, true},
                              Way{"on", true, 1, false},
                              Way{"on, one run in 16", true, 16, false},
                              Way{"on, one run in 64", true, 64, false}};
constexpr std::size_t kOn = 3;
constexpr double kOfSaturation = 0.6;

/// What a setting costs.
struct Cost {
  double servers = 0;        ///< microseconds of the processors for an operation
  double total = 0;          ///< the same with the checker
  double slowest = 0;        ///< 99th percentile of the latency in the open loop, milliseconds
  double throughput = 0;     ///< operations a second in the closed loop
  double checker_share = 0;  ///< of one processor
};

/// A process at the lowest priority that keeps a processor as busy as a checker does, in slices of 10 ms: what the
/// neighbourhood costs the servers, without any of the monitor's instructions in them.
class Stranger {
 public:
  explicit Stranger(double share) : process_(::fork()) {
    if (process_ == 0) be_busy(share);
  }
  ~Stranger() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    (void)::waitpid(process_, nullptr, 0);
  }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

 private:
  [[noreturn]] static void be_busy(double share) {
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)::setpriority(PRIO_PROCESS, 0, 19);
    constexpr std::int64_t kSlice = 10'000'000;  // nanoseconds
    const auto busy = static_cast<std::int64_t>(std::clamp(share, 0.01, 0.95) * kSlice);
    std::vector<std::uint64_t> memory(std::size_t{1} << 19);  // 4 MB: more than the private caches hold
    std::uint64_t at = 1;
    for (;;) {
      timespec begin{};
      timespec now{};
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
      do {
        for (int i = 0; i < 1000; ++i) {
          at = at * 6364136223846793005U + 1442695040888963407U;
          ++memory[(at >> 33) % memory.size()];
        }
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
      } while ((now.tv_sec - begin.tv_sec) * 1'000'000'000 + now.tv_nsec - begin.tv_nsec < busy);
      std::this_thread::sleep_for(std::chrono::nanoseconds(kSlice - busy));
    }
  }
  pid_t process_;
};

/// The cost in a closed loop, and with a `rate` also the latency in an open one.
std::optional<Cost> measure(System& system, const Setup& setup, const Load& load, double rate, double stranger) {
  const std::string watcher = "watch";
  std::filesystem::remove_all(setup.folder);
  Launcher launcher(this_program());
  if (!launch_all(launcher, system, setup)) return std::nullopt;
  if (setup.watched) {
    std::vector<std::string> all = words(system, setup);
    all.insert(all.begin(), "watch");
    if (!launcher.start(watcher, std::move(all))) return std::nullopt;
  }
  std::optional<Stranger> beside;
  if (stranger > 0) beside.emplace(stranger);
  const auto servers = [&] {
    double sum = 0;
    for (const auto& [name, process] : launcher.children())
      sum += name == watcher ? 0 : processor_seconds_of(process) * 1e6;
    return sum;
  };
  const auto checker = [&] {
    return launcher.runs(watcher) ? processor_seconds_of(launcher.children().at(watcher)) * 1e6 : 0;
  };
  const auto operations = static_cast<double>(std::max<std::size_t>(1, load.operations));
  Load warm = load;
  warm.operations = std::max<std::size_t>(1, load.operations / 10);
  (void)system::load(system, setup, warm);
  Cost cost;
  if (rate > 0) {
    Load open = load;
    open.rate = rate;
    const Report report = system::load(system, setup, open);
    if (report.unanswered > 0) return std::nullopt;
    cost.slowest = report.quantile_all(0.99) / 1e3;
    // The checker catches up before the next part is measured.
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  const double servers_before = servers();
  const double checker_before = checker();
  const Report report = system::load(system, setup, load);
  cost.servers = (servers() - servers_before) / operations;
  cost.checker_share = (checker() - checker_before) / static_cast<double>(std::max<Microseconds>(1, report.elapsed));
  cost.throughput = operations / (static_cast<double>(std::max<Microseconds>(1, report.elapsed)) / 1e6);
  // A watcher that is told to stop checks what is left first.
  const double children = processor_seconds(true);
  launcher.kill(watcher, SIGTERM);
  const double watched = setup.watched ? (processor_seconds(true) - children) * 1e6 - checker_before : 0;
  cost.total = cost.servers + watched / operations;
  if (report.unanswered > 0) return std::nullopt;
  return cost;
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
  for (double Cost::* part : {&Cost::servers, &Cost::total, &Cost::slowest}) {
    const Interval noise = against_off(1, part);
    const Interval here = against_off(way, part);
    const bool lost_in_noise = here.low <= 0 && here.high >= 0 && here.low <= noise.high && here.high >= noise.low;
    std::string difference = fmt::format("{:+.1f} % ({:+.1f} to {:+.1f})", here.mean, here.low, here.high);
    if (way == 0) difference = "-";
    if (way > 1 && lost_in_noise) difference = fmt::format("below {:.1f} %", std::max(-here.low, here.high));
    text += part == &Cost::slowest ? fmt::format(" {:.1f} | {} |", median(of(way, part)), difference)
                                   : fmt::format(" {:.0f} | {} |", median(of(way, part)), difference);
  }
  return text;
}

}  // namespace

int bench(System& system, const Setup& setup, const Load& load, std::uint64_t rounds) {
  const auto as = [&](const Way& way) {
    Setup now = setup;
    now.watched = way.watched;
    now.sample_one_in = way.sample_one_in;
    return now;
  };
  const auto not_measured = [](const Way& way) {
    fmt::print(stderr, "'{}' cannot be measured: not every operation was answered\n", way.name);
    return 4;
  };
  // How fast it can be, and how busy a checker is.
  const auto fastest = measure(system, as(kWays[0]), load, 0, 0);
  if (!fastest) return not_measured(kWays[0]);
  const auto watched = measure(system, as(kWays[kOn]), load, 0, 0);
  if (!watched) return not_measured(kWays[kOn]);
  const double rate = kOfSaturation * fastest->throughput;
  fmt::print(stderr, "saturated at {:.0f} operations a second; the checker then takes {:.0f} % of a processor\n",
             fastest->throughput, 100 * watched->checker_share);
  Costs costs;
  std::mt19937_64 random(load.seed);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::array<std::size_t, kWays.size()> order{};
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, random);
    for (const std::size_t way : order) {
      const auto cost = measure(system, as(kWays[way]), load, rate, kWays[way].stranger ? watched->checker_share : 0);
      if (!cost) return not_measured(kWays[way]);
      costs[way].push_back(*cost);
    }
    fmt::print(stderr, "round {} of {}\n", round + 1, rounds);
  }
  fmt::print(
      "| monitor | Servers, µs an operation | Against off | With the checker | Against off | 99th percentile at {:.0f} "
      "a "
      "second, ms | Against off |\n| --- | --- | --- | --- | --- | --- | --- |\n",
      rate);
  for (std::size_t way = 0; way < kWays.size(); ++way) fmt::print("{}\n", row(costs, way));
  return 0;
}

}  // namespace tenet::system
