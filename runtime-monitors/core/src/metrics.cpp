#include "metrics.h"

#include <utility>

namespace tenet::monitor {
namespace {

// Label values escape backslash, quote and line break.
std::string label(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string prometheus(const Rules& rules, const std::vector<RuleState>& states, const Summary& s, bool enabled,
                       bool up) {
  std::string out;
  const std::string common = "protocol=\"" + label(rules.protocol()) + "\"";
  const auto head = [&](const char* name, const char* type, const char* help) {
    out +=
        std::string("# HELP tenet_monitor_") + name + " " + help + "\n# TYPE tenet_monitor_" + name + " " + type + "\n";
  };
  const auto line = [&](const char* name, const std::string& labels, std::uint64_t value) {
    out += std::string("tenet_monitor_") + name + "{" + labels + "} " + std::to_string(value) + "\n";
  };
  const auto single = [&](const char* name, const char* type, const char* help, std::uint64_t value) {
    head(name, type, help);
    line(name, common, value);
  };
  single("up", "gauge", "1 while the checker works, 0 after it was stopped or crashed.", up ? 1 : 0);
  single("enabled", "gauge", "The global switch.", enabled ? 1 : 0);
  single("events_total", "counter", "Events handed to the rules.", s.events);
  single("dropped_total", "counter", "Events dropped by producers because no ring had room.", s.dropped);
  single("gaps_total", "counter", "Places where events of a host are missing.", s.gaps);
  single("late_total", "counter", "Events that arrived after their gap was given up.", s.late);
  single("duplicates_total", "counter", "Events that had been seen before.", s.duplicates);
  single("unknown_hosts_total", "counter", "Events of hosts that the topology does not have.", s.unknown_hosts);
  single("malformed_total", "counter", "Records that are no events of the specification.", s.malformed);
  single("restarts_total", "counter", "Incarnations that followed another.", s.restarts);
  single("findings_total", "counter", "Findings written.", s.findings);
  single("findings_lost_total", "counter", "Findings that could not be written.", s.findings_lost);
  single("records_lost_total", "counter", "Trace lines that could not be written.", s.records_lost);
  single("foreign_files_total", "counter", "Ring files of another version of the specification.", s.foreign_files);
  single("control_problems", "gauge", "Lines of the control file that are no orders.", s.control_problems.size());
  single("memory_bytes", "gauge", "Memory of waiting events, evidence and the rules' state.", s.memory);
  single("anonymous_rings", "gauge", "1 if the ring file could not be made.", s.memory_fallback ? 1 : 0);
  head("rule_total", "counter", "Answers of each rule.");
  for (const RuleState& state : states) {
    const std::string rule = common + ",rule=\"" + label(state.info.name) + "\",verdict=\"";
    line("rule_total", rule + "passed\"", state.count.passed);
    line("rule_total", rule + "violated\"", state.count.violated);
    line("rule_total", rule + "unknown\"", state.count.unknown);
  }
  head("suppressed_total", "counter", "Violations without a finding: repeated, too many, or silenced.");
  for (const RuleState& state : states) {
    line("suppressed_total", common + ",rule=\"" + label(state.info.name) + "\"", state.count.suppressed);
  }
  head("rule_on", "gauge", "Whether the rule is switched on.");
  for (const RuleState& state : states) {
    line("rule_on", common + ",rule=\"" + label(state.info.name) + "\"", state.on ? 1 : 0);
  }
  return out;
}

int Summary::exit_status() const {
  std::uint64_t passed = 0, violated = 0;
  for (const RuleCount& rule : rules) {
    passed += rule.passed;
    violated += rule.violated;
  }
  if (violated > 0) return 1;
  return events == 0 || passed == 0 || crashed || foreign_files > 0 ? 2 : 0;
}

std::string to_text(const Summary& s) {
  std::size_t violated = 0, unknown = 0, passed = 0, never = 0;
  for (const RuleCount& rule : s.rules) {
    if (rule.violated > 0) {
      ++violated;
    } else if (rule.unknown > 0) {
      ++unknown;
    } else if (rule.passed > 0) {
      ++passed;
    } else {
      ++never;
    }
  }
  std::string out = std::to_string(s.rules.size()) + " rules: " + std::to_string(s.rules.size() - never) +
                    " triggered, " + std::to_string(passed) + " passed, " + std::to_string(violated) + " violated, " +
                    std::to_string(unknown) + " unknown at least once, " + std::to_string(never) +
                    " never triggered; " + std::to_string(s.events) + " events, " + std::to_string(s.findings) +
                    " findings";
  const auto say = [&](std::uint64_t count, const char* what) {
    if (count > 0) out += ", " + std::to_string(count) + " " + what;
  };
  say(s.dropped, "events dropped");
  say(s.gaps, "gaps");
  say(s.late, "late");
  say(s.duplicates, "duplicates");
  say(s.unknown_hosts, "of unknown hosts");
  say(s.malformed, "malformed");
  say(s.restarts, "restarts");
  say(s.findings_lost, "findings lost");
  say(s.records_lost, "trace lines lost");
  say(s.foreign_files, "ring files of another version");
  say(s.control_problems.size(), "orders not understood");
  constexpr std::size_t kProblemsShown = 3;
  for (std::size_t i = 0; i < s.control_problems.size() && i < kProblemsShown; ++i) {
    out += "; control file: " + s.control_problems[i];
  }
  if (s.memory_fallback) out += "; the ring file could not be made";
  if (s.crashed) out += "; the checker crashed: " + s.crash;
  return out;
}

}  // namespace tenet::monitor
