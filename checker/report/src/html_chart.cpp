#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "escape.h"
#include "html_parts.h"
#include "narration.h"
#include "wording.h"

namespace tenet::report {
namespace {

using result::TraceStep;
using result::TraceView;

// The page's own units: CSS pixels, and characters of the fixed-width font in
// the column of changes, whose lines break after exactly kColumns characters.
constexpr int kLine = 19;
constexpr std::size_t kColumns = 62;
constexpr int kMargin = 70;
constexpr int kRadius = 11;

/// Characters, not bytes.
std::size_t length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string shortened(const std::string& text, std::size_t limit) {
  if (length(text) <= limit) return text;
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && seen++ == limit - 1) break;
  }
  return text.substr(0, end) + "…";
}

/// One line beside the chart.
struct Row {
  std::string kind;  ///< CSS class
  std::string text;  ///< plain; escaped when written
};

std::vector<Row> rows_of(const TraceView& trace, const TraceStep& step) {
  std::vector<Row> rows;
  for (const auto& change : step.changes) {
    const std::string name = change.host == step.host ? change.variable : change.host + "." + change.variable;
    rows.push_back({"change", name + ": " + change.before + " → " + change.after});
  }
  for (const SendGroup& group : group_sends(trace, step)) {
    rows.push_back({"send", "sends " + group.text + " to " + group.to});
  }
  if (!step.fault.empty()) rows.push_back({"fault", "error: " + step.fault});
  if (rows.empty()) rows.push_back({"quiet", "changes nothing"});
  return rows;
}

class Chart {
 public:
  Chart(const result::FileResult& file, const TraceView& trace) : file_(file), trace_(trace) {
    spacing_ = trace.hosts.size() <= 8 ? 118 : 92;
    int y = 0;
    for (const TraceStep& step : trace.steps) {
      rows_.push_back(rows_of(trace, step));
      std::size_t lines = 1 + (length(title(step)) - 1) / kColumns;
      for (const Row& row : rows_.back()) lines += 1 + (length(row.text) - 1) / kColumns;
      const int height = 16 + kLine * static_cast<int>(lines);
      top_.push_back(y);
      middle_.push_back(y + 17);
      y += height;
    }
    height_ = y + 14;
    width_ = 2 * kMargin + spacing_ * std::max(0, static_cast<int>(trace.hosts.size()) - 1);
  }

  std::string write() {
    out_ += fmt::format("<div class=\"chart\" style=\"--w:{}px\">\n<div class=\"hosts\">", width_);
    for (std::size_t h = 0; h < trace_.hosts.size(); ++h) {
      out_ += fmt::format("<span class=\"host r{}\" style=\"left:{}px\">{}</span>", hue(h), x(h),
                          escape_markup(trace_.hosts[h]));
    }
    out_ += "</div>\n<div class=\"body\">\n";
    svg();
    steps();
    out_ += "</div>\n</div>\n";
    return std::move(out_);
  }

 private:
  [[nodiscard]] int x(std::size_t host) const { return kMargin + spacing_ * static_cast<int>(host); }
  /// Roles take turns in six colours.
  [[nodiscard]] std::size_t hue(std::size_t host) const {
    if (host >= trace_.roles.size()) return 0;
    std::vector<std::string> seen;
    for (const std::string& role : trace_.roles) {
      if (std::find(seen.begin(), seen.end(), role) == seen.end()) seen.push_back(role);
    }
    return static_cast<std::size_t>(std::find(seen.begin(), seen.end(), trace_.roles[host]) - seen.begin()) % 6;
  }
  static std::string title(const TraceStep& step) { return step.host + " " + deed(step); }

