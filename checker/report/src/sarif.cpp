#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "escape.h"
#include "narration.h"
#include "tenet/report/report.h"
#include "wording.h"

namespace tenet::report {
namespace {

using Json = nlohmann::ordered_json;
using result::Finding;
using result::Level;
using result::Verdict;

Json region(const SourceFile& source, Span span) {
  const LineColumn begin = source.position(span.begin);
  const LineColumn end = source.position(span.end);
  return {{"startLine", begin.line}, {"startColumn", begin.column}, {"endLine", end.line}, {"endColumn", end.column}};
}

Json physical(const SourceFile& source, Span span) {
  Json json{{"artifactLocation", {{"uri", escape_uri(source.path())}}}};
  if (!span.empty()) json["region"] = region(source, span);
  return json;
}

Json location(const SourceFile& source, Span span, const std::string& message) {
  Json json{{"physicalLocation", physical(source, span)}};
  if (!message.empty()) json["message"] = {{"text", message}};
  return json;
}

std::string step_text(const result::TraceView& trace, const result::TraceStep& step) {
  std::string text = step.host + " " + deed(step);
  for (const auto& change : step.changes) {
    text += "; " + change.variable + ": " + change.before + " → " + change.after;
  }
  for (const SendGroup& group : group_sends(trace, step)) text += "; sends " + group.text + " to " + group.to;
  if (!step.fault.empty()) text += "; " + step.fault;
  return text;
}

Json code_flow(const SourceFile& source, const result::TraceView& trace) {
  Json locations = Json::array();
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const auto& step = trace.steps[i];
    locations.push_back({{"location", location(source, step.span, step_text(trace, step))},
                         {"executionOrder", i + 1},
                         {"importance", i + 1 == trace.steps.size() ? "essential" : "important"}});
  }
  return {{"threadFlows", Json::array({{{"locations", std::move(locations)}}})}};
}

/// SARIF tells apart how bad (level) and what kind of answer (kind); a kind
/// other than "fail" must come with level "none".
std::pair<std::string, std::string> level_and_kind(const Finding& finding) {
  const bool open = finding.verdict == Verdict::unknown || finding.verdict == Verdict::unsupported;
  if (open) return {"none", "open"};
  switch (finding.level) {
    case Level::failure:
    case Level::bad_input:
      return {"error", "fail"};
    case Level::warning:
      return {"warning", "fail"};
    case Level::note:
      return {"note", "fail"};
    case Level::pass:
      break;
  }
  if (finding.verdict == Verdict::holds_bounded) return {"none", "open"};
  return {"none", "pass"};
}

std::string message_text(const Finding& finding) {
  std::string text = finding.message;
  if (finding.trace && !finding.trace->why.empty()) text += "; for " + finding.trace->why;
  if (!finding.hint.empty()) text += "; " + finding.hint;
  return text;
}

Json result_of(const result::FileResult& file, const Finding& finding) {
  const auto [level, kind] = level_and_kind(finding);
  Json json{{"ruleId", finding.rule}, {"kind", kind}, {"level", level}};
  json["message"] = {{"text", message_text(finding)}};
  json["locations"] = Json::array({location(*file.source, finding.span, "")});
  if (!finding.subject.empty()) {
    json["locations"][0]["logicalLocations"] =
        Json::array({{{"name", finding.subject}, {"kind", finding.subject_kind}}});
  }
  if (!finding.notes.empty()) {
    json["relatedLocations"] = Json::array();
    for (const auto& note : finding.notes) {
      json["relatedLocations"].push_back(location(*file.source, note.span, note.message));
    }
  }
  if (finding.trace && !finding.trace->steps.empty()) {
    json["codeFlows"] = Json::array({code_flow(trace_source(file), *finding.trace)});
  }
  if (finding.verdict) json["properties"] = {{"verdict", result::name(*finding.verdict)}};
  return json;
}

Json result_without_file(const Finding& finding) {
  return {
      {"ruleId", finding.rule}, {"kind", "fail"}, {"level", "error"}, {"message", {{"text", message_text(finding)}}}};
}

Json rules(const result::RunResult& run) {
  std::set<std::string> ids;
  for (const Finding& finding : run.problems) ids.insert(finding.rule);
  for (const auto& file : run.files) {
    for (const Finding& finding : file.findings) ids.insert(finding.rule);
  }
  Json json = Json::array();
  for (const std::string& id : ids) json.push_back({{"id", id}});
  return json;
}

}  // namespace

std::string sarif(const result::RunResult& run, const Style&) {
  Json results = Json::array();
  for (const Finding& problem : run.problems) results.push_back(result_without_file(problem));
  std::set<std::string> paths;
  for (const auto& file : run.files) {
    paths.insert(file.source->path());
    if (file.trace_source) paths.insert(file.trace_source->path());
    for (const Finding& finding : file.findings) results.push_back(result_of(file, finding));
  }
  Json artifacts = Json::array();
  for (const std::string& path : paths) artifacts.push_back({{"location", {{"uri", escape_uri(path)}}}});

  const int status = result::exit_status(run);
  Json one{{"tool", {{"driver", {{"name", "tenet"}, {"version", run.version}, {"rules", rules(run)}}}}}};
  one["columnKind"] = "unicodeCodePoints";
  // A run that could not look at its input, or that broke, was not successful.
  one["invocations"] = Json::array({{{"executionSuccessful", status < 3 && !run.interrupted}, {"exitCode", status}}});
  one["artifacts"] = std::move(artifacts);
  one["results"] = std::move(results);
  Json json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
  json["runs"] = Json::array({std::move(one)});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenet::report
