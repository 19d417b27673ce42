#include <algorithm>

#include <fmt/format.h>

#include "escape.h"
#include "html_parts.h"
#include "narration.h"
#include "summary.h"
#include "tenet/report/report.h"
#include "wording.h"

namespace tenet::report {
namespace {

using result::FileResult;
using result::Finding;
using result::Level;
using result::Verdict;

constexpr std::uint32_t kExcerptLines = 12;

/// Word and CSS class for the first column.
std::pair<std::string, std::string> badge(const Finding& finding) {
  if (finding.level == Level::bad_input) return {"error", "bad"};
  if (!finding.verdict)
    return {std::string(result::name(finding.level)), finding.level == Level::pass ? "dim" : "open"};
  switch (*finding.verdict) {
    case Verdict::violated:
    case Verdict::internal_error:
      return {std::string(result::name(*finding.verdict)), "bad"};
    case Verdict::unknown:
    case Verdict::unsupported:
      return {std::string(result::name(*finding.verdict)), "open"};
    case Verdict::holds_bounded:
      return {"holds (bounded)", "good"};
    case Verdict::proved:
    case Verdict::reached:
    case Verdict::refuted:
      break;
  }
  return {std::string(result::name(*finding.verdict)), "good"};
}

std::string source_block(const SourceFile& source, Span span) {
  if (span.empty() || source.text().empty()) return {};
  const std::uint32_t first = source.position(span.begin).line;
  const std::uint32_t last =
      std::min(source.position(std::max(span.begin, span.end - 1)).line, first + kExcerptLines - 1);
  std::string out = "<pre class=\"source\">";
  for (std::uint32_t line = first; line <= last; ++line) {
    out += fmt::format("<span class=\"ln\">{:>4}  </span>{}\n", line, escape_markup(source.line(line)));
  }
  return out + "</pre>\n";
}

class Page {
 public:
  Page(const result::RunResult& run, const Style& style) : run_(run), style_(style), summary_(summarise(run)) {}

  std::string write() {
    const char* colour = summary_.status == 0 ? "good" : summary_.status == 2 ? "open" : "bad";
    out_ =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    // Nothing is fetched and nothing of the report's text can run.
    out_ +=
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">\n";
    out_ += fmt::format("<title>tenet {}: {}</title>\n<style>{}</style>\n</head>\n<body>\n",
                        escape_markup(run_.command), escape_markup(summary_.verdict), page_style());
    out_ +=
        "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs><marker id=\"tip\" "
        "viewBox=\"0 0 10 10\" "
        "refX=\"8\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" "
        "orient=\"auto-start-reverse\">"
        "<path d=\"M0,1 L10,5 L0,9 z\"/></marker></defs></svg>\n<main>\n";
    out_ += fmt::format("<h1>tenet {}</h1>\n<p class=\"verdict {}\">{}</p>\n", escape_markup(run_.command), colour,
                        escape_markup(summary_.verdict));
    for (const std::string& sentence : summary_.sentences)
      out_ += "<p class=\"dim\">" + escape_markup(sentence) + "</p>\n";
    for (const Finding& problem : run_.problems) {
      out_ += fmt::format("<p class=\"bad\">{} {}</p>\n", escape_markup(problem.message), escape_markup(problem.hint));
    }
    for (const FileResult& file : run_.files) one_file(file);
    out_ += fmt::format("<p class=\"dim\">tenet {}{}</p>\n</main>\n<script>{}</script>\n</body>\n</html>\n",
                        escape_markup(run_.version), style_.deterministic ? "" : ", " + duration(run_.seconds),
                        page_script());
    return std::move(out_);
  }

 private:
  void one_file(const FileResult& file) {
    out_ += fmt::format("<h2>{} <code>{}</code></h2>\n", escape_markup(file.protocol.empty() ? "?" : file.protocol),
                        escape_markup(file.source->path()));
    runs(file);
    findings(file);
    if (file.proof) out_ += proof_section(*file.proof, style_.deterministic);
    for (const result::SymbolicSearch& search : file.searches) {
      out_ += fmt::format("<p>Symbolic search, {}{}</p>\n", escape_markup(result::summary(search)),
                          style_.deterministic ? "" : ", " + duration(search.seconds));
    }
    mutants(file);
    for (const Finding& finding : file.findings) {
      if (finding.trace) evidence(file, finding);
    }
  }

  void runs(const FileResult& file) {
    if (file.runs.empty()) return;
    out_ += "<table class=\"list\"><tr><th>instance</th><th>states</th><th>transitions</th><th>diameter</th>";
    out_ += style_.deterministic ? "" : "<th>time</th><th>memory</th>";
    out_ += "<th>explored</th></tr>\n";
    for (const auto& run : file.runs) {
      out_ += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>",
                          escape_markup(run.instance), thousands(run.states), thousands(run.transitions),
                          run.diameter ? std::to_string(*run.diameter) : fmt::format("at least {}", run.depth));
      if (!style_.deterministic) {
        out_ += fmt::format("<td class=\"n\">{}{}</td><td class=\"n\">{}</td>", duration(run.seconds),
                            run.cached ? " (cached)" : "", bytes(run.memory));
      }
      out_ += fmt::format("<td class=\"{}\">{}</td></tr>\n", run.complete ? "good" : "open", escape_markup(run.end));
    }
    out_ += "</table>\n";
  }

