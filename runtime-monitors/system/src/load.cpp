#include "tenet/system/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tenet::system {

namespace {

double quantile_of(const std::vector<Microseconds>& sorted, double q) {
  if (sorted.empty()) return 0;
  return static_cast<double>(sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))]);
}

}  // namespace

double Report::quantile(double q) const { return quantile_of(put_latency, q); }

double Report::quantile_all(double q) const {
  std::vector<Microseconds> all;
  std::ranges::merge(put_latency, get_latency, std::back_inserter(all));
  return quantile_of(all, q);
}

std::string Report::text() const {
  return fmt::format("{} operations in {:.2f} s, {} unanswered; updates: median {:.2f} ms, 99th percentile {:.2f} ms",
                     history.size(), static_cast<double>(elapsed) / 1e6, unanswered, quantile(0.5) / 1e3,
                     quantile(0.99) / 1e3);
}

// Keys by the Zipf distribution (J. Gray et al., Quickly Generating Billion-Record Synthetic Databases, SIGMOD 1994),
// by its table of sums.
Workload::Workload(const Load& load, std::function<std::uint64_t()> clock)
    : load_(load), clock_(std::move(clock)), sums_(load.keys), random_(load.seed), gaps_(load.seed) {
  double sum = 0;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    sums_[i] = sum += 1 / std::pow(static_cast<double>(i + 1), load.skew);
  }
}

std::optional<std::size_t> Workload::begin(std::uint32_t client, Microseconds due) {
  const std::size_t number = report_.history.size();
  if (number == load_.operations) return std::nullopt;
  const double at = std::uniform_real_distribution<>(0, sums_.back())(random_);
  Operation operation;
  operation.client = client;
  operation.key = "key" + std::to_string(std::ranges::upper_bound(sums_, at) - sums_.begin());
  operation.put = random_() % 100 >= load_.reads;
  if (operation.put) {
    operation.value = "v" + std::to_string(number) + "-";
    operation.value.resize(std::max(operation.value.size(), load_.value_bytes), 'x');
  }
  operation.called = clock_();
  due_.push_back(due == 0 ? operation.called : due);
  report_.history.push_back(std::move(operation));
  return number;
}

Microseconds Workload::gap() {
  return static_cast<Microseconds>(std::exponential_distribution<>(load_.rate)(gaps_) * 1e6);
}

void Workload::finish(std::size_t place, std::uint64_t version, const std::string& value) {
  Operation& finished = report_.history[place];
  finished.returned = clock_();
  finished.version = version;
  if (!finished.put) finished.value = value;
  (finished.put ? report_.put_latency : report_.get_latency)
      .push_back(*finished.returned - std::min(due_[place], *finished.returned));
  ++done_;
}

Report Workload::report() const {
  Report report = report_;
  report.unanswered = load_.operations - done_;
  std::ranges::sort(report.put_latency);
  std::ranges::sort(report.get_latency);
  return report;
}

}  // namespace tenet::system
