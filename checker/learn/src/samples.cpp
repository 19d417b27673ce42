#include "samples.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <variant>

#include "tenet/explore/explorer.h"
#include "tenet/induct/questions.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/random_start.h"

namespace tenet::learn {

namespace {
/// Levels are explored until so many states are stored.
constexpr std::uint64_t kExplored = 1500;
/// The same where one type has a single value.
constexpr std::uint64_t kGlanced = 300;
/// Of an instance so many states are kept, spread evenly.
constexpr std::size_t kKept = 600;
/// Random runs of an instance that has more states.
constexpr std::size_t kRuns = 60, kRunSteps = 25;
constexpr std::uint64_t kMemory = 256ULL << 20;
/// An instance with more starts is not explored: what is near so many starts says little. So many candidates are tried.
constexpr std::size_t kMostStarts = 1000;
constexpr std::uint64_t kMostTried = 100'000;
/// Runs from random starts instead; so many candidates are tried for each start.
constexpr std::size_t kStarts = 60;
constexpr std::uint64_t kTriedForOne = 5'000;

/// Without those that are violated already.
std::vector<ir::PropertyId> undecided(std::vector<ir::PropertyId> properties, const Samples& samples) {
  std::erase_if(properties, [&](ir::PropertyId id) {
    return std::any_of(samples.violations.begin(), samples.violations.end(),
                       [&](const Violation& v) { return v.found.property == id; });
  });
  return properties;
}

/// Random runs from these states. Steps are chosen alike, however many ways there are to take one, and what changes
/// nothing is not taken: so runs go deep.
std::vector<Sample> runs_from(const ir::Protocol& protocol, const std::vector<Sample>& states, const StopFlag* stop) {
  std::vector<Sample> made;
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (std::size_t run = 0; run < kRuns; ++run) {
    const Sample& start = states[run * states.size() / kRuns];
    const ir::Interpreter interpreter(protocol, *start.instance, start.constants);
    ir::State state = start.state;
    for (std::size_t step = 0; step < kRunSteps; ++step) {
      if (stop != nullptr && stop->requested()) return made;
      std::map<ir::StepId, std::vector<ir::State>> next;
      interpreter.enabled(state, [&](const ir::Action& action, const ir::Outcome& outcome) {
        const auto* happened = std::get_if<ir::Happened>(&outcome);
        if (happened != nullptr && happened->next != state) next[action.step].push_back(happened->next);
      });
      if (next.empty()) break;
      auto& ways = std::next(next.begin(), static_cast<std::ptrdiff_t>(below(next.size())))->second;
      state = std::move(ways[below(ways.size())]);
      made.push_back({start.instance, start.constants, state});
    }
  }
  return made;
}

bool few_starts(const ir::Protocol& protocol, const ir::Instance& instance) {
  std::size_t seen = 0;
  const auto ran =
      ir::enumerate_starts(protocol, instance, kMostTried, [&](const ir::Start&) { return ++seen <= kMostStarts; });
  return ran && seen <= kMostStarts;
}

std::vector<Sample> random_starts(const ir::Protocol& protocol, const ir::Instance& instance, const StopFlag* stop) {
  std::vector<Sample> made;
  for (std::uint64_t seed = 1; seed <= kStarts && (stop == nullptr || !stop->requested()); ++seed) {
    auto start = ir::random_start(protocol, instance, kTriedForOne, seed);
    if (start) made.push_back({&instance, std::move(start->constants), std::move(start->state)});
  }
  return made;
}

void explore_one(const ir::Protocol& protocol, const std::vector<ir::PropertyId>& asked, const ir::Instance& instance,
                 std::uint64_t most, const StopFlag* stop, Samples& out) {
  const std::vector<ir::PropertyId> properties = undecided(asked, out);
  if (properties.empty() || out.faulty()) return;
  out.instances.push_back(instance);
  const ir::Instance* kept = &out.instances.back();
  if (!few_starts(protocol, *kept)) {
    std::vector<Sample> starts = random_starts(protocol, *kept, stop);
    std::vector<Sample> deep = starts.empty() ? starts : runs_from(protocol, starts, stop);
    for (std::vector<Sample>* each : {&starts, &deep}) {
      for (Sample& state : *each) out.states.push_back(std::move(state));
    }
    return;
  }
  std::vector<Sample> states;
  explore::Options options;
  options.max_states = most;
  options.memory_bytes = kMemory;
  options.properties = properties;
  options.deadlocks = false;
  options.stop = stop;
  options.visit = [&](const ir::Constants& constants, const ir::State& state) {
    states.push_back({kept, constants, state});
  };
  const auto report = explore::explore(protocol, instance, options);
  if (!report) return;
  for (const explore::Found& found : report->found) {
    const bool counts = !found.fault || ir::of_the_protocol(found.fault->kind);
    if (counts && found.kind != explore::FoundKind::reached) out.violations.push_back({instance, found});
  }
  std::vector<Sample> deep;
  if (!report->whole() && !states.empty()) deep = runs_from(protocol, states, stop);
  const std::size_t stride = std::max<std::size_t>(1, states.size() / kKept);
  for (std::size_t i = 0; i < states.size(); i += stride) out.states.push_back(std::move(states[i]));
  for (Sample& state : deep) out.states.push_back(std::move(state));
}

}  // namespace

bool Samples::faulty() const {
  return std::any_of(violations.begin(), violations.end(),
                     [](const Violation& v) { return v.found.fault.has_value(); });
}

namespace {
/// So many of everything, and perhaps one of a single role or type.
ir::Instance instance_but(const ir::Protocol& protocol, std::int64_t size, std::optional<std::size_t> lonely_role,
                          std::optional<std::size_t> lonely_sort) {
  std::vector<std::int64_t> hosts(protocol.roles.size(), size), values;
  if (lonely_role) hosts[*lonely_role] = 1;
  for (std::size_t s = 0; s < protocol.sorts.size(); ++s) {
    std::int64_t named = 0;
    for (const ir::ConstDecl& decl : protocol.constants) {
      const ir::Type& type = protocol[decl.type];
      if (type.kind == ir::TypeKind::sort && type.declaration == s && !decl.role.valid() && decl.parameters.empty()) {
        ++named;
      }
    }
    const std::int64_t own = lonely_sort == s ? 1 : size;
    values.push_back(protocol.sorts[s].ordered ? own + named : own);
  }
  return induct::instance_of_size(protocol, hosts, values, size);
}
}  // namespace

ir::Instance instance_with(const ir::Protocol& protocol, std::int64_t size) {
  return instance_but(protocol, size, {}, {});
}

Samples sample(const ir::Protocol& protocol, const std::vector<ir::PropertyId>& properties, const StopFlag* stop) {
  Samples made;
  for (const std::int64_t size : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}) {
    explore_one(protocol, properties, instance_with(protocol, size), kExplored, stop, made);
  }
  // What holds only because there are several values is no lemma.
  for (std::size_t r = 0; r < protocol.roles.size(); ++r) {
    if (!protocol.roles[r].single) {
      explore_one(protocol, properties, instance_but(protocol, 2, r, {}), kGlanced, stop, made);
    }
  }
  for (std::size_t s = 0; s < protocol.sorts.size(); ++s) {
    explore_one(protocol, properties, instance_but(protocol, 2, {}, s), kGlanced, stop, made);
  }
  if (!protocol.instances.empty()) {
    Diagnostics ignored;
    const auto declared = ir::Instance::resolve(protocol, &protocol.instances.front(), ignored);
    if (declared) explore_one(protocol, properties, *declared, kExplored, stop, made);
  }
  return made;
}

}  // namespace tenet::learn
