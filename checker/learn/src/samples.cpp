#include "samples.h"

#include <algorithm>

#include "tenet/explore/explorer.h"
#include "tenet/induct/questions.h"

namespace tenet::learn {

namespace {
/// Levels are explored until so many states are stored.
constexpr std::uint64_t kExplored = 1500;
/// Of an instance so many states are kept, spread evenly.
constexpr std::size_t kKept = 600;
constexpr std::uint64_t kMemory = 256ULL << 20;

/// Without those that are violated already.
std::vector<ir::PropertyId> undecided(std::vector<ir::PropertyId> properties, const Samples& samples) {
  std::erase_if(properties, [&](ir::PropertyId id) {
    return std::any_of(samples.violations.begin(), samples.violations.end(),
                       [&](const Violation& v) { return v.found.property == id; });
  });
  return properties;
}

void explore_one(const ir::Protocol& protocol, const std::vector<ir::PropertyId>& asked, const ir::Instance& instance,
                 const StopFlag* stop, Samples& out) {
  const std::vector<ir::PropertyId> properties = undecided(asked, out);
  if (properties.empty() || out.faulty()) return;
  out.instances.push_back(instance);
  const ir::Instance* kept = &out.instances.back();
  std::vector<Sample> states;
  explore::Options options;
  options.max_states = kExplored;
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
  const std::size_t stride = std::max<std::size_t>(1, states.size() / kKept);
  for (std::size_t i = 0; i < states.size(); i += stride) out.states.push_back(std::move(states[i]));
}

}  // namespace

bool Samples::faulty() const {
  return std::any_of(violations.begin(), violations.end(),
                     [](const Violation& v) { return v.found.fault.has_value(); });
}

Samples sample(const ir::Protocol& protocol, const std::vector<ir::PropertyId>& properties, const StopFlag* stop) {
  Samples made;
  for (const std::int64_t size : {std::int64_t{2}, std::int64_t{3}}) {
    explore_one(protocol, properties,
                induct::instance_of_size(protocol, std::vector<std::int64_t>(protocol.roles.size(), size),
                                         std::vector<std::int64_t>(protocol.sorts.size(), size), size),
                stop, made);
  }
  if (!protocol.instances.empty()) {
    Diagnostics ignored;
    const auto declared = ir::Instance::resolve(protocol, &protocol.instances.front(), ignored);
    if (declared) explore_one(protocol, properties, *declared, stop, made);
  }
  return made;
}

}  // namespace tenet::learn
