#include "precondition.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace tenet::training {
namespace {

constexpr int kDeepestSplit = 3;
constexpr std::size_t kMostValues = 4;
constexpr std::int64_t kLatestStart = 3;         // "from step 15 on" is an accident of one run
constexpr std::uint64_t kLargestException = 10;  // a tenth of what holds may lie in an exception

// One side of the separation: facts with the steps at which they were seen.
struct Group {
  const FactList* facts;
  std::int64_t first;
  std::int64_t last;
  std::uint64_t count;
};
using Groups = std::vector<Group>;
using Forbidden = std::set<std::string>;  // keys that must not become conditions

const Constant* fact(const FactList& facts, const std::string& key) {
  const auto found = std::ranges::lower_bound(facts, key, {}, &std::pair<std::string, Constant>::first);
  return found != facts.end() && found->first == key ? &found->second : nullptr;
}

bool holds(const Condition& condition, const Group& group) {
  if (condition.is_step()) return group.last >= condition.min_step;
  const Constant* value = fact(*group.facts, condition.key);
  return value != nullptr && std::ranges::find(condition.values, *value) != condition.values.end();
}

bool holds(const Conjunction& all, const Group& group) {
  return std::ranges::all_of(all, [&](const Condition& condition) { return holds(condition, group); });
}

// Lower is better: conditions that mean the same in other programs come first.
int rank_of(const Condition& condition) {
  static constexpr std::array<std::string_view, 10> kOrder{
      "stage",  "requires_grad", "first call",   "self.training", "in_optimizer",
      "caller", "autocast",      "grad_enabled", "variable kind", "step"};
  const auto found = std::ranges::find(kOrder, condition.key);
  return found == kOrder.end() ? 7 : static_cast<int>(found - kOrder.begin());
}

// The conditions that hold on every positive.
Conjunction common(const Groups& positives, const Forbidden& forbidden) {
  Conjunction out;
  for (const auto& [key, unused] : *positives.front().facts) {
    if (forbidden.contains(key)) continue;
    std::set<Constant> values;
    bool everywhere = true;
    for (const Group& group : positives) {
      const Constant* value = fact(*group.facts, key);
      everywhere = everywhere && value != nullptr;
      if (!everywhere) break;
      values.insert(*value);
    }
    if (!everywhere) continue;
    const std::size_t most = values.begin()->type == ValueType::text ? kMostValues : 1;
    if (values.size() <= most) out.push_back({key, {values.begin(), values.end()}, 0});
  }
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const Group& group : positives) first = std::min(first, group.first);
  if (first > 0 && first <= kLatestStart && !forbidden.contains("step")) out.push_back({"step", {}, first});
  return out;
}

// The smallest conjunction, greedily, of conditions common to the positives that excludes every negative.
std::optional<Conjunction> conjoin(const Groups& positives, Groups negatives, const Forbidden& forbidden) {
  const Conjunction candidates = common(positives, forbidden);
  Conjunction chosen;
  while (!negatives.empty()) {
    const Condition* best = nullptr;
    std::size_t best_excluded = 0;
    for (const Condition& condition : candidates) {
      const auto excluded = static_cast<std::size_t>(
          std::ranges::count_if(negatives, [&](const Group& group) { return !holds(condition, group); }));
      const bool better = excluded > best_excluded ||
                          (excluded == best_excluded && best != nullptr && rank_of(condition) < rank_of(*best));
      if (excluded > 0 && better) {
        best = &condition;
        best_excluded = excluded;
      }
    }
    if (best == nullptr) return std::nullopt;
    chosen.push_back(*best);
    std::erase_if(negatives, [&](const Group& group) { return !holds(*best, group); });
  }
  std::ranges::sort(chosen);
  return chosen;
}

// Conditions that hold wherever it fails, and hardly anywhere else: what holds there too by chance is not claimed.
std::optional<Conjunction> exception(const Groups& negatives, const Groups& positives, const Forbidden& forbidden) {
  const auto count = [](const Groups& groups) {
    std::uint64_t sum = 0;
    for (const Group& group : groups) sum += group.count;
    return sum;
  };
  const std::uint64_t all = count(positives);
  const Conjunction candidates = common(negatives, forbidden);
  Conjunction chosen;
  Groups inside = positives;
  while (chosen.empty() || kLargestException * count(inside) > all) {
    std::uint64_t fewest = count(inside);
    const Condition* best = nullptr;
    for (const Condition& condition : candidates) {
      Groups left = inside;
      std::erase_if(left, [&](const Group& group) { return !holds(condition, group); });
      if (count(left) < fewest) {
        fewest = count(left);
        best = &condition;
      }
    }
    if (best == nullptr) return std::nullopt;
    chosen.push_back(*best);
    std::erase_if(inside, [&](const Group& group) { return !holds(chosen.back(), group); });
  }
  std::ranges::sort(chosen);
  return chosen;
}

