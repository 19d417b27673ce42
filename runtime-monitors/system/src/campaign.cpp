#include "tenet/system/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

namespace tenet::system {

const Switch* switch_named(std::span<const Switch> all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Switch::name);
  return found == all.end() ? nullptr : &*found;
}

void Watch::look(const tenet::monitor::Monitor& monitor) {
  const tenet::monitor::Summary summary = monitor.summary();
  events = summary.events;
  gaps = summary.gaps;
  for (const auto& rule : monitor.rules()) {
    if (rule.count.violated == 0 || std::ranges::count(violated, rule.info.name, &Violated::rule) > 0) continue;
    violated.push_back({rule.info.name, rule.info.kind});
    if (!events_until) events_until = summary.events;
  }
  if (!violated.empty() && first_finding.empty() && !monitor.findings().empty()) {
    first_finding = monitor.findings().front();
  }
}

std::string layer(const std::string& kind) {
  static const std::set<std::string> conformance = {"guard", "effect", "initial", "constants", "restart"};
  static const std::set<std::string> derived = {"monotone", "local invariant", "derived invariant"};
  if (conformance.contains(kind)) return "conformance";
  if (kind == "conformance" || kind == "provenance") return "messages";
  return derived.contains(kind) ? "derived" : "safety";
}

void check_local_rules(tenet::monitor::Monitor& monitor, bool on) {
  for (const auto& rule : monitor.rules()) {
    if (rule.info.kind == "guard" || rule.info.kind == "effect") (void)monitor.switch_rule(rule.info.name, on);
  }
}

namespace {

/// What was seen of one fault in all schedules.
class Seen {
 public:
  void add(const Outcome& outcome) {
    ++schedules_;
    if (!outcome.history.linearizable || !outcome.finished) ++by_clients_;
    if (outcome.watch.violated.empty()) return;
    ++caught_;
    events_.push_back(outcome.watch.events_until.value_or(0));
    std::set<std::string> layers;
    for (const Violated& one : outcome.watch.violated) layers.insert(layer(one.kind));
    for (const std::string& name : layers) ++layers_[name];
  }
  [[nodiscard]] std::string text() const {
    std::string out = fmt::format("{} of {}", caught_, schedules_);
    for (const auto& [name, count] : layers_) out += fmt::format(", {} {}", name, count);
    return out;
  }
  [[nodiscard]] std::string median() const {
    if (events_.empty()) return "-";
    std::vector<std::uint64_t> sorted = events_;
    std::ranges::sort(sorted);
    return std::to_string(sorted[sorted.size() / 2]);
  }
  [[nodiscard]] std::size_t by_clients() const { return by_clients_; }
  [[nodiscard]] bool noticed() const { return caught_ > 0 || by_clients_ > 0; }

 private:
  std::size_t schedules_ = 0;
  std::size_t caught_ = 0;      ///< by the monitor
  std::size_t by_clients_ = 0;  ///< the history is not linearizable, or somebody waits for ever
  std::map<std::string, std::size_t> layers_;
  std::vector<std::uint64_t> events_;
};

}  // namespace

std::size_t campaign(const std::vector<Switch>& switches, std::uint64_t seeds,
                     const std::function<Outcome(const Trial&)>& play) {
  fmt::print(
      "| Fault | Counterpart | Caught by the monitor | Events until then | With guards and effects off | By the "
      "clients |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  std::size_t unnoticed = 0;
  for (std::size_t fault = 0; fault < switches.size(); ++fault) {
    Seen all, without;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      all.add(play({fault, seed, false}));
      without.add(play({fault, seed, true}));
    }
    if (!all.noticed()) ++unnoticed;
    fmt::print("| `{}` | {} | {} | {} | {} | {} |\n", switches[fault].name,
               switches[fault].of_the_specification ? "variant" : "none", all.text(), all.median(), without.text(),
               all.by_clients());
    std::fflush(stdout);
  }
  return unnoticed;
}

}  // namespace tenet::system
