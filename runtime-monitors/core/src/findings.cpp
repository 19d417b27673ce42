#include "findings.h"

#include <algorithm>
#include <ctime>
#include <tuple>

#include "json.h"
#include "tenet/monitor/abi.h"

namespace tenet::monitor {
namespace {

constexpr std::size_t kEventsKept = 32;     // per host
constexpr std::size_t kEventsShown = 16;    // per host of a finding
constexpr std::size_t kLargestKept = 1024;  // words: what is longer is evidence only where it is judged
constexpr std::size_t kOthersShown = 16;    // hosts, beside that of the judged event
constexpr std::size_t kFindingsKept = 1000;
constexpr std::size_t kDifferentKept = 100000;

std::uint64_t now() { return static_cast<std::uint64_t>(std::time(nullptr)); }

}  // namespace

Findings::Findings(Rules& rules, const Options& options, std::uint64_t salt)
    : rules_(rules),
      rendering_{options.reveal, salt},
      per_minute_(options.findings_per_minute),
      to_file_(!options.findings.empty()) {
  for (const RuleInfo& info : rules.rules()) {
    RuleState state;
    state.info = info;
    states_.push_back(std::move(state));
  }
  pace_.resize(states_.size());
  rules.render_with(rendering_);
}

void Findings::remember(const Event& event) {
  if (event.words.size() > kLargestKept) return;
  std::deque<Event>& recent = recent_[event.host];
  const auto weight = [](const Event& e) { return sizeof(Event) + e.words.size() * sizeof(std::uint64_t); };
  evidence_bytes_ += weight(event);
  if (recent.size() < kEventsKept) {
    recent.push_back(event);
    return;
  }
  Event oldest = std::move(recent.front());  // whose memory the new one takes
  recent.pop_front();
  evidence_bytes_ -= weight(oldest);
  oldest = event;
  recent.push_back(std::move(oldest));
}

void Findings::verdict(std::size_t rule, Verdict verdict, const Event& event, const std::string& detail,
                       const std::vector<HostId>& others) {
  if (rule >= states_.size() || !states_[rule].on) return;
  RuleState& state = states_[rule];
  switch (verdict) {
    case Verdict::passed:
      ++state.count.passed;
      return;
    case Verdict::unknown:
      ++state.count.unknown;
      return;
    case Verdict::violated:
      ++state.count.violated;
  }
  if (!worth_a_line(rule, event, detail)) {
    ++state.count.suppressed;
    ++pace_[rule].suppressed;
    return;
  }
  std::string text = line(rule, event, detail, others);
  pace_[rule].suppressed = 0;
  if (to_file_ && !file_.append(text)) {
    ++lost_;
  } else {
    ++written_;
  }
  last_.push_back(std::move(text));
  if (last_.size() > kFindingsKept) last_.pop_front();
}

bool Findings::worth_a_line(std::size_t rule, const Event& event, const std::string& detail) {
  const RuleState& state = states_[rule];
  const std::uint64_t time = now();
  if (!state.silenced_because.empty() && time < state.silenced_until) return false;
  const std::string what =
      std::to_string(rule) + '/' + std::to_string(event.host.word) + '/' + std::to_string(event.key) + '/' + detail;
  const std::uint64_t hash = tenet_monitor_v1_hash(what.data(), what.size());
  if (seen_.count(hash) != 0) return false;
  Pace& pace = pace_[rule];
  if (pace.minute != time / 60) {
    pace.minute = time / 60;
    pace.used = 0;
  }
  if (pace.used >= per_minute_) return false;
  ++pace.used;
  if (seen_.size() >= kDifferentKept) seen_.clear();
  seen_.insert(hash);
  return true;
}

std::string Findings::line(std::size_t rule, const Event& event, const std::string& detail,
                           const std::vector<HostId>& others) {
  const RuleInfo& info = states_[rule].info;
  std::string out = "{\"format\":\"tenet-finding\",\"version\":1";
  const auto text = [&](const char* name, const std::string& value) {
    out += std::string(",\"") + name + "\":" + quoted(value);
  };
  const auto number = [&](const char* name, std::uint64_t value) {
    out += std::string(",\"") + name + "\":" + std::to_string(value);
  };
  text("time", utc(now()));
  text("protocol", rules_.protocol());
  text("stamp", rules_.stamp());
  text("rule", info.name);
  text("kind", info.kind);
  text("text", info.text);
  text("host", rules_.name(event.host));
  number("key", event.key);
  number("incarnation", event.incarnation);
  number("sequence", event.sequence);
  text("detail", detail);
  number("suppressed_before", pace_[rule].suppressed);
  out += std::string(",\"revealed\":") + (rendering_.reveal ? "true" : "false");
  out += ",\"events\":" + evidence(event, others);
  return out + '}';
}

std::string Findings::evidence(const Event& event, const std::vector<HostId>& others) const {
  std::vector<HostId> hosts;
  for (const HostId host : others) {
    if (hosts.size() == kOthersShown) break;
    if (host != event.host && std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  std::string out = "[";
  for (const HostId host : hosts) show_recent(host, event, out);
  show_recent(event.host, event, out);
  show(event, out);
  return out + ']';
}

// What the host did before the event that is judged: what came later from its own host explains nothing.
void Findings::show_recent(HostId host, const Event& judged, std::string& out) const {
  const auto recent = recent_.find(host);
  if (recent == recent_.end()) return;
  const auto before = [&](const Event& e) {
    return host != judged.host || std::tie(e.incarnation, e.sequence) < std::tie(judged.incarnation, judged.sequence);
  };
  const std::size_t most = host == judged.host ? kEventsShown - 1 : kEventsShown;
  std::vector<const Event*> chosen;
  for (auto e = recent->second.rbegin(); e != recent->second.rend() && chosen.size() < most; ++e) {
    if (e->key == judged.key && before(*e)) chosen.push_back(&*e);
  }
  for (auto e = chosen.rbegin(); e != chosen.rend(); ++e) show(**e, out);
}

void Findings::show(const Event& event, std::string& out) const {
  if (out.size() > 1) out += ',';
  out += "{\"host\":" + quoted(rules_.name(event.host)) + ",\"incarnation\":" + std::to_string(event.incarnation) +
         ",\"sequence\":" + std::to_string(event.sequence) + ",\"event\":" + quoted(rules_.describe(event, rendering_));
  const std::string parts = rules_.parts(event, rendering_);
  if (!parts.empty()) out += ",\"parts\":" + parts;
  out += '}';
}

}  // namespace tenet::monitor
