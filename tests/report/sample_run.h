/// A result made by hand: what a report writer gets, without any engine.
#pragma once

#include <memory>
#include <string>

#include "tenet/result/result_model.h"

namespace tenet::testing {

inline constexpr const char* kSampleText =
    "protocol lock\n"
    "role Client { step take { } }\n"
    "/// One at a time.\n"
    "safety exclusive:\n"
    "  forall a, b: Client :: a.has and b.has => a == b\n";

inline result::TraceStep::Message sample_message(const std::string& text, const std::string& from,
                                                 const std::string& to) {
  result::TraceStep::Message message;
  message.name = text.substr(0, text.find('('));
  message.text = text;
  message.from = from;
  message.to = to;
  return message;
}

/// Three hosts: the server grants twice, both clients take.
inline result::TraceView sample_trace() {
  result::TraceView trace;
  trace.hosts = {"Server", "Client#1", "Client#2"};
  trace.roles = {"Server", "Client", "Client"};
  trace.initial = {{"Server", "given", "", "{}"}, {"Client#1", "has", "", "false"}, {"Client#2", "has", "", "false"}};
  result::TraceStep grant;
  grant.step = "grant";
  grant.host = "Server";
  grant.arguments = {{"epoch", "1"}};
  grant.sent = {sample_message("Grant(1)", "Server", "Client#1"), sample_message("Grant(1)", "Server", "Client#2")};
  grant.changes = {{"Server", "given", "{}", "{1}"}};
  grant.cells = {{0, "{1}"}};
  grant.span = {14, 30};
  result::TraceStep take;
  take.step = "receive Grant";
  take.host = "Client#1";
  take.received = sample_message("Grant(1)", "Server", "Client#1");
  take.received->sent_at = 0;
  take.changes = {{"Client#1", "has", "false", "true"}};
  take.cells = {{1, "true"}};
  take.span = {28, 41};
  result::TraceStep again = take;
  again.host = "Client#2";
  again.received = sample_message("Grant(1)", "Server", "Client#2");
  again.received->sent_at = 0;
  again.changes = {{"Client#2", "has", "false", "true"}};
  again.cells = {{2, "true"}};
  trace.steps = {grant, take, again};
  trace.final_state = {
      {"Server", "given", "", "{1}"}, {"Client#1", "has", "", "true"}, {"Client#2", "has", "", "true"}};
  trace.binding = {{"a", "Client#1"}, {"b", "Client#2"}};
  trace.claim = "exclusive";
  trace.why = "a = Client#1, b = Client#2";
  trace.evaluation = {{"a.has", "true"}, {"b.has", "true"}, {"a == b", "false"}};
  return trace;
}

inline result::Finding sample_violation() {
  result::Finding finding;
  finding.rule = "property-violated";
  finding.verdict = result::Verdict::violated;
  finding.subject = "exclusive";
  finding.subject_kind = "safety";
  finding.message = "safety exclusive is violated after 3 steps in small";
  finding.doc = "One at a time.";
  finding.span = {63, 130};
  finding.instance = "small: Client = 2";
  finding.trace = sample_trace();
  return finding;
}

inline result::Finding sample_pass(result::Verdict verdict, const std::string& subject, const std::string& kind) {
  result::Finding finding;
  finding.rule = std::string(result::name(verdict));
  finding.level = result::Level::pass;
  finding.verdict = verdict;
  finding.subject = subject;
  finding.subject_kind = kind;
  finding.message = kind + " " + subject + ": fine";
  return finding;
}

inline result::RunResult sample_run() {
  result::RunResult run;
  run.command = "verify";
  run.version = "9.9";
  run.seconds = 1.5;
  result::FileResult file;
  file.source = std::make_shared<SourceFile>("dir/lock.tenet", kSampleText);
  file.protocol = "lock";
  file.lines = 4;
  file.seconds = 1.25;
  result::Statistics numbers;
  numbers.instance = "small: Client = 2";
  numbers.states = 1234;
  numbers.transitions = 5678;
  numbers.depth = 9;
  numbers.diameter = 9;
  numbers.seconds = 0.5;
  numbers.memory = 3 << 20;
  numbers.complete = true;
  numbers.end = "complete";
  file.runs = {numbers};
  file.findings = {sample_violation(), sample_pass(result::Verdict::holds_bounded, "calm", "safety"),
                   sample_pass(result::Verdict::reached, "works", "reachable")};
  run.files = {file};
  return run;
}

/// What the prover found out, for the file of the sample.
inline result::Proof sample_proof() {
  result::Proof proof;
  proof.claims = {{"calm", true, "", {}}, {"quiet", false, "an execution remains", {"at 0: Server#1 does grant"}}};
  proof.invariants = {{"monotone", "forall c: Client :: old(c.has) => c.has"}, {"state", "forall c: Client :: c.ok"}};
  proof.obligations = {
      {"derived fact", "forall c: Client :: c.ok", "at the start", true, "Z3 in process seed=0", 7777, 0.25, 11, 3},
      {"property", "quiet", "at the first time it fails", false, "Z3 in process seed=0", 1, 0.5, 2, 1}};
  proof.well_defined = true;
  proof.seconds = 0.75;
  return proof;
}

/// Everything that a name, a value or a path might hold to break a format.
inline constexpr const char* kHostile = "<script>alert(\"x\")</script>&amp;'`]]>\x01\x1b[31m\xff\xc3\x28 -- %s {} \\ ü";

/// The sample with hostile text in every place that takes text.
inline result::RunResult hostile_run() {
  const std::string bad = kHostile;
  result::RunResult run = sample_run();
  run.command = bad;
  run.version = bad;
  run.skipped = {{bad, bad}};
  result::FileResult& file = run.files.front();
  file.source = std::make_shared<SourceFile>(bad, kSampleText + bad);
  file.protocol = bad;
  file.runs.front().instance = bad;
  file.runs.front().end = bad;
  result::Finding& finding = file.findings.front();
  for (std::string* text : {&finding.rule, &finding.subject, &finding.subject_kind, &finding.message, &finding.hint,
                            &finding.doc, &finding.category, &finding.instance}) {
    *text = bad;
  }
  finding.notes = {{{0, 3}, bad}};
  finding.trace->why = bad;
  finding.trace->evaluation = {{bad, bad}};
  for (auto& host : finding.trace->hosts) host += bad;
  for (auto& step : finding.trace->steps) {
    step.host += bad;
    step.step = bad;
    step.fault = bad;
    step.arguments = {{bad, bad}};
    step.changes = {{step.host, bad, bad, bad}};
    step.cells = {{0, bad}};
    for (auto& message : step.sent) message.text = bad;
    if (step.received) step.received->text = bad;
  }
  file.proof = sample_proof();
  for (auto& claim : file.proof->claims) claim.property = claim.reason = bad;
  for (auto& invariant : file.proof->invariants) invariant.kind = invariant.statement = bad;
  for (auto& o : file.proof->obligations) o.kind = o.statement = o.part = o.solver = bad;
  file.proof->reason = bad;
  result::Finding mutant = sample_pass(result::Verdict::reached, bad, "mutant");
  mutant.rule = "mutant-survived";
  mutant.level = result::Level::note;
  mutant.category = bad;
  file.findings.push_back(mutant);
  return run;
}

}  // namespace tenet::testing
