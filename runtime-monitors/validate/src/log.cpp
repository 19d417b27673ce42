#include "log.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

namespace tenet::validate {
namespace {

Result<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) return failure(ErrorKind::io, fmt::format("cannot read '{}'", path));
  return text;
}

std::map<std::string, std::string> names(const Json& json, const char* member) {
  std::map<std::string, std::string> out;
  if (!json.contains(member) || !json[member].is_object()) return out;
  for (const auto& [from, to] : json[member].items()) {
    if (to.is_string()) out[from] = to.get<std::string>();
  }
  return out;
}

std::uint64_t number(const Json& line, const char* name) {
  const auto found = line.find(name);
  return found != line.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

// Sequence numbers run through all runs of a host: what is missing in them is missing somewhere. An incarnation's first
// number belongs to its beginning, which is not part of a log.
void find_gaps(Logs& logs) {
  struct Seen {
    std::uint64_t incarnation, sequence;
    std::uint64_t key;
    std::size_t item;
    auto operator<=>(const Seen&) const = default;
  };
  std::map<std::string, std::vector<Seen>> all;
  for (const auto& [key, hosts] : logs.runs) {
    for (const auto& [host, log] : hosts) {
      for (std::size_t i = 0; i < log.items.size(); ++i) {
        const auto& item = log.items[i];
        if (item.sequence != 0) all[host].push_back({item.incarnation, item.sequence, key, i});
      }
    }
  }
  for (auto& [host, seen] : all) {
    std::sort(seen.begin(), seen.end());
    std::set<std::uint64_t> fresh;  // runs that have met the last gap
    bool gap = seen.front().sequence > 2;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (i > 0) {
        const bool same = seen[i].incarnation == seen[i - 1].incarnation;
        if (seen[i].sequence > (same ? seen[i - 1].sequence + 1 : 2)) {
          gap = true;
          fresh.clear();
        }
      }
      if (gap && fresh.insert(seen[i].key).second) logs.runs[seen[i].key][host].items[seen[i].item].after_gap = true;
    }
  }
}

}  // namespace

Result<Mapping> Mapping::load(const std::string& path) {
  Mapping mapping;
  if (path.empty()) return mapping;
  const auto text = read_file(path);
  if (!text) return tl::make_unexpected(text.error());
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return failure(ErrorKind::bad_input, path + ": a mapping is a JSON object");
  mapping.fields_ = names(json, "fields");
  mapping.steps_ = names(json, "steps");
  mapping.hosts_ = names(json, "hosts");
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
      if (line.contains("format")) {
        if (line.value("protocol", protocol.name) != protocol.name ||
            (line.contains("stamp") && !options.stamp.empty() && line["stamp"] != options.stamp)) {
          logs.foreign = true;
          logs.notes.push_back(fmt::format("{}:{}: recorded by a monitor of another version of the protocol (stamp {})",
                                           files[f], place.line, line.value("stamp", std::string("missing"))));
        }
        for (const char* member : {"hosts", "constants"}) {
          if (!line.contains(member) || !line[member].is_object()) continue;
          for (const auto& [name, value] : line[member].items()) {
            if (std::string_view(member) == "constants") logs.constants[name] = value;
            if (std::string_view(member) == "hosts" && value.is_number_integer()) {
              logs.hosts[name] = value.get<std::int64_t>();
            }
          }
        }
        continue;
      }
      if (line.contains("end")) {
        complete = true;
        continue;
      }
      if (!line.contains("host") || !line["host"].is_string()) {
        return failure(ErrorKind::bad_input, fmt::format("{}:{}: the event names no host", files[f], place.line));
      }
      const std::uint64_t key = number(line, "key");
      if (const auto seen = visit(key, line); !seen) {
        return failure(seen.error().kind, fmt::format("{}:{}: {}", files[f], place.line, seen.error().message));
      }
      ++logs.events;
      const std::string host = line["host"];
      here.emplace(key, host);
      logs.runs[key][host].items.push_back({number(line, "incarnation"), number(line, "sequence"), place});
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
      // The same event twice is one event.
      const auto same = [](const auto& a, const auto& b) {
        return a.sequence != 0 && a.incarnation == b.incarnation && a.sequence == b.sequence;
      };
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
