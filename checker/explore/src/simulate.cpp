/// Seeded random runs on the reference interpreter.
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "tenet/explore/explorer.h"

namespace tenet::explore {

namespace {

/// The same numbers on every platform, unlike the standard distributions.
std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) { return random() % bound; }

/// One start, chosen evenly among all (or among the first million).
Result<ir::Start> random_start(const ir::Protocol& protocol, const ir::Instance& instance, std::mt19937_64& random) {
  constexpr std::uint64_t kMostTried = 1ULL << 24;
  constexpr std::uint64_t kMostSeen = 1'000'000;
  std::optional<ir::Start> chosen;
  std::uint64_t seen = 0;
  const Result<void> starts = ir::enumerate_starts(protocol, instance, kMostTried, [&](const ir::Start& start) {
    if (below(random, ++seen) == 0) chosen = start;
    return seen < kMostSeen;
  });
  if (!starts) return tl::unexpected<Error>(starts.error());
  if (!chosen) return failure(ErrorKind::internal, "no start was enumerated");
  return std::move(*chosen);
}

class Run {
 public:
  Run(const ir::Protocol& protocol, const ir::Instance& instance, ir::Start start)
      : p_(protocol), interpreter_(protocol, instance, run_.trace.constants) {
    run_.trace.constants = std::move(start.constants);
    run_.trace.states.push_back(std::move(start.state));
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// False: the run has ended.
  bool step(std::mt19937_64& random);
  void check();
  [[nodiscard]] bool ended() const { return run_.at_rest || run_.found.has_value(); }
  SimulatedRun take() {
    if (run_.found) run_.found->trace = run_.trace;
    return std::move(run_);
  }

 private:
  void found(FoundKind kind, ir::PropertyId property, std::optional<ir::Fault> fault);

  const ir::Protocol& p_;
  SimulatedRun run_;
  ir::Interpreter interpreter_;
};

void Run::found(FoundKind kind, ir::PropertyId property, std::optional<ir::Fault> fault) {
  Found found;
  found.kind = kind;
  found.property = property;
  found.fault = fault;
  run_.found = std::move(found);
}

bool Run::step(std::mt19937_64& random) {
  const ir::State from = run_.trace.states.back();
  // Not where they lead: of a large instance, that would be as many states.
  std::vector<ir::Action> moves;
  bool cut = false;
  std::optional<std::pair<ir::Action, ir::Fault>> failed;
  interpreter_.enabled(from, [&](const ir::Action& action, const ir::Outcome& outcome) {
    cut |= std::holds_alternative<ir::CutAtBound>(outcome);
    if (const auto* fault = std::get_if<ir::Fault>(&outcome); fault != nullptr && !failed) failed = {action, *fault};
    // Steps that change nothing would fill most runs.
    const auto* happened = std::get_if<ir::Happened>(&outcome);
    if (happened != nullptr && happened->next != from) moves.push_back(action);
  });
  if (failed) {
    found(FoundKind::fault, {}, failed->second);
    run_.found->failing_action = failed->first;
    return false;
  }
  if (moves.empty()) {
    run_.at_rest = !cut;
    return false;
  }
  ir::Action& action = moves[below(random, moves.size())];
  auto happened = std::get<ir::Happened>(interpreter_.apply(from, action));
  run_.trace.actions.push_back(std::move(action));
  run_.trace.states.push_back(std::move(happened.next));
  run_.trace.sends.push_back(std::move(happened.sends));
  return true;
}

void Run::check() {
  const auto& states = run_.trace.states;
  for (std::size_t i = 0; i < p_.properties.size() && !run_.found; ++i) {
    const ir::Property& property = p_.properties[i];
    const bool transition = property.kind == ir::PropertyKind::transition;
    if (property.kind == ir::PropertyKind::reachable || (transition && states.size() < 2)) continue;
    const ir::State* before = transition ? &states[states.size() - 2] : nullptr;
    const auto holds = interpreter_.holds(property.formula, states.back(), before);
    const bool* value = std::get_if<bool>(&holds);
    if ((value != nullptr && *value) || ir::is_cut(holds)) continue;
    const auto* fault = std::get_if<ir::Fault>(&holds);
    found(FoundKind::violation, ir::PropertyId(i), fault != nullptr ? std::optional(*fault) : std::nullopt);
    run_.found->binding = interpreter_.witness(property.formula, states.back(), before);
  }
}

}  // namespace

Result<std::vector<SimulatedRun>> simulate(const ir::Protocol& protocol, const ir::Instance& instance,
                                           const SimulateOptions& options) {
  std::mt19937_64 random(options.seed);
  std::vector<SimulatedRun> runs;
  const auto stopped = [&] { return options.stop != nullptr && options.stop->requested(); };
  for (std::uint32_t i = 0; i < options.runs && !stopped(); ++i) {
    Result<ir::Start> start = random_start(protocol, instance, random);
    if (!start) return tl::unexpected<Error>(start.error());
    Run run(protocol, instance, std::move(*start));
    run.check();
    for (std::uint32_t step = 0; step < options.steps && !run.ended() && !stopped(); ++step) {
      if (!run.step(random)) break;
      run.check();
    }
    runs.push_back(run.take());
  }
  return runs;
}

}  // namespace tenet::explore
