#include "log.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "tenet/base/file.h"

namespace tenet::validate {
namespace {

/// Deeper values than any that a specification has; what goes through them would need a stack for it.
constexpr std::size_t kDeepest = 100;

bool deeper_than(const Json& json, std::size_t levels) {
  if (!json.is_structured()) return false;
  return levels == 0 ||
         std::any_of(json.begin(), json.end(), [levels](const Json& inner) { return deeper_than(inner, levels - 1); });
}

Result<std::map<std::string, std::string>> names(const std::string& path, const std::string& member, const Json& json) {
  if (!json.is_object()) {
    return failure(ErrorKind::bad_input, fmt::format("{}: '{}' is no object of names", path, member));
  }
  std::map<std::string, std::string> out;
  for (const auto& [from, to] : json.items()) {
    if (!to.is_string()) {
      return failure(ErrorKind::bad_input,
                     fmt::format("{}: '{}' in '{}' is mapped to {}, which is no name", path, from, member, to.dump()));
    }
    out[from] = to.get<std::string>();
  }
  return out;
}

std::uint64_t number(const Json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

// A host's events in the order of their numbers, and the beginnings of its incarnations, which are number 1.
struct Numbered {
  Logs::Name name;
  std::optional<Logs::Name> after;  ///< of a beginning: the last event before it
  std::uint64_t key = 0;
  std::size_t item = 0;  ///< of the run; none for a beginning
};

std::map<std::string, std::vector<Numbered>> numbered(const Logs& logs) {
  std::map<std::string, std::vector<Numbered>> all;
  for (const auto& [host, beginnings] : logs.beginnings) {
    for (const auto& [incarnation, after] : beginnings) all[host].push_back({{incarnation, 1}, after, 0, 0});
  }
  for (const auto& [key, hosts] : logs.runs) {
    for (const auto& [host, log] : hosts) {
      for (std::size_t i = 0; i < log.items.size(); ++i) {
        const auto& item = log.items[i];
        if (item.sequence != 0) all[host].push_back({{item.incarnation, item.sequence}, std::nullopt, key, i});
      }
    }
  }
  for (auto& [host, events] : all) {
    std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  }
  return all;
}

// Whether events of the host are missing between two that follow each other in the log, or may be. `before`: null for
// the first one. What an incarnation lost at its end only the beginning of the next one tells.
bool misses(const Numbered* before, const Numbered& event) {
  if (event.after) return *event.after != (before != nullptr ? before->name : Logs::Name{});
  if (before == nullptr) return event.name.incarnation > 1 || event.name.sequence > 2;
  return event.name.incarnation != before->name.incarnation || event.name.sequence > before->name.sequence + 1;
}

// Sequence numbers run through all runs of a host: what is missing in them is missing somewhere.
void find_gaps(Logs& logs) {
  for (const auto& [host, events] : numbered(logs)) {
    std::set<std::uint64_t> met;  // runs that have met the last gap
    bool gap = false;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Numbered& event = events[i];
      if (misses(i == 0 ? nullptr : &events[i - 1], event)) {
        gap = true;
        met.clear();
      }
      if (!gap || event.after || !met.insert(event.key).second) continue;
      logs.runs[event.key][host].items[event.item].after_gap = true;
    }
    // The other runs may have lost their end.
    for (auto& [key, hosts] : logs.runs) {
      const auto log = hosts.find(host);
      if (gap && log != hosts.end() && met.count(key) == 0) log->second.complete = false;
    }
  }
  // Without numbers, the order of the file is what counts, and what a restart lost nobody knows.
  for (auto& [key, hosts] : logs.runs) {
    for (auto& [host, log] : hosts) {
      std::uint64_t incarnation = 1;
      for (Logs::HostLog::Item& item : log.items) {
        if (item.sequence == 0 && (item.recovers || item.incarnation > incarnation)) item.after_gap = true;
        incarnation = std::max(incarnation, item.incarnation);
      }
    }
  }
}

// What is judged of an event; the rest of its line, a time say, tells nothing.
Json judged_part(const Json& line) {
  Json out = Json::object();
  for (const char* name :
       {"snapshot", "step", "parameters", "message", "from", "send", "to", "arguments", "constants", "state"}) {
    if (line.contains(name)) out[name] = line[name];
  }
  return out;
}

// The first of the event's numbers that is none.
Result<void> numbers_of(const Json& line) {
  for (const char* name : {"key", "incarnation", "sequence"}) {
    const auto found = line.find(name);
    if (found == line.end() || found->is_number_unsigned()) continue;
    return failure(ErrorKind::bad_input, fmt::format("'{}' is no natural number of 64 bits: {}", name, found->dump()));
  }
  return {};
}

// A member that is an object if it is there.
Result<const Json*> object_in(const Json& line, const char* member) {
  static const Json kNone = Json::object();
  const auto found = line.find(member);
  if (found == line.end()) return &kNone;
  if (found->is_object()) return &*found;
  return failure(ErrorKind::bad_input, fmt::format("'{}' is no object: {}", member, found->dump()));
}

// What a header says of the run: hosts of the roles, and constants.
Result<void> read_header(Logs& logs, const ir::Protocol& protocol, const Json& line) {
  if (line["format"] != "tenet-trace" || line.value("version", Json(1)) != 1) {
    return failure(ErrorKind::bad_input,
                   fmt::format("a log of format {}, version {}: known is \"tenet-trace\", version 1",
                               line["format"].dump(), line.value("version", Json(1)).dump()));
  }
  const auto constants = object_in(line, "constants");
  const auto hosts = object_in(line, "hosts");
  if (!constants) return tl::make_unexpected(constants.error());
  if (!hosts) return tl::make_unexpected(hosts.error());
  for (const auto& [name, value] : (*constants)->items()) {
    const std::string& said = name;
    if (std::none_of(protocol.constants.begin(), protocol.constants.end(),
                     [&](const auto& constant) { return !constant.role.valid() && constant.name == said; })) {
      return failure(ErrorKind::bad_input, fmt::format("there is no constant '{}'", name));
    }
    const auto [known, fresh] = logs.constants.emplace(name, value);
    if (!fresh && known->second != value) {
      return failure(
          ErrorKind::bad_input,
          fmt::format("the constant {} has another value in another header: they are of different runs", name));
    }
  }
  for (const auto& [name, value] : (*hosts)->items()) {
    const auto& wanted = name;
    if (std::none_of(protocol.roles.begin(), protocol.roles.end(),
                     [&](const auto& role) { return role.name == wanted; })) {
      return failure(ErrorKind::bad_input, fmt::format("there is no role '{}'", name));
    }
    if (!value.is_number_unsigned()) {
      return failure(ErrorKind::bad_input, fmt::format("{} hosts of role '{}'", value.dump(), name));
    }
    logs.hosts[name] = value.get<std::int64_t>();
  }
  return {};
}

// Reads the line that an incarnation begins with.
Result<void> read_beginning(Logs& logs, const std::string& host, const Json& line) {
  const Json& after = line["begins_after"];
  const auto natural = [](const Json& object, const char* name) {
    return object.is_object() && object.contains(name) && object[name].is_number_unsigned();
  };
  if (!natural(line, "incarnation") || !natural(after, "incarnation") || !natural(after, "sequence")) {
    return failure(ErrorKind::bad_input,
                   "an incarnation that begins has a number, and 'begins_after' has the members 'incarnation' and "
                   "'sequence', numbers from 0");
  }
  logs.beginnings[host][line["incarnation"]] = {after["incarnation"], after["sequence"]};
  return {};
}

}  // namespace

Result<Mapping> Mapping::load(const std::string& path) {
  Mapping mapping;
  if (path.empty()) return mapping;
  const auto text = read_file(path);
  if (!text) return tl::make_unexpected(text.error());
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return failure(ErrorKind::bad_input, path + ": a mapping is a JSON object");
  for (const auto& [member, renamed] : json.items()) {
    auto* part = member == "fields"  ? &mapping.fields_
                 : member == "steps" ? &mapping.steps_
                 : member == "hosts" ? &mapping.hosts_
                                     : nullptr;
    if (part == nullptr) {
      return failure(ErrorKind::bad_input,
                     fmt::format("{}: a mapping has 'fields', 'steps' and 'hosts', but no '{}'", path, member));
    }
    auto read = names(path, member, renamed);
    if (!read) return tl::make_unexpected(read.error());
    *part = std::move(*read);
  }
  return mapping;
}

void Mapping::apply(Json& line) const {
  for (const auto& [theirs, ours] : fields_) {
    const auto found = line.find(theirs);
    if (found == line.end()) continue;
    Json value = std::move(*found);
    line.erase(found);
    line[ours] = std::move(value);
  }
  const auto rename = [](Json& value, const std::map<std::string, std::string>& names) {
    if (!value.is_string()) return;
    const auto found = names.find(value.get<std::string>());
    if (found != names.end()) value = found->second;
  };
  if (line.contains("step")) rename(line["step"], steps_);
  for (const char* name : {"host", "from", "to"}) {
    if (line.contains(name)) rename(line[name], hosts_);
  }
}

Json parse_line(const Logs& logs, const Place& place, const Mapping& mapping) {
  const std::string& text = logs.texts[place.file];
  Json line = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(place.begin),
                          text.begin() + static_cast<std::ptrdiff_t>(place.end), nullptr, false);
  mapping.apply(line);
  return line;
}

