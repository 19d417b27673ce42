#include "grouping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace tenet::training {
namespace {

// How directly a relation names a cause. State that diverges or stops changing and calls that are missing say what is
// wrong; sizes and values are often consequences.
double weight(Relation relation) noexcept {
  switch (relation) {
    case Relation::same_on_ranks:
      return 5;
    case Relation::each_change:
    case Relation::contains_change:
    case Relation::mirrors:
    case Relation::loop_law:
    case Relation::pair_equal:
      return 4.5;
    case Relation::before:
    case Relation::distinct:
      return 4;
    case Relation::equal_fields:
    case Relation::stable:
    case Relation::constant:
      return 3.5;
    case Relation::contains_call:
    case Relation::each_step:
    case Relation::at_most:
      return 3;
    case Relation::increment:
      return 2.5;
    case Relation::after:
    case Relation::range:
    case Relation::ratio:
      return 2;
  }
  return 1;
}

double score_of(const Invariant& invariant, const Violation& violation) {
  double score = weight(invariant.relation);
  score += 0.5 * std::log10(1.0 + static_cast<double>(invariant.evidence.positives));
  score += invariant.when.unconditional() ? 0.5 : 0;
  score += 0.25 * std::min<double>(4, static_cast<double>(invariant.evidence.runs));
  // A rule that fails now and then among many successes is more likely noise than one that fails from here on.
  const auto all = static_cast<double>(violation.failures + violation.held);
  score += all > 0 ? static_cast<double>(violation.failures) / all : 0;
  return score;
}

// What a violation is about: the function or the kind of variable. Violations about the same thing that begin at the
// same step have one cause.
std::string about(const Invariant& invariant) {
  switch (invariant.relation) {
    case Relation::contains_change:
    case Relation::each_change:
      return invariant.object + "." + invariant.field;
    case Relation::before:
    case Relation::contains_call:
      return invariant.relation == Relation::before ? invariant.subject : invariant.object;
    case Relation::after:
      return invariant.object;
    case Relation::each_step:
    case Relation::loop_law:
      return invariant.subject;
    default:
      break;
  }
  // data, data.norm, data.nan are one thing
  const std::string& field = invariant.field;
  const bool variable = invariant.kind == SubjectKind::variable_type;
  return variable ? invariant.subject + "." + field.substr(0, field.find('.')) : invariant.subject;
}

std::string place_of(const Violation& violation) {
  std::string out = violation.step < 0 ? "before the first step" : fmt::format("step {}", violation.step);
  if (violation.other_rank >= 0) {
    out += fmt::format(", ranks {} and {}", violation.rank, violation.other_rank);
  } else if (violation.rank > 0) {
    out += fmt::format(", rank {}", violation.rank);
  }
  if (!violation.variable.empty()) out += ", " + violation.variable;
  if (!violation.where.empty()) out += fmt::format("{} {}", violation.variable.empty() ? "," : " in", violation.where);
  return out;
}

}  // namespace

std::string message_of(const Invariant& invariant, const Violation& violation) {
  std::string found;
  switch (invariant.relation) {
    case Relation::contains_call:
      found = fmt::format("{} was not called", invariant.object);
      break;
    case Relation::contains_change:
      found = fmt::format("no {} had its {} changed", invariant.object, invariant.field);
      break;
    case Relation::each_change:
      found = invariant.mode == Mode::changes  ? fmt::format("{} did not change", invariant.field)
              : invariant.mode == Mode::clears ? fmt::format("{} was not cleared", invariant.field)
              : invariant.mode == Mode::fills  ? fmt::format("{} is missing or zero", invariant.field)
                                               : fmt::format("{} changed", invariant.field);
      break;
    case Relation::before:
      found = fmt::format("no call of {} came before it", invariant.subject);
      break;
    case Relation::after:
      found = fmt::format("no call of {} came after it", invariant.object);
      break;
    case Relation::distinct:
      found = fmt::format("{} {} came twice in one step", invariant.field, violation.seen);
      break;
    case Relation::stable:
      found = fmt::format("{} changed from {} to {}", invariant.field, violation.expected, violation.seen);
      break;
    case Relation::ratio:
    case Relation::increment:
      found = fmt::format("{} went from {} to {}", invariant.field, violation.expected, violation.seen);
      break;
    case Relation::range:
      found = fmt::format("{} is {}", invariant.field, violation.seen);
      break;
    case Relation::each_step:
      found = fmt::format("it was called {} times", violation.seen);
      break;
    case Relation::loop_law:
      found = fmt::format("{} is {}, not {}", invariant.subject, violation.seen, violation.expected);
      break;
    default:
      found = fmt::format("{} is {}, not {}", invariant.field, violation.seen, violation.expected);
      break;
  }
  return fmt::format("{}: {}; {}", place_of(violation), found, invariant.text());
}

std::vector<Group> group_violations(const std::vector<Violation>& violations, const InvariantSet& set) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<std::size_t>> parts;
  std::vector<double> scores;
  for (std::size_t i = 0; i < violations.size(); ++i) {
    const Invariant& invariant = set.invariants[violations[i].invariant];
    scores.push_back(score_of(invariant, violations[i]));
    parts[{about(invariant), violations[i].step}].push_back(i);
  }
  std::vector<Group> groups;
  for (auto& [key, members] : parts) {
    std::ranges::sort(members, [&](std::size_t a, std::size_t b) {
      if (scores[a] != scores[b]) return scores[a] > scores[b];
      // The contents before a statistic of them.
      const std::size_t length_a = set.invariants[violations[a].invariant].field.size();
      const std::size_t length_b = set.invariants[violations[b].invariant].field.size();
      if (length_a != length_b) return length_a < length_b;
      return violations[a].id < violations[b].id;
    });
    Group group;
    group.title = violations[members.front()].message;
    group.step = key.second;
    group.score = scores[members.front()] + 0.3 * std::log2(static_cast<double>(members.size()));
    group.violations = std::move(members);
    groups.push_back(std::move(group));
  }
  // The cause comes first in time; what begins more than a step later is a consequence, however convincing.
  std::int64_t first = INT64_MAX;
  for (const Group& group : groups) first = std::min(first, group.step);
  for (Group& group : groups) {
    const auto delay = static_cast<double>(group.step - first);
    group.score -= std::min(4.0, delay <= 1 ? delay * 0.5 : 1 + std::log2(delay));
  }
  std::ranges::sort(groups, [](const Group& a, const Group& b) {
    return a.score != b.score ? a.score > b.score : a.title < b.title;
  });
  return groups;
}

}  // namespace tenet::training