  void svg() {
    out_ += fmt::format(
        "<svg width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"message-sequence "
        "chart\">\n",
        width_, height_);
    for (std::size_t h = 0; h < trace_.hosts.size(); ++h) {
      out_ +=
          fmt::format("<line class=\"life r{2}\" x1=\"{0}\" y1=\"0\" x2=\"{0}\" y2=\"{1}\"/>\n", x(h), height_, hue(h));
    }
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) undelivered(i);
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) arrow_to(i);
    out_ += labels_;  // after every wire, so that none crosses them out
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) dot(i);
    out_ += "</svg>\n";
  }

  /// The message that step `i` received, from where it was sent.
  void arrow_to(std::size_t i) {
    const auto& received = trace_.steps[i].received;
    if (!received) return;
    const std::size_t from = lifeline(trace_, received->from);
    const std::size_t to = lifeline(trace_, received->to);
    if (from >= trace_.hosts.size() || to >= trace_.hosts.size()) return;
    const std::size_t at = received->sent_at.value_or(i);
    const int y1 = middle_[at];
    const int y2 = middle_[i];
    const std::string ends = fmt::format("data-from=\"{}\" data-to=\"{}\"", at, i);
    out_ += fmt::format("<g class=\"msg\" {}><title>{}</title>", ends, escape_markup(received->text));
    const bool right = to >= from;
    if (from == to) {
      const int bulge = x(from) + 46;
      out_ +=
          fmt::format("<path d=\"M{0},{1} C{2},{1} {2},{3} {4},{3}\" class=\"wire\" marker-end=\"url(#tip)\"/></g>\n",
                      x(from) + kRadius, y1, bulge, y2, x(to) + kRadius + 2);
    } else {
      // From rim to rim of the dots.
      const double dx = x(to) - x(from);
      const double dy = y2 - y1;
      const double norm = std::max(1.0, std::hypot(dx, dy));
      out_ += fmt::format(
          "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"wire\" "
          "marker-end=\"url(#tip)\"/></g>\n",
          x(from) + dx / norm * kRadius, y1 + dy / norm * kRadius, x(to) - dx / norm * (kRadius + 3),
          y2 - dy / norm * (kRadius + 3));
    }
    const bool left_of_host = right && from != to;
    labels_ += fmt::format("<text class=\"msg\" {} x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", ends,
                           x(to) + (left_of_host ? -18 : 18), y2 + 15, left_of_host ? "end" : "start",
                           escape_markup(shortened(received->text, 30)));
  }

  /// A short dashed line to each side where a message went that nobody in
  /// this run received.
  void undelivered(std::size_t i) {
    const TraceStep& step = trace_.steps[i];
    const std::size_t from = lifeline(trace_, step.host);
    std::set<int> sides;
    for (const auto& message : step.sent) {
      const bool received = std::any_of(
          trace_.steps.begin() + static_cast<std::ptrdiff_t>(i) + 1, trace_.steps.end(), [&](const TraceStep& later) {
            return later.received && later.received->sent_at == i && later.received->to == message.to &&
                   later.received->text == message.text;
          });
      const std::size_t to = lifeline(trace_, message.to);
      if (!received && to != from) sides.insert(to > from ? 1 : -1);
    }
    for (const int side : sides) {
      out_ += fmt::format("<line class=\"lost\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", x(from) + side * kRadius,
                          middle_[i], x(from) + side * (kRadius + 26), middle_[i] + 7);
    }
  }

  void dot(std::size_t i) {
    const TraceStep& step = trace_.steps[i];
    const std::size_t host = lifeline(trace_, step.host);
    if (host >= trace_.hosts.size()) return;
    out_ += fmt::format("<g class=\"dot r{}\" data-step=\"{}\"><circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>", hue(host), i,
                        x(host), middle_[i], kRadius);
    out_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" class=\"num\">{}</text>", x(host),
                        middle_[i] + 4, i + 1);
    if (!step.received) {
      const bool last = host + 1 == trace_.hosts.size() && trace_.hosts.size() > 1;
      out_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" class=\"local\">{}</text>",
                          x(host) + (last ? -17 : 17), middle_[i] + 4, last ? "end" : "start",
                          escape_markup(shortened(step.step, 24)));
    }
    out_ += "</g>\n";
  }

  void steps() {
    const SourceFile& source = trace_source(file_);
    out_ += "<ol class=\"steps\">\n";
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
      const TraceStep& step = trace_.steps[i];
      std::string cells;
      for (const auto& [cell, value] : step.cells) {
        cells += fmt::format("<i data-c=\"{}\">{}</i>", cell, escape_markup(value));
      }
      const int next = i + 1 < top_.size() ? top_[i + 1] : height_ - 14;
      out_ += fmt::format("<li data-step=\"{}\" style=\"height:{}px\" title=\"{}\">", i, next - top_[i],
                          escape_markup(place(source, step.span)));
      out_ +=
          fmt::format("<div class=\"deed\"><b>{}</b> {}</div>", escape_markup(step.host), escape_markup(deed(step)));
      for (const Row& row : rows_[i]) {
        out_ += fmt::format("<div class=\"{}\">{}</div>", row.kind, marked(row));
      }
      out_ += "<span hidden class=\"cells\">" + cells + "</span></li>\n";
    }
    out_ += "</ol>\n";
  }

  /// The name before the first colon or the word "sends" is set apart.
  static std::string marked(const Row& row) {
    if (row.kind == "send") return "<span>sends</span> " + escape_markup(std::string_view(row.text).substr(6));
    const std::size_t colon = row.text.find(": ");
    if (row.kind != "change" || colon == std::string::npos) return escape_markup(row.text);
    return "<span>" + escape_markup(std::string_view(row.text).substr(0, colon)) + "</span>" +
           escape_markup(std::string_view(row.text).substr(colon));
  }

  const result::FileResult& file_;
  const TraceView& trace_;
  std::vector<std::vector<Row>> rows_;
  std::vector<int> top_;
  std::vector<int> middle_;
  int spacing_ = 0;
  int height_ = 0;
  int width_ = 0;
  std::string labels_;
  std::string out_;
};

}  // namespace

std::string chart(const result::FileResult& file, const result::Finding& finding) {
  return Chart(file, *finding.trace).write();
}

std::string state_table(const TraceView& trace) {
  std::string out = "<div class=\"state\"><div class=\"state-title\">Initial state</div><div class=\"state-body\">";
  std::string host;
  for (std::size_t i = 0; i < trace.initial.size(); ++i) {
    const auto& cell = trace.initial[i];
    if (cell.host != host) {
      out += (host.empty() ? "" : "</dl>");
      host = cell.host;
      out += "<dl><dt class=\"owner\">" + escape_markup(host) + "</dt>";
    }
    out +=
        fmt::format("<dt>{}</dt><dd data-c=\"{}\">{}</dd>", escape_markup(cell.variable), i, escape_markup(cell.after));
  }
  return out + (host.empty() ? "" : "</dl>") + "</div></div>\n";
}

}  // namespace tenet::report