Result<Logs> read_logs(const ir::Protocol& protocol, const std::vector<std::string>& files, const Options& options,
                       const Mapping& mapping,
                       const std::function<Result<void>(std::uint64_t key, const Json& line)>& visit) {
  Logs logs;
  for (std::uint32_t f = 0; f < files.size(); ++f) {
    auto text = read_file(files[f]);
    if (!text) return tl::make_unexpected(text.error());
    logs.names.push_back(files[f]);
    logs.texts.push_back(std::move(*text));
    const std::string& all = logs.texts.back();
    bool complete = false;
    std::set<std::pair<std::uint64_t, std::string>> here;
    std::uint64_t number_of_line = 0;
    for (std::size_t at = 0; at < all.size();) {
      std::size_t end = all.find('\n', at);
      if (end == std::string::npos) end = all.size();
      const Place place{f, ++number_of_line, at, end};
      at = end + 1;
      if (all.find_first_not_of(" \t\r", place.begin) >= end) continue;
      const Json line = parse_line(logs, place, mapping);
      if (!line.is_object()) {
        if (all.find_first_not_of(" \t\r\n", at) == std::string::npos) {  // the log ends in the middle of a line
          logs.notes.push_back(fmt::format("{}:{}: the last line is cut and was left out", files[f], place.line));
          break;
        }
        return failure(ErrorKind::bad_input, fmt::format("{}:{}: not a JSON object", files[f], place.line));
      }
      if (deeper_than(line, kDeepest)) {
        return failure(ErrorKind::bad_input,
                       fmt::format("{}:{}: values are nested more than {} deep", files[f], place.line, kDeepest));
      }
      // What names a host is an event, whatever else it has.
      const bool event = line.contains("host");
      if (line.contains("format") && !event) {
        for (const char* member : {"protocol", "stamp"}) {
          if (line.contains(member) && !line[member].is_string()) {
            return failure(ErrorKind::bad_input, fmt::format("{}:{}: '{}' is no text: {}", files[f], place.line, member,
                                                             line[member].dump()));
          }
        }
        if (line.value("protocol", protocol.name) != protocol.name ||
            (line.contains("stamp") && !options.stamp.empty() && line["stamp"] != options.stamp)) {
          logs.foreign = true;
          logs.notes.push_back(fmt::format("{}:{}: recorded by a monitor of another version of the protocol (stamp {})",
                                           files[f], place.line, line.value("stamp", std::string("missing"))));
        }
        if (const auto read = read_header(logs, protocol, line); !read && !logs.foreign) {
          return failure(read.error().kind, fmt::format("{}:{}: {}", files[f], place.line, read.error().message));
        }
        continue;
      }
      if (!event && line.contains("end") && line["end"] == true) {
        complete = true;
        continue;
      }
      if (!line.contains("host") || !line["host"].is_string()) {
        return failure(ErrorKind::bad_input, fmt::format("{}:{}: the event names no host", files[f], place.line));
      }
      const std::string host = line["host"];
      const auto here_wrong = [&](const Error& error) {
        return failure(error.kind, fmt::format("{}:{}: {}", files[f], place.line, error.message));
      };
      if (const auto read = numbers_of(line); !read) return here_wrong(read.error());
      if (line.contains("begins_after")) {
        if (const auto read = read_beginning(logs, host, line); !read) return here_wrong(read.error());
        continue;
      }
      const std::uint64_t key = number(line, "key");
      if (const auto seen = visit(key, line); !seen) return here_wrong(seen.error());
      ++logs.events;
      here.emplace(key, host);
      const auto snapshot = line.find("snapshot");
      logs.runs[key][host].items.push_back({number(line, "incarnation"), number(line, "sequence"), place,
                                            snapshot != line.end() && *snapshot == "recovers"});
    }
    if (complete) {
      for (const auto& [key, host] : here) logs.runs[key][host].complete = true;
    }
  }
  for (auto& [key, hosts] : logs.runs) {
    for (auto& [host, log] : hosts) {
      std::stable_sort(log.items.begin(), log.items.end(), [](const auto& a, const auto& b) {
        return std::pair(a.incarnation, a.sequence) < std::pair(b.incarnation, b.sequence);
      });
      // The same event twice is one event. Two with one name are of two lives of the host, each counted from 1.
      const auto same = [](const auto& a, const auto& b) {
        return a.sequence != 0 && a.incarnation == b.incarnation && a.sequence == b.sequence;
      };
      const auto other = std::adjacent_find(log.items.begin(), log.items.end(), [&](const auto& a, const auto& b) {
        return same(a, b) &&
               judged_part(parse_line(logs, a.place, mapping)) != judged_part(parse_line(logs, b.place, mapping));
      });
      if (other != log.items.end()) {
        const Place& again = std::next(other)->place;
        return failure(ErrorKind::bad_input,
                       fmt::format("{}:{}: another event has the name {}/{}/{}, at {}:{}; if the host was counted anew "
                                   "(a new ring file), it needs a trace of its own",
                                   logs.names[again.file], again.line, host, other->incarnation, other->sequence,
                                   logs.names[other->place.file], other->place.line));
      }
      const auto last = std::unique(log.items.begin(), log.items.end(), same);
      if (last != log.items.end()) {
        logs.notes.push_back(fmt::format("{}: {} duplicated events were left out", host, log.items.end() - last));
        log.items.erase(last, log.items.end());
      }
    }
  }
  find_gaps(logs);
  return logs;
}

}  // namespace tenet::validate
