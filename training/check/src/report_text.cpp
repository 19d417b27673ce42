#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tenet/training/check_report.h"

namespace tenet::training {
namespace {

using nlohmann::ordered_json;

std::string summary_line(const NamedResult& named) {
  const CheckResult& r = named.result;
  const std::string_view verdict = !r.violations.empty() ? "violated"
                                   : r.triggered > 0     ? "holds"
                                                         : "nothing was checked";
  std::string line =
      fmt::format("{}: {}; {} of {} invariants were judged, {} violated in {} groups, {} records", named.run, verdict,
                  r.triggered, r.invariants, r.violations.size(), r.groups.size(), r.records);
  if (r.last_step >= r.first_step) line += fmt::format(", steps {} to {}", r.first_step, r.last_step);
  if (r.silenced > 0) line += fmt::format(", {} silenced", r.silenced);
  return line + "\n";
}

std::string group_text(const Group& group, const CheckResult& result, bool all, std::size_t number) {
  std::string text;
  const std::size_t shown = all ? group.violations.size() : std::min<std::size_t>(group.violations.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) {
    const Violation& v = result.violations[group.violations[i]];
    text += i == 0 ? fmt::format("{:>3}. {}\n", number, v.message) : fmt::format("     - {}\n", v.message);
    text += fmt::format("       [{}] failed {} times, held {} times, steps {} to {}", v.id, v.failures, v.held, v.step,
                        v.last_step);
    if (v.variables.size() > 1) text += fmt::format(", {} variables", v.variables.size());
    text += '\n';
  }
  if (shown < group.violations.size()) text += fmt::format("     … and {} more\n", group.violations.size() - shown);
  return text;
}

ordered_json violation_json(const Violation& v, const Invariant& invariant) {
  ordered_json out{{"id", v.id},
                   {"relation", name(invariant.relation)},
                   {"message", v.message},
                   {"invariant", invariant.text()},
                   {"step", v.step},
                   {"last_step", v.last_step},
                   {"failures", v.failures},
                   {"held", v.held},
                   {"process", v.process},
                   {"rank", v.rank}};
  if (v.other_rank >= 0) out["other_rank"] = v.other_rank;
  if (!v.where.empty()) out["function"] = v.where;
  if (!v.variables.empty()) out["variables"] = v.variables;
  if (!v.seen.empty()) {
    out["seen"] = v.seen;
    out["expected"] = v.expected;
  }
  return out;
}

}  // namespace

std::string console_report(const std::vector<NamedResult>& results, const InvariantSet& set,
                           const ReportOptions& options) {
  std::string text;
  for (const std::string& problem : set.problems) text += "note: " + problem + "\n";
  for (const NamedResult& named : results) {
    text += summary_line(named);
    const auto& groups = named.result.groups;
    const std::size_t shown = options.groups == 0 ? groups.size() : std::min(groups.size(), options.groups);
    for (std::size_t i = 0; i < shown; ++i) text += group_text(groups[i], named.result, options.all, i + 1);
    if (shown < groups.size()) text += fmt::format("     … and {} more groups\n", groups.size() - shown);
    for (const std::string& problem : named.result.problems) text += "note: " + problem + "\n";
  }
  return text;
}

std::string json_report(const std::vector<NamedResult>& results, const InvariantSet& set) {
  ordered_json document{{"tenet_training_check", 1}, {"runs", ordered_json::array()}, {"problems", set.problems}};
  for (const NamedResult& named : results) {
    const CheckResult& r = named.result;
    ordered_json groups = ordered_json::array();
    for (const Group& group : r.groups) {
      ordered_json members = ordered_json::array();
      for (const std::size_t i : group.violations) {
        members.push_back(violation_json(r.violations[i], set.invariants[r.violations[i].invariant]));
      }
      groups.push_back({{"title", group.title}, {"step", group.step}, {"score", group.score}, {"violations", members}});
    }
    document["runs"].push_back({{"run", named.run},
                                {"status", exit_status(r)},
                                {"invariants", r.invariants},
                                {"judged", r.triggered},
                                {"violated", r.violations.size()},
                                {"silenced", r.silenced},
                                {"records", r.records},
                                {"first_step", r.first_step},
                                {"last_step", r.last_step},
                                {"groups", groups},
                                {"not_judged", r.not_judged},
                                {"problems", r.problems}});
  }
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tenet::training