  void findings(const FileResult& file) {
    out_ += "<table class=\"list\">\n";
    for (const Finding& finding : file.findings) {
      if (finding.subject_kind == "mutant") continue;
      const auto [word, colour] = badge(finding);
      out_ += fmt::format(
          "<tr><td class=\"{}\">{}</td><td>{}{}</td><td class=\"dim\">{}</td></tr>\n", colour, word,
          escape_markup(finding.message),
          finding.hint.empty() ? "" : "<br><span class=\"dim\">" + escape_markup(finding.hint) + "</span>",
          finding.span.empty() ? "" : fmt::format("line {}", file.source->position(finding.span.begin).line));
    }
    out_ += "</table>\n";
  }

  void mutants(const FileResult& file) {
    const MutantCounts counts = count_mutants(file);
    if (counts.made == 0) return;
    out_ += fmt::format("<h3>Mutants: {} made, {} refuted, {} refuted by error, {} survived, {} undecided</h3>\n",
                        counts.made, counts.refuted, counts.by_error, counts.survived, counts.undecided);
    out_ += "<table class=\"list\"><tr><th>line</th><th>kind</th><th>edit</th><th>outcome</th></tr>\n";
    for (const Finding& finding : file.findings) {
      if (finding.subject_kind != "mutant") continue;
      out_ += fmt::format("<tr><td class=\"n\">{}</td><td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
                          file.source->position(finding.span.begin).line, escape_markup(finding.category),
                          escape_markup(finding.subject), finding.level == Level::pass ? "good" : "open",
                          escape_markup(finding.message));
    }
    out_ += "</table>\n";
  }

  void evidence(const FileResult& file, const Finding& finding) {
    const result::TraceView& trace = *finding.trace;
    const auto [word, colour] = badge(finding);
    out_ += fmt::format("<section class=\"finding\">\n<h3><span class=\"{}\">{}</span> {}</h3>\n", colour, word,
                        escape_markup(title(finding)));
    out_ += fmt::format("<div>{} <span class=\"dim\">{}</span></div>\n", escape_markup(finding.message),
                        escape_markup(place(*file.source, finding.span)));
    if (!finding.doc.empty()) out_ += "<div class=\"dim\">" + escape_markup(finding.doc) + "</div>\n";
    out_ += source_block(*file.source, finding.span);
    why(finding);
    start(finding);
    if (!trace.steps.empty()) {
      out_ += fmt::format(
          "<div class=\"keys\">{} in {}. <kbd>↓</kbd> <kbd>↑</kbd> or <kbd>j</kbd> <kbd>k</kbd> "
          "step through it, a click chooses a step.</div>\n",
          length_of(finding), escape_markup(finding.instance));
    }
    out_ += chart(file, finding) + state_table(trace) + "</section>\n";
  }

  void why(const Finding& finding) {
    const result::TraceView& trace = *finding.trace;
    if (trace.why.empty() && trace.evaluation.empty()) return;
    const bool reached = finding.verdict == Verdict::reached;
    out_ += fmt::format(
        "<div class=\"why{}\"><b>{} {}{}</b>{}\n<table class=\"eval\">", reached ? " reached" : "",
        escape_markup(trace.claim), claim_outcome(finding),
        trace.steps.empty()
            ? " initially"
            : fmt::format(" {} step {}", trace.steps.back().fault.empty() ? "after" : "at", trace.steps.size()),
        trace.why.empty() ? "" : " for <code>" + escape_markup(trace.why) + "</code>");
    for (const auto& [part, value] : trace.evaluation) {
      const char* colour = value == "false" ? "bad" : value == "true" ? "good" : "";
      out_ += fmt::format("<tr><td>{}</td><td class=\"{}\">{}</td></tr>", escape_markup(part), colour,
                          escape_markup(value));
    }
    out_ += "</table></div>\n";
  }

  void start(const Finding& finding) {
    const result::TraceView& trace = *finding.trace;
    const auto list = [&](const char* title, const std::vector<result::TraceStep::Change>& values) {
      const auto groups = group_assignments(trace, values);
      if (groups.empty()) return;
      out_ += fmt::format("<div class=\"start\"><b>{}</b>", title);
      for (const Assignments& group : groups) {
        std::string items;
        for (const std::string& item : group.items) items += (items.empty() ? "" : ", ") + item;
        out_ += fmt::format(" &nbsp; {} <code>{}</code>", escape_markup(group.owner), escape_markup(items));
      }
      out_ += "</div>\n";
    };
    list("Constants", trace.constants);
    const bool midway = finding.category == "unreachable-start" || finding.category == "logged-end";
    list(midway ? "Before" : "Initially", trace.initial);
    if (trace.network.empty()) return;
    out_ += "<div class=\"start\"><b>In flight</b>";
    for (const result::TraceStep::Message& message : trace.network) {
      out_ += fmt::format(" &nbsp; <code>{}</code> from {} to {}", escape_markup(message.text),
                          escape_markup(message.from), escape_markup(message.to));
    }
    out_ += "</div>\n";
  }

  const result::RunResult& run_;
  const Style& style_;
  Summary summary_;
  std::string out_;
};

}  // namespace

std::string html(const result::RunResult& run, const Style& style) { return Page(run, style).write(); }

}  // namespace tenet::report
