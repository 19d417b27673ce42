#include "exploration.h"

#include <algorithm>
#include <mutex>

#include "deadline.h"
#include "inputs.h"
#include "report_codec.h"
#include "tenet/ir/printer.h"
#include "tenet/result/trace_view.h"

namespace tenet::verify {
namespace {

/// Everything that the report depends on. Threads and memory are left out:
/// they decide only whether an exploration finishes, and only finished ones
/// are kept.
cache::Key key_of(const Runner::Task& task, const std::string& build) {
  std::string options = std::to_string(kReportLayout) + " violations " + std::to_string(task.max_violations) +
                        (task.first_only ? " first" : "") + (task.deadlocks ? " deadlocks" : "") + " properties";
  for (const ir::PropertyId id : task.properties) options += " " + std::to_string(id.value);
  // The text itself as well: reports name expressions by their number, which
  // the printed IR does not fix.
  return cache::key(
      {ir::print(task.protocol), task.instance.description, options, build, task.salt, task.source.text()});
}

bool worth_keeping(const explore::Report& report) { return report.whole() || report.end == explore::End::satisfied; }

}  // namespace

std::vector<NamedInstance> resolve_instances(const ir::Protocol& protocol, const std::string& wanted,
                                             std::vector<result::Finding>& problems) {
  std::vector<NamedInstance> result;
  const auto add = [&](const ir::InstanceDecl* decl) {
    Diagnostics diagnostics;
    auto instance = ir::Instance::resolve(protocol, decl, diagnostics);
    result::FileResult file;
    add_diagnostics(diagnostics, file);
    std::move(file.findings.begin(), file.findings.end(), std::back_inserter(problems));
    if (!instance) return;
    NamedInstance named{std::make_shared<ir::Instance>(std::move(*instance)), decl != nullptr ? decl->name : "default",
                        ""};
    named.description = result::describe(protocol, *named.instance);
    result.push_back(std::move(named));
  };
  for (const ir::InstanceDecl& decl : protocol.instances) {
    if (wanted.empty() || decl.name == wanted) add(&decl);
  }
  if (protocol.instances.empty() && (wanted.empty() || wanted == "default")) add(nullptr);
  return result;
}

NamedInstance small_instance(const ir::Protocol& protocol, const ir::Instance& instance) {
  return {std::make_shared<ir::Instance>(instance), "a small instance", result::describe(protocol, instance)};
}

Exploration Exploration::of(NamedInstance instance, explore::Found found) {
  Exploration made;
  made.instance = std::move(instance);
  made.report.emplace();
  made.report->found.push_back(std::move(found));
  return made;
}

void Runner::report_progress(const Progress& progress) const {
  if (!options_.progress) return;
  const std::lock_guard lock(progress_mutex_);
  options_.progress(progress);
}

Exploration Runner::run(const Task& task) const {
  Exploration result{task.instance, std::nullopt, {}, false};
  const bool caching = options_.cache != nullptr;
  const cache::Key key = caching ? key_of(task, options_.build) : cache::Key{};
  if (caching) {
    if (const auto bytes = options_.cache->get(key)) {
      result.report = decode(*bytes, task.protocol);
      result.cached = result.report.has_value();
      if (result.cached) return result;
    }
  }
  explore::Options options;
  options.threads = task.threads;
  options.memory_bytes = task.memory_bytes;
  options.max_violations = task.max_violations;
  options.properties = task.properties;
  options.first_only = task.first_only;
  options.deadlocks = task.deadlocks;
  std::optional<Deadline> deadline;
  if (options_.explore_seconds > 0) deadline.emplace(options_.stop, options_.explore_seconds);
  options.stop = deadline ? &deadline->flag() : options_.stop;
  options.progress = [&](const explore::Progress& numbers) { report_progress({task.label, numbers}); };
  report_progress({task.label, {}});
  auto report = explore::explore(task.protocol, *task.instance.instance, options);
  if (!report) {
    result.error = report.error();
    return result;
  }
  result.report = std::move(*report);
  result.timed_out = result.report->end == explore::End::stopped && !stopped();
  if (caching && worth_keeping(*result.report)) options_.cache->put(key, encode(*result.report));
  return result;
}

std::string_view describe(const Exploration& exploration) {
  switch (exploration.report->end) {
    case explore::End::complete:
      return "complete";
    case explore::End::cut:
      return "complete, but cut at a bound of the instance";
    case explore::End::memory:
      return "stopped at the memory bound";
    case explore::End::depth:
      return "stopped at the depth bound";
    case explore::End::stopped:
      return exploration.timed_out ? "stopped at the time bound" : "interrupted";
    case explore::End::satisfied:
      return "ended early: everything asked was decided";
  }
  return "";
}

result::Statistics statistics(const Exploration& exploration) {
  result::Statistics s;
  s.instance = exploration.instance.description;
  if (!exploration.report) {
    s.end = exploration.error.message;
    return s;
  }
  const explore::Report& r = *exploration.report;
  s.initial_states = r.initial_states;
  s.states = r.states;
  s.transitions = r.transitions;
  s.deadlocks = r.deadlocks;
  s.depth = r.depth;
  if (r.whole()) s.diameter = r.depth;
  s.seconds = r.seconds;
  s.memory = r.memory;
  s.complete = r.end == explore::End::complete;
  s.cached = exploration.cached;
  s.end = describe(exploration);
  return s;
}

}  // namespace tenet::verify
