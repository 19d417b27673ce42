#include "judgement.h"

#include <fmt/format.h>

#include <algorithm>

#include "sarif.h"
#include "tenet/base/sort.h"
#include "tenet/result/words.h"

namespace tenet::gate {

std::vector<const Item*> items_with(const Outcome& outcome, Reaction reaction) {
  std::vector<const Item*> items;
  for (const UnitOutcome& unit : outcome.units) {
    for (const Item& item : unit.items) {
      if (outcome.policy.reaction(item.change) == reaction) items.push_back(&item);
    }
  }
  stable_sort_by(items, 0, [](const Item* item) { return item->change; });
  return items;
}

std::string nothing_said(const Outcome& outcome) {
  if (outcome.empty) return "there is no protocol here that the policy covers";
  if (outcome.interrupted) return "interrupted";
  std::size_t asked = 0;
  std::size_t decided = 0;
  for (const UnitOutcome& unit : outcome.units) {
    asked += unit.asked;
    decided += unit.decided;
  }
  return asked > 0 && decided == 0 ? "everything that was asked is unknown" : "";
}

std::string verdict(const Outcome& outcome) {
  switch (exit_status(outcome)) {
    case 0:
      return "passed";
    case 1:
      return "failed";
    case 2:
      return items_with(outcome, Reaction::fail).empty() ? "cannot tell" : "failed";
    case 3:
      return "cannot tell: bad input";
    default:
      return "cannot tell: internal error";
  }
}

std::string counted(const std::vector<const Item*>& items) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < kChangeCount; ++i) {
    const auto change = static_cast<Change>(i);
    const auto count =
        std::count_if(items.begin(), items.end(), [&](const Item* each) { return each->change == change; });
    if (count > 0) words.push_back(fmt::format("{} {}", count, name(change)));
  }
  return result::listed(words);
}

std::string extent(const Outcome& outcome) {
  std::string text = fmt::format("{} touched, {} as {}", outcome.stamp.units.size(), outcome.untouched,
                                 outcome.untouched == 1 ? "it was" : "they were");
  if (outcome.shard.count > 1) {
    text += fmt::format("; shard {} of {} has {}", outcome.shard.index, outcome.shard.count, outcome.units.size());
  }
  return text;
}

int exit_status(const Outcome& outcome) {
  if (outcome.internal) return 4;
  if (!outcome.problems.empty()) return 3;
  const auto failing = items_with(outcome, Reaction::fail);
  const bool violated = std::any_of(failing.begin(), failing.end(), [](const Item* item) {
    return item->change == Change::newly_violated || item->change == Change::still_violated;
  });
  if (violated) return 1;
  return failing.empty() && nothing_said(outcome).empty() ? 0 : 2;
}

std::string sarif(const Outcome& outcome) {
  const int status = exit_status(outcome);
  return joined_sarif({outcome.sarif}, status, status < 3 && !outcome.interrupted);
}

}  // namespace tenet::gate