// Keys that divide the positives into a few parts, the best first.
std::vector<std::string> split_keys(const Groups& positives, const Forbidden& forbidden) {
  std::map<std::string, std::set<Constant>> values;
  for (const Group& group : positives) {
    for (const auto& [key, value] : *group.facts) values[key].insert(value);
  }
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [key, seen] : values) {
    if (seen.size() >= 2 && seen.size() <= kMostValues && !forbidden.contains(key))
      order.emplace_back(rank_of({key, {}, 0}), key);
  }
  std::ranges::sort(order);
  std::vector<std::string> out;
  for (const auto& [rank, key] : order) out.push_back(key);
  return out;
}

std::optional<std::vector<Conjunction>> disjoin(const Groups& positives, const Groups& negatives,
                                                const Forbidden& forbidden, int depth) {
  if (auto all = conjoin(positives, negatives, forbidden)) return std::vector<Conjunction>{*all};
  if (depth == kDeepestSplit) return std::nullopt;
  for (const std::string& key : split_keys(positives, forbidden)) {
    std::map<Constant, Groups> parts;
    bool everywhere = true;
    for (const Group& group : positives) {
      const Constant* value = fact(*group.facts, key);
      everywhere = everywhere && value != nullptr;
      if (everywhere) parts[*value].push_back(group);
    }
    if (!everywhere) continue;
    std::vector<Conjunction> out;
    bool good = true;
    for (const auto& [value, part] : parts) {
      const Condition here{key, {value}, 0};
      Groups inside = negatives;
      std::erase_if(inside, [&](const Group& group) { return !holds(here, group); });
      const auto below = inside.empty()
                             ? std::vector<Conjunction>{Conjunction{}}
                             : disjoin(part, inside, forbidden, depth + 1).value_or(std::vector<Conjunction>{});
      good = !below.empty();
      if (!good) break;
      for (Conjunction conjunction : below) {
        if (std::ranges::find(conjunction, key, &Condition::key) == conjunction.end()) conjunction.push_back(here);
        std::ranges::sort(conjunction);
        out.push_back(std::move(conjunction));
      }
    }
    if (!good) continue;
    std::ranges::sort(out);
    const auto [first, last] = std::ranges::unique(out);
    out.erase(first, last);
    return out;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Precondition> separate(const Invariant& claim, std::span<const Examples> examples,
                                     const std::vector<FactList>& facts) {
  Groups positives;
  Groups negatives;
  for (const Examples& entry : examples) {
    const FactList& list = facts[entry.facts];
    if (entry.positives > 0) positives.push_back({&list, entry.first_positive, entry.last_positive, entry.positives});
    if (entry.negatives > 0) negatives.push_back({&list, entry.first_negative, entry.last_negative, entry.negatives});
  }
  if (positives.empty()) return std::nullopt;
  if (negatives.empty()) return Precondition{};
  Forbidden forbidden{claim.field, claim.other_field};
  if (auto any = disjoin(positives, negatives, forbidden, 0)) return Precondition{std::move(*any), false};
  forbidden.insert("step");  // "except late in the run" is how a run ends, not a rule
  if (auto all = exception(negatives, positives, forbidden)) return Precondition{{std::move(*all)}, true};
  return std::nullopt;
}

Inside count_inside(const Precondition& when, std::span<const Examples> examples, const std::vector<FactList>& facts) {
  Inside out;
  for (const Examples& entry : examples) {
    const FactList& list = facts[entry.facts];
    const auto inside = [&](std::int64_t first, std::int64_t last, std::uint64_t count) {
      if (when.unconditional()) return true;
      const Group group{&list, first, last, count};
      return std::ranges::any_of(when.any_of, [&](const Conjunction& all) { return holds(all, group); }) !=
             when.inverted;
    };
    const bool positive = inside(entry.first_positive, entry.last_positive, entry.positives);
    const bool negative = inside(entry.first_negative, entry.last_negative, entry.negatives);
    (positive ? out.positives : out.positives_outside) += entry.positives;
    (negative ? out.negatives : out.negatives_outside) += entry.negatives;
  }
  return out;
}

}  // namespace tenet::training
