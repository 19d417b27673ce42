/// The slow and obvious explorer that the real one is compared with:
/// breadth first over the reference interpreter, states in ordered sets.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tenet/explore/explorer.h"
#include "tenet/ir/interpreter.h"

namespace tenet::explore::oracle {

struct Answer {
  std::uint64_t initial_states = 0, states = 0, transitions = 0, deadlocks = 0;
  std::uint32_t diameter = 0;
  std::map<std::uint32_t, std::size_t> violated;  ///< property to shortest trace length
  std::map<std::uint32_t, std::size_t> reached;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> faults;  ///< step, place to shortest trace length
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> cuts;
  std::set<std::uint32_t> enabled;
};

/// A state with its constants.
using Whole = std::pair<std::vector<std::vector<ir::Value>>, ir::State>;
/// Makes one state stand for many (an orbit); the identity without symmetry.
using Canonical = std::function<Whole(const Whole&)>;

inline Whole same(const Whole& whole) { return whole; }

/// Explores completely.
inline Answer explore(const ir::Protocol& p, const ir::Instance& instance, const Canonical& canonical = same) {
  Answer answer;
  std::set<Whole> seen;
  std::vector<Whole> level;
  const auto add = [&](const Whole& whole, std::vector<Whole>& to) {
    Whole form = canonical(whole);
    if (seen.insert(form).second) to.push_back(std::move(form));
  };
  const auto started = ir::enumerate_starts(p, instance, 1u << 22, [&](const ir::Start& start) {
    add({start.constants.values, start.state}, level);
    return true;
  });
  EXPECT_TRUE(started) << started.error().message;
  answer.initial_states = level.size();
  for (std::uint32_t depth = 0; !level.empty(); ++depth) {
    answer.diameter = depth;
    std::vector<Whole> next;
    for (const Whole& whole : level) {
      const ir::Constants constants{whole.first};
      const ir::Interpreter interpreter(p, instance, constants);
      for (std::size_t i = 0; i < p.properties.size(); ++i) {
        if (p.properties[i].kind == ir::PropertyKind::transition) continue;
        const auto holds = interpreter.holds(p.properties[i].formula, whole.second);
        const bool* value = std::get_if<bool>(&holds);
        const bool witness = p.properties[i].kind == ir::PropertyKind::reachable;
        if (witness && value != nullptr && *value) answer.reached.try_emplace(static_cast<std::uint32_t>(i), depth);
        if (!witness && (value == nullptr || !*value))
          answer.violated.try_emplace(static_cast<std::uint32_t>(i), depth);
      }
      bool changes = false;
      interpreter.enabled(whole.second, [&](const ir::Action& action, const ir::Outcome& outcome) {
        answer.enabled.insert(action.step.value);
        if (const auto* cut = std::get_if<ir::CutAtBound>(&outcome)) {
          ++answer.cuts[{action.step.value, cut->slot}];
          changes = true;
        } else if (const auto* fault = std::get_if<ir::Fault>(&outcome)) {
          answer.faults.try_emplace({action.step.value, fault->where.value}, depth);
          changes = true;
        } else if (const auto* happened = std::get_if<ir::Happened>(&outcome)) {
          ++answer.transitions;
          for (std::size_t i = 0; i < p.properties.size(); ++i) {
            if (p.properties[i].kind != ir::PropertyKind::transition) continue;
            const auto holds = interpreter.holds(p.properties[i].formula, happened->next, &whole.second);
            const bool* value = std::get_if<bool>(&holds);
            if (value == nullptr || !*value) answer.violated.try_emplace(static_cast<std::uint32_t>(i), depth + 1);
          }
          if (happened->next == whole.second) return;
          changes = true;
          add({whole.first, happened->next}, next);
        }
      });
      if (!changes) ++answer.deadlocks;
    }
    level = std::move(next);
  }
  answer.states = seen.size();
  return answer;
}

/// Everything in which an exploration must agree with the oracle.
inline void expect_agrees(const ir::Protocol& p, const ir::Instance& instance, const Answer& answer,
                          const Options& options, bool counts = true) {
  const auto explored = explore::explore(p, instance, options);
  ASSERT_TRUE(explored) << explored.error().message;
  const Report& report = *explored;
  // With everything decided there is nothing left to count.
  const bool all = report.end != End::satisfied;
  if (counts && all) {
    EXPECT_EQ(report.states, answer.states);
    EXPECT_EQ(report.initial_states, answer.initial_states);
    EXPECT_EQ(report.transitions, answer.transitions);
    EXPECT_EQ(report.deadlocks, answer.deadlocks);
    std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> cuts;
    for (const Cut& cut : report.cuts) cuts[{cut.step.value, cut.slot}] = cut.count;
    EXPECT_EQ(cuts, answer.cuts);
  }
  if (all) {
    EXPECT_EQ(report.depth, answer.diameter);
  }
  std::set<std::uint32_t> enabled;
  for (std::uint32_t i = 0; i < p.steps.size(); ++i) enabled.insert(i);
  for (const ir::StepId step : report.never_enabled) enabled.erase(step.value);
  if (all) {
    EXPECT_EQ(enabled, answer.enabled);
  }
  std::map<std::uint32_t, std::size_t> violated, reached;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> faults;
  for (const Found& found : report.found) {
    EXPECT_EQ(ir::replay(p, instance, found.trace), "");
    const std::size_t length = found.trace.actions.size();
    if (found.kind == FoundKind::violation) violated.try_emplace(found.property.value, length);
    if (found.kind == FoundKind::reached) reached.try_emplace(found.property.value, length);
    if (found.kind == FoundKind::fault && found.failing_action) {
      faults.try_emplace({found.failing_action->step.value, found.fault->where.value}, length);
    }
  }
  EXPECT_EQ(violated, answer.violated);
  EXPECT_EQ(reached, answer.reached);
  if (all) {
    EXPECT_EQ(faults, answer.faults);
  }
}

}  // namespace tenet::explore::oracle
