#include "narration.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tenet/result/words.h"
#include "wording.h"

namespace tenet::report {
namespace {

using result::TraceStep;
using result::TraceView;

/// "all Acceptor" if the recipients are exactly the hosts of one role that
/// has several, else their names.
std::string recipients_text(const TraceView& trace, const std::vector<std::size_t>& recipients) {
  std::vector<std::string> names;
  std::set<std::size_t> distinct;
  for (const std::size_t r : recipients) {
    if (r < trace.hosts.size()) distinct.insert(r);
  }
  if (!distinct.empty() && *distinct.begin() < trace.roles.size()) {
    const std::string& role = trace.roles[*distinct.begin()];
    std::set<std::size_t> whole;
    for (std::size_t i = 0; i < trace.roles.size(); ++i) {
      if (trace.roles[i] == role) whole.insert(i);
    }
    if (whole.size() > 1 && whole == distinct && recipients.size() == whole.size()) return "all " + role;
  }
  for (const std::size_t r : recipients) names.push_back(r < trace.hosts.size() ? trace.hosts[r] : "?");
  return result::listed(names);
}

}  // namespace

std::size_t lifeline(const TraceView& trace, std::string_view host) {
  return static_cast<std::size_t>(std::find(trace.hosts.begin(), trace.hosts.end(), host) - trace.hosts.begin());
}

std::vector<SendGroup> group_sends(const TraceView& trace, const TraceStep& step) {
  std::vector<SendGroup> groups;
  for (const TraceStep::Message& message : step.sent) {
    if (groups.empty() || groups.back().text != message.text) groups.push_back({message.text, {}, {}});
    groups.back().recipients.push_back(lifeline(trace, message.to));
  }
  for (SendGroup& group : groups) group.to = recipients_text(trace, group.recipients);
  return groups;
}

std::vector<Assignments> group_assignments(const TraceView& trace, const std::vector<TraceStep::Change>& values) {
  // The hosts of a role agree on a variable if it has one value on all.
  std::map<std::pair<std::string, std::string>, std::set<std::string>> seen;
  std::map<std::string, std::size_t> sizes;
  for (const std::string& role : trace.roles) ++sizes[role];
  const auto role_of = [&](const std::string& host) -> std::string {
    const std::size_t at = lifeline(trace, host);
    return at < trace.roles.size() ? trace.roles[at] : host;
  };
  for (const auto& value : values) seen[{role_of(value.host), value.variable}].insert(value.after);

  std::vector<Assignments> result;
  const auto add = [&](const std::string& owner, std::string item) {
    auto found = std::find_if(result.begin(), result.end(), [&](const auto& a) { return a.owner == owner; });
    if (found == result.end()) found = result.insert(result.end(), {owner, {}});
    if (std::find(found->items.begin(), found->items.end(), item) == found->items.end()) {
      found->items.push_back(std::move(item));
    }
  };
  for (const auto& value : values) {
    const std::string role = role_of(value.host);
    const bool agreed = sizes[role] > 1 && seen[{role, value.variable}].size() == 1;
    add(agreed ? "every " + role : value.host, value.variable + " = " + value.after);
  }
  return result;
}

std::string title(const result::Finding& finding) {
  // A step's place says itself that it is a step.
  const bool plain = finding.subject_kind.empty() || finding.subject_kind == "step";
  return plain ? finding.subject : finding.subject_kind + " " + finding.subject;
}

std::string_view claim_outcome(const result::Finding& finding) {
  if (finding.rule == "fault") return "has no value";
  return finding.verdict == result::Verdict::reached ? "is true" : "is false";
}

std::string length_of(const result::Finding& finding) {
  const auto& steps = finding.trace->steps;
  if (finding.category == "unreachable-start") {
    if (steps.empty()) return "It fails in this state,";
    if (finding.subject_kind == "trace")
      return "It may begin in any state; here it has " + counted(steps.size(), "step") + ",";
    return "From a state that no run need reach, a step breaks it";
  }
  if (finding.category == "logged-run" || finding.category == "logged-end") {
    const std::size_t taken = steps.size() - (steps.empty() || steps.back().fault.empty() ? 0 : 1);
    return fmt::format("{} it {},", finding.category == "logged-run" ? "Before" : "Last before",
                       taken == 1 ? "was 1 step" : "were " + counted(taken, "step"));
  }
  const bool random = finding.category == "random-run";
  if (steps.empty())
    return random                               ? "A run without a step,"
           : finding.category == "symbolic-run" ? "It happens in an initial state, found by symbolic search,"
                                                : "It happens in an initial state";
  // A step that has no result is none that was taken.
  const bool fails = !steps.back().fault.empty();
  const std::string taken = counted(steps.size() - (fails ? 1 : 0), "step");
  return (random ? "A random run of " + taken : "A shortest run to it has " + taken) +
         (fails ? ", then one that fails," : ",") +
         (finding.category == "symbolic-run" ? " found by symbolic search," : "");
}

std::string deed(const TraceStep& step) {
  std::string arguments;
  for (const auto& [name, value] : step.arguments) {
    arguments += (arguments.empty() ? "" : ", ") + name + " = " + value;
  }
  if (!step.received) return "does " + step.step + (arguments.empty() ? "" : "(" + arguments + ")");
  std::string text = "receives " + step.received->text + " from " + step.received->from;
  if (step.step != "receive " + step.received->name) text += " as " + step.step;
  if (!arguments.empty()) text += " with " + arguments;
  return text;
}

}  // namespace tenet::report
