#include <fmt/format.h>

#include "tenet/charts/charts.h"
#include "tenet/ir/printer.h"
#include "tenet/result/trace_view.h"

namespace tenet::charts {
namespace {

using result::Finding;
using result::TraceView;

TraceView view_of(const ir::Protocol& protocol, const validate::Obstacle& obstacle) {
  const validate::Execution& run = *obstacle.execution;
  TraceView view = result::view(protocol, *run.instance, run.trace);
  if (run.next) {
    result::add_failing_step(view, protocol, *run.instance, *run.next, {});
    view.claim = fmt::format("the guard of {}", protocol[run.next->step].name);
    for (const std::string& guard : obstacle.guards) view.evaluation.emplace_back(guard, "false");
  } else {
    result::TraceStep step;
    step.step = "what the log says";
    step.host = ir::to_source(protocol, run.host);
    view.steps.push_back(std::move(step));
  }
  view.steps.back().fault = obstacle.reason;
  return view;
}

Finding finding_of(const ir::Protocol& protocol, const validate::Obstacle& obstacle) {
  const bool unknown = obstacle.answer == validate::Answer::unknown;
  Finding finding;
  finding.rule = unknown ? "event-unknown" : "event-not-explained";
  finding.verdict = unknown ? result::Verdict::unknown : result::Verdict::violated;
  finding.subject = fmt::format("{} {}:{}", obstacle.host, obstacle.file, obstacle.line);
  finding.message = fmt::format("{}: {}", finding.subject, obstacle.reason);
  finding.hint = obstacle.event;
  if (!obstacle.execution) return finding;
  const validate::Execution& run = *obstacle.execution;
  if (run.next) finding.span = protocol[run.next->step].span;
  finding.category = run.whole ? "logged-run" : "logged-end";
  finding.instance = fmt::format("run {}, {}", obstacle.key, result::describe(protocol, *run.instance));
  finding.trace = view_of(protocol, obstacle);
  finding.trace_instance = run.instance;
  return finding;
}

}  // namespace

result::RunResult of_validation(const ir::Protocol& protocol, std::shared_ptr<const SourceFile> source,
                                const validate::Report& report) {
  result::RunResult run;
  run.command = "monitor validate";
  run.conclusion = {validate::summary(report), validate::exit_status(report)};
  result::FileResult file;
  file.source = std::move(source);
  file.protocol = protocol.name;
  for (const std::string& note : report.notes) {
    Finding finding;
    finding.rule = "note";
    finding.level = result::Level::note;
    finding.message = note;
    file.findings.push_back(std::move(finding));
  }
  for (const validate::Obstacle& obstacle : report.obstacles) file.findings.push_back(finding_of(protocol, obstacle));
  run.files.push_back(std::move(file));
  return run;
}

}  // namespace tenet::charts
