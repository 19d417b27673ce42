// The timeline page: groups, where they begin and how long they last, and plots of the quantities involved. Plain SVG,
// no script, nothing loaded from elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tenet/training/check_report.h"

namespace tenet::training {
namespace {

constexpr double kWidth = 760;
constexpr double kPlotHeight = 110;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

struct Scale {
  double first = 0;
  double last = 1;
  [[nodiscard]] double x(double step) const {
    return last > first ? kWidth * (step - first) / (last - first) : kWidth / 2;
  }
};

Scale scale_of(const CheckResult& result) {
  Scale scale{static_cast<double>(result.first_step),
              static_cast<double>(std::max(result.last_step, result.first_step))};
  for (const Violation& v : result.violations) {
    scale.first = std::min(scale.first, static_cast<double>(v.step));
    scale.last = std::max(scale.last, static_cast<double>(v.last_step));
  }
  return scale;
}

std::string timeline(const CheckResult& result, const Scale& scale) {
  const std::size_t rows = std::min<std::size_t>(result.groups.size(), 20);
  std::string svg =
      fmt::format("<svg viewBox='0 0 {} {}' role='img' aria-label='timeline of violations'>", kWidth, 22 * rows + 26);
  for (std::size_t i = 0; i < rows; ++i) {
    const Group& group = result.groups[i];
    std::int64_t last = group.step;
    for (const std::size_t v : group.violations) last = std::max(last, result.violations[v].last_step);
    const double from = scale.x(static_cast<double>(group.step));
    const double to = std::max(from + 4, scale.x(static_cast<double>(last)));
    svg += fmt::format(
        "<a href='#g{}'><rect x='{:.1f}' y='{}' width='{:.1f}' height='14' rx='3' class='{}'>"
        "<title>{}</title></rect></a>",
        i + 1, std::min(from, kWidth - 4), 22 * i + 4, std::min(to, kWidth) - std::min(from, kWidth - 4),
        i == 0 ? "root" : "bar", escaped(group.title));
  }
  svg += fmt::format("<text x='0' y='{0}'>step {1}</text><text x='{2}' y='{0}' text-anchor='end'>step {3}</text></svg>",
                     22 * rows + 20, scale.first, kWidth, scale.last);
  return svg;
}

std::string plot(const Series& series, const Scale& scale, std::int64_t mark) {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const auto& [step, value] : series.points) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low <= high)) return {};
  const double span = high > low ? high - low : 1;
  std::string points;
  for (const auto& [step, value] : series.points) {
    if (!std::isfinite(value)) continue;
    points += fmt::format("{:.1f},{:.1f} ", scale.x(static_cast<double>(step)),
                          kPlotHeight - 8 - (kPlotHeight - 24) * (value - low) / span);
  }
  return fmt::format(
      "<figure><figcaption>{}</figcaption><svg viewBox='0 0 {} {}' role='img'><line x1='{:.1f}' x2='{:.1f}' y1='0' "
      "y2='{}' "
      "class='mark'/><polyline points='{}'/><text x='0' y='12'>{:.4g}</text><text x='0' "
      "y='{}'>{:.4g}</text></svg></figure>",
      escaped(series.name), kWidth, kPlotHeight, scale.x(static_cast<double>(mark)), scale.x(static_cast<double>(mark)),
      kPlotHeight, points, high, kPlotHeight, low);
}

std::string run_section(const NamedResult& named) {
  const CheckResult& r = named.result;
  const Scale scale = scale_of(r);
  std::string out = fmt::format(
      "<section><h2>{}</h2><p>{} of {} invariants were judged, <b>{} violated</b> in {} groups; {} "
      "records.</p>",
      escaped(named.run), r.triggered, r.invariants, r.violations.size(), r.groups.size(), r.records);
  if (!r.groups.empty()) out += timeline(r, scale);
  for (std::size_t i = 0; i < r.groups.size(); ++i) {
    const Group& group = r.groups[i];
    out += fmt::format("<details id='g{}'{}><summary>{}. {}</summary><ul>", i + 1, i == 0 ? " open" : "", i + 1,
                       escaped(group.title));
    for (const std::size_t number : group.violations) {
      const Violation& v = r.violations[number];
      out += fmt::format("<li>{}<br><small>{} · failed {} times, held {} times, steps {} to {}</small></li>",
                         escaped(v.message), v.id, v.failures, v.held, v.step, v.last_step);
    }
    out += "</ul></details>";
  }
  const std::int64_t mark = r.groups.empty() ? r.first_step : r.groups.front().step;
  for (const Series& series : r.series) out += plot(series, scale, mark);
  for (const std::string& problem : r.problems) out += fmt::format("<p class='note'>{}</p>", escaped(problem));
  return out + "</section>";
}

}  // namespace

std::string html_report(const std::vector<NamedResult>& results, const InvariantSet& set) {
  std::string out =
      "<!doctype html><html lang='en'><meta charset='utf-8'><title>Training check</title><style>"
      "body{font:15px/1.5 system-ui,sans-serif;max-width:820px;margin:2em auto;padding:0 "
      "1em;color:#222;background:#fff}"
      "svg{width:100%;height:auto;overflow:visible}text{font-size:11px;fill:#666}polyline{fill:none;stroke:#2a6;stroke-"
      "width:1.5}"
      ".mark{stroke:#c33;stroke-dasharray:4}.root{fill:#c33}.bar{fill:#e9a03b}figure{margin:1em "
      "0}figcaption{font-size:13px}"
      "details{border-left:3px solid #ddd;padding-left:.8em;margin:.4em "
      "0}summary{cursor:pointer}.note{color:#666}small{color:#666}"
      "@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}text,small,.note{fill:#999;color:#999}}"
      "</style><h1>Training check</h1>";
  out += fmt::format("<p class='note'>{} invariants, learned from {} runs.</p>", set.invariants.size(), set.runs);
  for (const NamedResult& named : results) out += run_section(named);
  return out + "</html>\n";
}

}  // namespace tenet::training
