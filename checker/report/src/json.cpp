#include <nlohmann/json.hpp>

#include "summary.h"
#include "tenet/report/report.h"
#include "wording.h"

namespace tenet::report {
namespace {

using Json = nlohmann::ordered_json;
using result::TraceStep;

/// Raised when a field changes its meaning or goes away, never for new fields.
constexpr int kSchemaVersion = 1;

Json location(const SourceFile& source, Span span) {
  Json json{{"path", source.path()}};
  if (span.empty()) return json;
  const LineColumn begin = source.position(span.begin);
  const LineColumn end = source.position(span.end);
  json["line"] = begin.line;
  json["column"] = begin.column;
  json["end_line"] = end.line;
  json["end_column"] = end.column;
  return json;
}

Json named(const std::vector<result::NamedText>& items) {
  Json json = Json::array();
  for (const auto& [name, value] : items) json.push_back({{"name", name}, {"value", value}});
  return json;
}

/// A host or null for what belongs to the whole protocol.
Json owner(const std::string& host) { return host.empty() ? Json(nullptr) : Json(host); }

Json values(const std::vector<TraceStep::Change>& items) {
  Json json = Json::array();
  for (const auto& item : items) {
    json.push_back({{"host", owner(item.host)}, {"name", item.variable}, {"value", item.after}});
  }
  return json;
}

Json message(const TraceStep::Message& m, bool received) {
  Json json{{"name", m.name}, {"text", m.text}, {"from", m.from}, {"to", m.to}, {"fields", named(m.fields)}};
  if (received) json["sent_by_step"] = m.sent_at ? Json(*m.sent_at + 1) : Json(nullptr);
  return json;
}

Json step(const SourceFile& source, const TraceStep& s, std::size_t number) {
  Json json{{"number", number}, {"step", s.step}, {"host", s.host}, {"arguments", named(s.arguments)}};
  json["received"] = s.received ? message(*s.received, true) : Json(nullptr);
  json["sent"] = Json::array();
  for (const auto& m : s.sent) json["sent"].push_back(message(m, false));
  json["changes"] = Json::array();
  for (const auto& c : s.changes) {
    json["changes"].push_back(
        {{"host", owner(c.host)}, {"name", c.variable}, {"before", c.before}, {"after", c.after}});
  }
  if (!s.fault.empty()) json["fault"] = s.fault;
  json["location"] = location(source, s.span);
  return json;
}

Json trace(const SourceFile& source, const result::TraceView& t) {
  Json json{{"hosts", t.hosts}, {"constants", values(t.constants)}, {"initial", values(t.initial)}};
  if (!t.network.empty()) {
    json["network"] = Json::array();
    for (const auto& m : t.network) json["network"].push_back(message(m, false));
  }
  json["steps"] = Json::array();
  for (std::size_t i = 0; i < t.steps.size(); ++i) json["steps"].push_back(step(source, t.steps[i], i + 1));
  json["final"] = values(t.final_state);
  json["why"] = {
      {"property", t.claim}, {"text", t.why}, {"binding", named(t.binding)}, {"evaluation", named(t.evaluation)}};
  return json;
}

Json finding(const SourceFile& source, const SourceFile& traces, const result::Finding& f) {
  Json json{{"rule", f.rule}, {"level", result::name(f.level)}};
  json["verdict"] = f.verdict ? Json(result::name(*f.verdict)) : Json(nullptr);
  json["subject"] = f.subject;
  json["subject_kind"] = f.subject_kind;
  json["message"] = f.message;
  if (!f.hint.empty()) json["hint"] = f.hint;
  if (!f.doc.empty()) json["doc"] = f.doc;
  if (!f.category.empty()) json["category"] = f.category;
  if (!f.instance.empty()) json["instance"] = f.instance;
  json["location"] = location(source, f.span);
  if (!f.notes.empty()) {
    json["notes"] = Json::array();
    for (const auto& note : f.notes) {
      json["notes"].push_back({{"message", note.message}, {"location", location(source, note.span)}});
    }
  }
  if (f.trace) json["trace"] = trace(traces, *f.trace);
  return json;
}

Json statistics(const result::Statistics& s, const Style& style) {
  Json json{{"instance", s.instance},   {"initial_states", s.initial_states},
            {"states", s.states},       {"transitions", s.transitions},
            {"depth", s.depth},         {"diameter", s.diameter ? Json(*s.diameter) : Json(nullptr)},
            {"deadlocks", s.deadlocks}, {"symmetry", s.symmetry},
            {"complete", s.complete},   {"end", s.end}};
  if (!style.deterministic) {
    json["seconds"] = s.seconds;
    json["memory_bytes"] = s.memory;
    json["cached"] = s.cached;
  }
  return json;
}

Json proof(const result::Proof& p, const Style& style) {
  Json json{{"well_defined", p.well_defined}, {"reason", p.reason}};
  json["claims"] = Json::array();
  for (const auto& c : p.claims) {
    json["claims"].push_back({{"property", c.property},
                              {"proved", c.proved},
                              {"reason", c.reason},
                              {"open_execution", c.open_execution},
                              {"rests_on", c.rests_on}});
  }
  json["invariants"] = Json::array();
  for (const auto& i : p.invariants) json["invariants"].push_back({{"kind", i.kind}, {"statement", i.statement}});
  json["obligations"] = Json::array();
  for (const auto& o : p.obligations) {
    Json obligation{{"kind", o.kind},     {"statement", o.statement}, {"part", o.part},    {"discharged", o.discharged},
                    {"solver", o.solver}, {"facts", o.facts},         {"rounds", o.rounds}};
    obligation["uses"] = Json::array();
    for (const auto& use : o.uses) {
      obligation["uses"].push_back({{"statement", use.statement}, {"earlier", use.earlier}});
    }
    if (!o.rechecked.empty()) obligation["rechecked"] = o.rechecked;
    if (!o.unconfirmed.empty()) obligation["unconfirmed"] = o.unconfirmed;
    if (!style.deterministic) {
      obligation["resources"] = o.resources;
      obligation["seconds"] = o.seconds;
      obligation["cached"] = o.cached;
    }
    json["obligations"].push_back(std::move(obligation));
  }
  json["frequent_facts"] = Json::array();
  for (const auto& [source, count] : p.frequent_facts) {
    json["frequent_facts"].push_back({{"source", source}, {"count", count}});
  }
  json["disagreements"] = p.disagreements;
  json["impossible"] = p.impossible;
  json["unreachable"] = p.unreachable;
  if (!style.deterministic) {
    json["seconds"] = p.seconds;
    json["cached"] = p.cached;
    json["obligations_cached"] = p.from_cache();
  }
  return json;
}

Json symbolic(const result::SymbolicSearch& s, const Style& style) {
  Json json{{"instance", s.instance}, {"properties", s.properties},
            {"found", s.found},       {"depth", s.depth ? Json(*s.depth) : Json(nullptr)},
            {"end", s.end},           {"reason", s.reason}};
  json["open"] = Json::array();
  for (const auto& [property, why] : s.open) json["open"].push_back({{"property", property}, {"reason", why}});
  if (!style.deterministic) {
    json["resources"] = s.resources;
    json["seconds"] = s.seconds;
  }
  return json;
}

Json file(const result::FileResult& f, const Style& style) {
  Json json{{"path", f.source->path()}, {"protocol", f.protocol}, {"lines", f.lines}};
  json["runs"] = Json::array();
  for (const auto& run : f.runs) json["runs"].push_back(statistics(run, style));
  json["findings"] = Json::array();
  for (const auto& each : f.findings) json["findings"].push_back(finding(*f.source, trace_source(f), each));
  if (f.proof) json["proof"] = proof(*f.proof, style);
  if (!f.searches.empty()) {
    json["symbolic"] = Json::array();
    for (const auto& search : f.searches) json["symbolic"].push_back(symbolic(search, style));
  }
  const MutantCounts mutants = count_mutants(f);
  if (mutants.made > 0) {
    json["mutants"] = {{"made", mutants.made},
                       {"refuted", mutants.refuted},
                       {"refuted_by_error", mutants.by_error},
                       {"survived", mutants.survived},
                       {"undecided", mutants.undecided}};
  }
  if (!style.deterministic) json["seconds"] = f.seconds;
  return json;
}

}  // namespace

std::string json(const result::RunResult& run, const Style& style) {
  const SourceFile nowhere;
  Json json{{"schema", "tenet-report"},
            {"schema_version", kSchemaVersion},
            {"tool", {{"name", "tenet"}, {"version", run.version}}},
            {"command", run.command},
            {"exit_status", result::exit_status(run)},
            {"interrupted", run.interrupted},
            {"accept_bounded", run.accept_bounded}};
  if (!style.deterministic) json["seconds"] = run.seconds;
  json["problems"] = Json::array();
  for (const auto& problem : run.problems) json["problems"].push_back(finding(nowhere, nowhere, problem));
  json["files"] = Json::array();
  for (const auto& each : run.files) json["files"].push_back(file(each, style));
  json["skipped"] = Json::array();
  for (const auto& [path, reason] : run.skipped) json["skipped"].push_back({{"path", path}, {"reason", reason}});
  // Bytes that are not UTF-8 (a path may have them) must not end the report.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tenet::report
