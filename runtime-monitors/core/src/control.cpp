#include "control.h"

#include <algorithm>
#include <sstream>

#include "json.h"

namespace tenet::monitor {

std::vector<std::string> apply_control(const std::string& text, std::vector<RuleState>& rules, bool& enabled) {
  std::vector<std::string> problems;
  enabled = true;
  for (RuleState& rule : rules) {
    rule.on = true;
    rule.silenced_because.clear();
    rule.silenced_until = 0;
  }
  std::istringstream lines(text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string order, name;
    if (!(words >> order) || order[0] == '#') continue;
    words >> name;
    const auto problem = [&](const std::string& what) {
      problems.push_back("line " + std::to_string(number) + ": " + what);
    };
    if (order == "off" && name == "*") {
      enabled = false;
      continue;
    }
    const auto rule =
        std::find_if(rules.begin(), rules.end(), [&](const RuleState& state) { return state.info.name == name; });
    if (order != "off" && order != "silence") {
      problem("'" + order + "' is neither off nor silence");
    } else if (rule == rules.end()) {
      problem("there is no rule '" + name + "'");
    } else if (order == "off") {
      rule->on = false;
    } else {
      std::string until, reason;
      words >> until;
      std::getline(words >> std::ws, reason);
      const std::uint64_t end = seconds_of(until);
      if (end == 0 || reason.empty()) {
        problem("silencing a rule takes an end (2026-12-31) and a reason");
        continue;
      }
      rule->silenced_until = end;
      rule->silenced_because = reason;
    }
  }
  return problems;
}

}  // namespace tenet::monitor
