#include "tenet/validate/validate.h"

#include <fmt/format.h>

#include "log.h"
#include "replay.h"
#include "values.h"

namespace tenet::validate {

Result<Report> validate(const ir::Protocol& protocol, const std::vector<std::string>& files, const Options& options) {
  auto mapping = Mapping::load(options.mapping);
  if (!mapping) return tl::make_unexpected(mapping.error());
  RoleSizes sizes;
  std::map<std::uint64_t, Values> values;  // by run
  auto logs = read_logs(protocol, files, options, *mapping, [&](std::uint64_t key, const Json& line) {
    return values.try_emplace(key, protocol, sizes).first->second.collect_line(line);
  });
  if (!logs) return tl::make_unexpected(logs.error());
  Report report;
  report.notes = logs->notes;
  report.events = logs->events;
  if (logs->foreign || logs->events == 0) {
    if (logs->events == 0) report.notes.push_back("there is no event in the logs");
    return report;
  }
  report.answer = Answer::explained;
  Replay replay(protocol, *logs, *mapping, options);
  for (auto run = values.begin(); run != values.end(); run = values.erase(run)) {
    auto& [key, mentioned] = *run;
    for (const auto& [name, json] : logs->constants) {
      for (const ir::ConstDecl& constant : protocol.constants) {
        if (constant.role.valid() || constant.name != name) continue;
        if (auto done = mentioned.collect(constant.type, json); !done) return tl::make_unexpected(done.error());
      }
    }
    if (auto done = mentioned.resolve(options, *logs); !done) return tl::make_unexpected(done.error());
    if (auto done = replay.run(key, logs->runs.at(key), mentioned, report); !done) {
      return tl::make_unexpected(done.error());
    }
  }
  replay.finish(report);
  if (report.answer == Answer::explained && report.steps == 0) {
    report.answer = Answer::unknown;
    report.notes.push_back("there is no step in the logs: nothing was checked");
  }
  return report;
}

int exit_status(const Report& report) {
  switch (report.answer) {
    case Answer::explained:
      return 0;
    case Answer::not_explained:
      return 1;
    case Answer::unknown:
      return 2;
  }
  return 4;
}

namespace {

const char* name(Answer answer) {
  switch (answer) {
    case Answer::explained:
      return "explained";
    case Answer::not_explained:
      return "not explained";
    case Answer::unknown:
      return "unknown";
  }
  return "";
}

}  // namespace

std::string summary(const Report& report) {
  return fmt::format("{}: {} of {} events in {} run{}, {} steps checked{}{}", name(report.answer), report.explained,
                     report.events, report.runs, report.runs == 1 ? "" : "s", report.steps,
                     report.trusted == 0 ? "" : fmt::format(", {} not judged because of losses", report.trusted),
                     report.searched == 0
                         ? ""
                         : fmt::format(", {} {} searched", report.searched, report.searched == 1 ? "node" : "nodes"));
}

std::string to_text(const Report& report) {
  std::string out;
  for (const std::string& note : report.notes) out += "note: " + note + "\n";
  for (const Obstacle& o : report.obstacles) {
    out += fmt::format("\n{}: {} {}:{}\n  {}\n  {}\n", o.answer == Answer::unknown ? "unknown" : "not explained",
                       o.host, o.file, o.line, o.event, o.reason);
    for (const std::string& guard : o.guards) out += fmt::format("  false here: {}\n", guard);
    if (!o.state.empty()) {
      out += "  the specification's state:";
      for (const std::string& cell : o.state) out += "  " + cell;
      out += "\n";
    }
  }
  return out + (report.obstacles.empty() ? "" : "\n") + summary(report) + "\n";
}

std::string to_json(const Report& report) {
  Json out{{"format", "tenet-validation"},  {"version", 1},
           {"answer", name(report.answer)}, {"events", report.events},
           {"explained", report.explained}, {"trusted", report.trusted},
           {"steps", report.steps},         {"runs", report.runs},
           {"searched", report.searched},   {"notes", report.notes},
           {"obstacles", Json::array()}};
  for (const Obstacle& o : report.obstacles) {
    out["obstacles"].push_back({{"answer", name(o.answer)},
                                {"host", o.host},
                                {"file", o.file},
                                {"line", o.line},
                                {"key", o.key},
                                {"event", o.event},
                                {"reason", o.reason},
                                {"guards", o.guards},
                                {"state", o.state}});
  }
  return out.dump(2) + "\n";
}

}  // namespace tenet::validate
