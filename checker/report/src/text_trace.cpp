#include "text_trace.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "narration.h"
#include "tenet/base/utf8.h"
#include "wording.h"

namespace tenet::report {
namespace {

using result::TraceStep;
using result::TraceView;

/// Longer changes get a line for each side.
constexpr std::size_t kWide = 90;

std::size_t widest(const std::vector<result::NamedText>& rows) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.first.size());
  return std::min<std::size_t>(width, 60);
}

void add_assignments(std::string& out, std::string_view title, const TraceView& trace,
                     const std::vector<TraceStep::Change>& values, const Paint& paint) {
  std::string lead = fmt::format("  {:<11}", title);
  for (const Assignments& group : group_assignments(trace, values)) {
    std::string items;
    for (const std::string& item : group.items) items += (items.empty() ? "" : ", ") + item;
    out += lead;
    if (!group.owner.empty()) out += paint.name(group.owner) + ": ";
    out += items + "\n";
    lead.assign(lead.size(), ' ');
  }
}

void add_network(std::string& out, const TraceView& trace, const Paint& paint) {
  std::string lead = fmt::format("  {:<11}", "in flight");
  for (const TraceStep::Message& message : trace.network) {
    out += fmt::format("{}{} from {} to {}\n", lead, message.text, paint.name(message.from), paint.name(message.to));
    lead.assign(lead.size(), ' ');
  }
}

void add_change(std::string& out, const TraceStep& step, const TraceStep::Change& change, std::size_t width,
                const Paint& paint) {
  // The acting host's own variables need no host; a step changes no other's,
  // but a report must not hide it if one does.
  const std::string name = change.host == step.host ? change.variable : change.host + "." + change.variable;
  if (change.before.size() + change.after.size() > kWide) {
    out +=
        fmt::format("       {}\n         was  {}\n         now  {}\n", name, change.before, paint.bold(change.after));
  } else {
    out += fmt::format("       {:<{}}  {} → {}\n", name, width, change.before, paint.bold(change.after));
  }
}

void add_step(std::string& out, const result::FileResult& file, const TraceView& trace, std::size_t index,
              const Paint& paint) {
  const TraceStep& step = trace.steps[index];
  const SourceFile& source = trace_source(file);
  std::string where;
  if (!step.span.empty()) where = paint.dim(fmt::format("  (line {})", source.position(step.span.begin).line));
  out += fmt::format("  {:>2}. {} {}{}\n", index + 1, paint.name(step.host), paint.bold(deed(step)), where);
  std::size_t width = 5;
  for (const auto& change : step.changes) width = std::max(width, change.variable.size());
  width = std::min<std::size_t>(width, 40);
  for (const auto& change : step.changes) add_change(out, step, change, width, paint);
  for (const SendGroup& group : group_sends(trace, step)) {
    out += fmt::format("       {:<{}}  {} to {}\n", "sends", width, group.text, group.to);
  }
  if (!step.fault.empty()) {
    out += "       " + paint.bad("error: " + step.fault) + "\n";
  } else if (step.changes.empty() && step.sent.empty()) {
    out += paint.dim("       changes nothing") + "\n";
  }
}

/// "agreement is false for x = Learner#1, …" with the values of its parts.
void add_reason(std::string& out, const result::Finding& finding, const Paint& paint) {
  const TraceView& trace = *finding.trace;
  if (!trace.why.empty()) {
    out += fmt::format("\n  {} {} for {}\n", trace.claim, claim_outcome(finding), paint.bold(trace.why));
  } else if (!trace.evaluation.empty()) {
    out += fmt::format("\n  {} {} in the last state\n", trace.claim, claim_outcome(finding));
  }
  const std::size_t width = widest(trace.evaluation);
  for (const auto& [part, value] : trace.evaluation) {
    const std::string shown = value == "false" ? paint.bad(value) : value == "true" ? paint.good(value) : value;
    out += fmt::format("       {:<{}}  {}\n", part, width, shown);
  }
}

}  // namespace

std::string excerpt(const SourceFile& source, Span span, const Paint& paint, std::size_t max_lines) {
  if (span.empty() || source.text().empty()) return {};
  const LineColumn first = source.position(span.begin);
  // The end is exclusive: the last byte decides which line is the last.
  const LineColumn last = source.position(std::max(span.begin, span.end - 1));
  const auto width = std::to_string(last.line).size();
  std::string out;
  for (std::uint32_t line = first.line; line <= last.line; ++line) {
    if (line - first.line >= max_lines) {
      out += paint.dim(fmt::format("  {:>{}} | …", "", width)) + "\n";
      break;
    }
    out += paint.dim(fmt::format("  {:>{}} |", line, width)) + " " + printable(source.line(line)) + "\n";
  }
  return out;
}

std::string trace_text(const result::FileResult& file, const result::Finding& finding, const Paint& paint) {
  const TraceView& trace = *finding.trace;
  std::string out;
  out += fmt::format("  {} in {}.\n\n", length_of(finding), finding.instance);
  add_assignments(out, "constants", trace, trace.constants, paint);
  const bool first = finding.category != "unreachable-start";
  add_assignments(out, first ? "initially" : "before", trace, trace.initial, paint);
  add_network(out, trace, paint);
  if (!trace.steps.empty()) out += "\n";
  for (std::size_t i = 0; i < trace.steps.size(); ++i) add_step(out, file, trace, i, paint);
  add_reason(out, finding, paint);
  return out;
}

}  // namespace tenet::report
