#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tenet/base/file.h"
#include "tenet/charts/charts.h"

namespace tenet::charts {
namespace {

using Json = nlohmann::ordered_json;  // fields in the order of the specification
using result::Finding;
using result::NamedText;
using result::TraceStep;
using result::TraceView;

/// A text member; "" if there is none.
std::string text(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

std::uint64_t number(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

/// The texts of an object, by name.
std::vector<NamedText> fields(const Json& json, const char* name) {
  std::vector<NamedText> out;
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (found == json.end() || !found->is_object()) return out;
  for (const auto& [field, value] : found->items()) {
    out.emplace_back(field, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return out;
}

std::string place_of(const Json& event) {
  return fmt::format("{}/{}/{}", text(event, "host"), number(event, "incarnation"), number(event, "sequence"));
}

TraceStep::Message message_of(const Json& parts, const std::string& name, const std::string& from,
                              const std::string& to) {
  TraceStep::Message message;
  message.name = name;
  message.from = from;
  message.to = to;
  message.fields = fields(parts, "arguments");
  std::string arguments;
  for (const auto& [field, value] : message.fields) arguments += (arguments.empty() ? "" : ", ") + value;
  message.text = name + "(" + arguments + ")";
  return message;
}

/// A step of a host, or that it began or came back; with the messages that it was told to send.
struct Unit {
  const Json* event = nullptr;
  std::string place;
  TraceStep step;
  std::vector<std::string> sends;  ///< names of messages
  std::string receives;            ///< name of a message
  std::vector<NamedText> state;    ///< after it
  bool snapshot = false;
};

Unit unit_of(const Json& event) {
  Unit unit;
  unit.event = &event;
  unit.place = place_of(event);
  unit.step.host = text(event, "host");
  const auto parts = event.find("parts");
  if (parts == event.end() || !parts->is_object()) {  // of a monitor that knows no more than words
    unit.step.step = text(event, "event");
    return unit;
  }
  unit.snapshot = !text(*parts, "snapshot").empty();
  unit.step.step = unit.snapshot ? text(*parts, "snapshot") : text(*parts, "step");
  for (const char* name : {"parameters", "choices", "constants"}) {
    for (NamedText& field : fields(*parts, name)) unit.step.arguments.push_back(std::move(field));
  }
  unit.state = fields(*parts, "state");
  const std::string message = text(*parts, "message");
  if (!message.empty()) {
    unit.step.received = message_of(*parts, message, text(*parts, "from"), unit.step.host);
    unit.receives = text(*parts, "received");
  }
  return unit;
}

/// The events of one finding as a run.
class Story {
 public:
  explicit Story(const Json& finding) : finding_(finding) {
    if (const auto events = finding.find("events"); events != finding.end() && events->is_array()) {
      for (const Json& event : *events) add(event);
    }
  }

  TraceView view() {
    for (const std::string& host : hosts_) {
      view_.hosts.push_back(host);
      view_.roles.push_back(host.substr(0, host.find('#')));
    }
    cells();
    while (Unit* next = choose()) take(*next);
    for (std::size_t i = 0; i < view_.initial.size(); ++i) {
      view_.final_state.push_back(view_.initial[i]);
      view_.final_state.back().after = values_[i];
    }
    return std::move(view_);
  }

 private:
  struct Host {
    std::vector<Unit> units;
    std::size_t next = 0;
    std::size_t given = 0;  ///< index of its place in the evidence
  };

  void know(const std::string& host) {
    if (!host.empty() && host != "?") hosts_.insert(host);
  }

  void add(const Json& event) {
    const std::string name = text(event, "host");
    know(name);
    Host& host = by_host_.try_emplace(name, Host{{}, 0, by_host_.size()}).first->second;
    const Json none;
    const Json& parts = event.contains("parts") ? event.at("parts") : none;
    const std::string sent = text(parts, "send");
    if (sent.empty()) {
      host.units.push_back(unit_of(event));
      if (host.units.back().step.received) know(host.units.back().step.received->from);
      return;
    }
    know(text(parts, "to"));
    const std::string step = text(parts, "of_step");
    auto unit = std::find_if(host.units.begin(), host.units.end(), [&](const Unit& u) { return u.place == step; });
    if (unit == host.units.end()) {  // its step is too long ago
      Unit alone;
      alone.event = &event;
      alone.place = place_of(event);
      alone.step.host = name;
      alone.step.step = "send " + sent;
      unit = host.units.insert(host.units.end(), std::move(alone));
    }
    unit->step.sent.push_back(message_of(parts, sent, name, text(parts, "to")));
    unit->sends.push_back(text(parts, "id"));
    sendings_.insert(text(parts, "id"));
  }

  // Every variable that is told anywhere; what it was before the first event only a snapshot says.
  void cells() {
    for (const auto& [name, host] : by_host_) {
      for (const Unit& unit : host.units) {
        for (const auto& [variable, value] : unit.state) {
          if (!cell_.try_emplace({name, variable}, view_.initial.size()).second) continue;
          view_.initial.push_back({name, variable, "", "?"});
          values_.emplace_back("?");
        }
      }
    }
  }

  // The next event of the first host in the evidence that need not wait for another's.
  Unit* choose() {
    std::vector<Host*> order;
    for (auto& [name, host] : by_host_) {
      if (host.next < host.units.size()) order.push_back(&host);
    }
    std::sort(order.begin(), order.end(), [](const Host* a, const Host* b) { return a->given < b->given; });
    for (Host* host : order) {
      const std::string& cause = host->units[host->next].receives;
      if (sendings_.count(cause) == 0 || sent_at_.count(cause) != 0) return &host->units[host->next++];
    }
    // Only evidence that contradicts itself comes here.
    return order.empty() ? nullptr : &order.front()->units[order.front()->next++];
  }

  void take(Unit& unit) {
    const std::size_t at = view_.steps.size();
    TraceStep& step = unit.step;
    if (step.received) {
      if (const auto sent = sent_at_.find(unit.receives); sent != sent_at_.end()) step.received->sent_at = sent->second;
    }
    for (const std::string& id : unit.sends) sent_at_.emplace(id, at);
    for (const auto& [variable, value] : unit.state) {
      const std::size_t cell = cell_.at({step.host, variable});
      if (values_[cell] == value) continue;
      step.changes.push_back({step.host, variable, values_[cell], value});
      step.cells.emplace_back(cell, value);
      values_[cell] = value;
    }
    const bool here = unit.step.host == text(finding_, "host") &&
                      number(*unit.event, "incarnation") == number(finding_, "incarnation") &&
                      number(*unit.event, "sequence") == number(finding_, "sequence");
    if (here) step.fault = text(finding_, "detail").empty() ? "here the rule is violated" : text(finding_, "detail");
    view_.steps.push_back(std::move(step));
  }

  const Json& finding_;
  std::set<std::string> hosts_;
  std::map<std::string, Host> by_host_;
  std::set<std::string> sendings_;
  std::map<std::string, std::size_t> sent_at_;
  std::map<std::pair<std::string, std::string>, std::size_t> cell_;
  std::vector<std::string> values_;
  TraceView view_;
};

Finding finding_of(const Json& line) {
  Finding finding;
  finding.rule = "monitor-finding";
  finding.verdict = result::Verdict::violated;
  finding.subject = text(line, "rule");
  finding.subject_kind = text(line, "kind");
  finding.message = fmt::format("{} {} is violated at {}, in run {}, {}", finding.subject_kind, finding.subject,
                                place_of(line), number(line, "key"), text(line, "time"));
  finding.doc = text(line, "text");
  finding.hint = text(line, "detail");
  finding.category = "logged-end";
  finding.instance = fmt::format("run {} of {}", number(line, "key"), text(line, "protocol"));
  TraceView view = Story(line).view();
  if (!view.steps.empty()) finding.trace = std::move(view);
  return finding;
}

}  // namespace

Result<result::RunResult> of_findings(const std::vector<std::string>& files) {
  result::RunResult run;
  run.command = "monitor report";
  bool found = false;
  for (const std::string& path : files) {
    const auto read = read_file(path);
    if (!read) return tl::make_unexpected(read.error());
    const std::string& all = *read;
    result::FileResult file;
    file.source = std::make_shared<const SourceFile>(path, "");
    std::size_t row = 0;
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = std::min(all.find('\n', at), all.size());
      const std::string_view line(all.data() + at, end - at);
      at = end + 1;
      ++row;
      if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      const Json json = Json::parse(line, nullptr, false);
      // The monitor was killed while it wrote.
      if (!json.is_object() && all.find_first_not_of(" \t\r\n", end) == std::string::npos) {
        Finding note;
        note.rule = "cut-line";
        note.level = result::Level::note;
        note.message = fmt::format("{}:{}: the last line is cut and was left out", path, row);
        file.findings.push_back(std::move(note));
        break;
      }
      if (!json.is_object() || text(json, "format") != "tenet-finding") {
        return failure(ErrorKind::bad_input, fmt::format("{}:{}: no finding of a monitor", path, row));
      }
      file.protocol = text(json, "protocol");
      file.findings.push_back(finding_of(json));
      found = true;
    }
    run.files.push_back(std::move(file));
  }
  // A healthy monitor writes none, and neither does one that never ran: the files alone cannot tell.
  if (!found) run.conclusion = {"no finding in these files; the metrics say what was checked", 2};
  return run;
}

}  // namespace tenet::charts
