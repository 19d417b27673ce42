#include "symbolic_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "deadline.h"
#include "tenet/result/trace_view.h"
#include "tenet/symbolic/search.h"

namespace tenet::verify {
namespace {

/// Where nobody asked for it.
constexpr unsigned kDefaultDepth = 8;
/// Of all searches of a file, in Z3's unit, where nobody asked for them.
constexpr std::uint64_t kDefaultResources = 20'000'000;
/// Where somebody did: the time limit is nearer.
constexpr std::uint64_t kAskedResources = 2'000'000'000;

std::string_view end_of(symbolic::End end) {
  switch (end) {
    case symbolic::End::depth:
      return "depth";
    case symbolic::End::decided:
      return "decided";
    case symbolic::End::exhausted:
      return "exhausted";
    case symbolic::End::unknown:
      return "unknown";
    case symbolic::End::stopped:
      return "stopped";
    case symbolic::End::refused:
      break;
  }
  return "unsupported";
}

explore::Found in_words_of_the_explorer(const ir::Protocol& protocol, symbolic::Found&& found) {
  explore::Found made;
  made.property = found.property;
  made.kind = !found.property.valid()                                        ? explore::FoundKind::fault
              : protocol[found.property].kind == ir::PropertyKind::reachable ? explore::FoundKind::reached
                                                                             : explore::FoundKind::violation;
  made.fault = found.fault;
  made.failing_action = std::move(found.failing_action);
  made.trace = std::move(found.trace);
  if (made.property.valid()) {
    const ir::Interpreter interpreter(protocol, found.instance, made.trace.constants);
    const auto& states = made.trace.states;
    made.binding = interpreter.witness(protocol[made.property].formula, states.back(),
                                       states.size() > 1 ? &states[states.size() - 2] : nullptr);
  }
  return made;
}

}  // namespace

unsigned symbolic_depth(const Options& options) {
  return options.symbolic_depth.value_or(options.prove ? kDefaultDepth : 0);
}

std::string SymbolicAttempt::about(const std::string& property) const {
  std::vector<std::string> said;
  for (const result::SymbolicSearch& search : searches) {
    const auto open = std::find_if(search.open.begin(), search.open.end(),
                                   [&](const result::NamedText& each) { return each.first == property; });
    std::string text;
    if (open != search.open.end()) {
      text = open->second;
    } else if (std::find(search.properties.begin(), search.properties.end(), property) == search.properties.end()) {
      continue;
    } else {
      text = result::outcome(search);
    }
    if (std::find(said.begin(), said.end(), text) == said.end()) said.push_back(std::move(text));
  }
  std::string all;
  for (const std::string& text : said) all += (all.empty() ? "symbolic search: " : "; ") + text;
  return all;
}

SymbolicAttempt search_symbolically(const Runner& runner, const Options& options, const ir::Protocol& protocol,
                                    const std::vector<NamedInstance>& instances, std::vector<ir::PropertyId> properties,
                                    bool faults) {
  SymbolicAttempt attempt;
  const Deadline deadline(options.stop, options.prove_seconds);
  std::uint64_t left = options.symbolic_depth ? kAskedResources : kDefaultResources;
  for (const NamedInstance& instance : instances) {
    if (properties.empty() || deadline.flag().requested()) break;
    symbolic::Options how;
    how.properties = properties;
    how.faults = faults;
    how.depth = symbolic_depth(options);
    how.resource_limit = left;
    how.total_resources = left;
    how.seed = options.seed;
    how.stop = &deadline.flag();
    how.progress = [&](unsigned depth) {
      runner.report_progress(
          {fmt::format("{}, instance {}: symbolic search, runs of {} steps", protocol.name, instance.name, depth), {}});
    };
    symbolic::Report report = symbolic::search(protocol, *instance.instance, how);
    left -= std::min(left, report.resources);
    result::SymbolicSearch told;
    told.instance = instance.name;
    told.end = end_of(report.end);
    told.reason =
        report.end == symbolic::End::stopped
            ? (deadline.expired() ? fmt::format("stopped after {:g} s", options.prove_seconds) : "interrupted")
            : report.reason;
    told.depth = report.depth;
    told.resources = report.resources;
    told.seconds = report.seconds;
    for (const ir::PropertyId id : properties) told.properties.push_back(protocol[id].name);
    for (const symbolic::Report::Open& open : report.open) {
      told.open.emplace_back(open.property.valid() ? protocol[open.property].name : "steps without a result",
                             (open.refused ? "not supported: " : "") + open.reason);
    }
    attempt.searches.push_back(std::move(told));
    for (symbolic::Found& found : report.found) {
      std::erase(properties, found.property);
      faults = faults && found.property.valid();
      if (found.property.valid()) attempt.searches.back().found.push_back(protocol[found.property].name);
      const NamedInstance where{std::make_shared<ir::Instance>(found.instance), found.instance.name(),
                                result::describe(protocol, found.instance)};
      Exploration met = Exploration::of(where, in_words_of_the_explorer(protocol, std::move(found)));
      met.category = kSymbolicRun;
      attempt.found.push_back(std::move(met));
    }
  }
  return attempt;
}

}  // namespace tenet::verify
