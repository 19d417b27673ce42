// The validator against brute force: every execution of a small instance, by the reference interpreter.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "../core/toy.h"
#include "tenet/frontend/frontend.h"
#include "tenet/ir/interpreter.h"
#include "tenet/ir/printer.h"
#include "tenet/validate/validate.h"

namespace {

using namespace tenet;
using Json = nlohmann::json;

const std::string kRoot = TENET_SOURCE_DIR "/protocols/";

struct Subject {
  ir::Protocol protocol;
  std::optional<ir::Instance> instance;
  std::vector<ir::Start> starts;
};

Subject load(const std::string& name, const std::string& variant = "") {
  Subject s;
  const auto base = frontend::read_source(kRoot + name + "/" + name + ".tenet");
  s.protocol = *frontend::load_protocol(*base).protocol;
  if (!variant.empty()) {
    const auto file = frontend::read_source(kRoot + name + "/wrong/" + variant + ".tenet");
    s.protocol = frontend::load_variant(*file, *base).variant->protocol;
  }
  Diagnostics diagnostics;
  s.instance = ir::Instance::resolve(s.protocol, &s.protocol.instances[0], diagnostics);
  (void)ir::enumerate_starts(s.protocol, *s.instance, 1'000'000, [&](const ir::Start& start) {
    s.starts.push_back(start);
    return s.starts.size() < 40;
  });
  return s;
}

Json json(const Subject& s, ir::TypeId id, const ir::Value& v) {
  const ir::Protocol& p = s.protocol;
  const ir::Type& type = p[id];
  switch (type.kind) {
    case ir::TypeKind::boolean:
      return v.number != 0;
    case ir::TypeKind::enumeration:
      return p.enums[type.declaration].members[static_cast<std::size_t>(v.number)];
    case ir::TypeKind::host:
      return ir::to_source(p, ir::HostRef{ir::RoleId(type.declaration), static_cast<std::uint32_t>(v.number)});
    case ir::TypeKind::option:
      return v.number == 0 ? Json() : json(s, type.first, v.items[0]);
    case ir::TypeKind::set: {
      Json out = Json::array();
      for (const ir::Value& item : v.items) out.push_back(json(s, type.first, item));
      return out;
    }
    case ir::TypeKind::structure: {
      Json out = Json::object();
      const auto& fields = p.structs[type.declaration].fields;
      for (std::size_t i = 0; i < fields.size(); ++i) out[fields[i].name] = json(s, fields[i].type, v.items[i]);
      return out;
    }
    case ir::TypeKind::function: {
      Json entries = Json::array();
      const auto domain = s.instance->domain(p, type.first, "", 100000);
      for (std::size_t i = 0; i < v.items.size(); ++i) {
        entries.push_back(Json::array({json(s, type.first, (*domain)[i]), json(s, type.second, v.items[i])}));
      }
      return {{"otherwise", json(s, type.second, v.items[0])}, {"entries", entries}};
    }
    default:
      return v.number;
  }
}

/// One logged step, kept as what it is, or that the host came back.
struct Logged {
  ir::Action action;
  std::vector<std::pair<ir::VarId, ir::Value>> state;
  std::uint64_t sequence = 0;  ///< what is missing in the sequence is lost
  std::uint64_t incarnation = 1;
  std::optional<std::uint64_t> restart;  ///< the host's last sequence before it came back
};
using Logs = std::map<ir::HostRef, std::vector<Logged>>;

Logs random_logs(const Subject& s, const ir::Start& start, std::mt19937& random, std::size_t steps) {
  Logs logs;
  const ir::Interpreter interpreter(s.protocol, *s.instance, start.constants);
  ir::State state = start.state;
  for (std::size_t i = 0; i < steps; ++i) {
    std::vector<std::pair<ir::Action, ir::State>> possible;
    interpreter.enabled(state, [&](const ir::Action& action, const ir::Outcome& outcome) {
      if (const auto* happened = std::get_if<ir::Happened>(&outcome)) possible.emplace_back(action, happened->next);
    });
    if (possible.empty()) break;
    auto& [action, next] = possible[random() % possible.size()];
    Logged logged{action, {}, logs[action.host].size() + 3};
    for (const ir::VarId id : s.protocol[action.host.role].variables) {
      logged.state.emplace_back(id, next.variables[id.index()][action.host.index]);
    }
    logs[action.host].push_back(std::move(logged));
    state = next;
  }
  return logs;
}

/// Lets hosts be started again, at most once each.
void restart_some(Logs& logs, std::mt19937& random) {
  for (auto& [host, log] : logs) {
    if (log.empty() || random() % 2 == 0) continue;
    const std::size_t at = 1 + random() % log.size();
    Logged back{{}, log[at - 1].state, 2, 2, log[at - 1].sequence};
    for (std::size_t i = at; i < log.size(); ++i) {
      log[i].sequence = i - at + 3;
      log[i].incarnation = 2;
    }
    log.insert(log.begin() + static_cast<std::ptrdiff_t>(at), std::move(back));
  }
}

/// Takes the last one or two steps before each restart out of the logs.
void lose_ends(Logs& logs, std::mt19937& random) {
  for (auto& [host, log] : logs) {
    const auto back = std::find_if(log.begin(), log.end(), [](const Logged& one) { return one.restart.has_value(); });
    if (back == log.end() || random() % 4 == 0) continue;
    log.erase(back - std::min<std::ptrdiff_t>(back - log.begin(), 1 + random() % 2), back);
  }
}

/// Whether events are missing between two of a host, or may be: what a restart has lost is known if it `says` so.
bool misses(const std::vector<Logged>& log, std::size_t at, bool says) {
  const std::uint64_t before = at == 0 ? 2 : log[at - 1].sequence;
  if (log[at].restart) return !says || *log[at].restart != before;
  return log[at].sequence > before + 1;
}

enum class Doctor { nothing, cut, dropped, duplicated, reordered, altered, less, kCount };

void doctor(const Subject& s, Logs& logs, Doctor how, std::mt19937& random) {
  std::vector<ir::HostRef> hosts;
  for (const auto& [host, log] : logs) hosts.push_back(host);
  if (hosts.empty()) return;
  auto& log = logs[hosts[random() % hosts.size()]];
  const auto at = static_cast<std::ptrdiff_t>(random() % log.size());
  switch (how) {
    case Doctor::cut:
      log.erase(log.begin() + at, log.end());
      break;
    case Doctor::dropped:
      log.erase(log.begin() + at);
      break;
    case Doctor::duplicated: {
      const Logged twice = log[static_cast<std::size_t>(at)];
      log.insert(log.begin() + at, twice);
      break;
    }
    case Doctor::reordered:
      if (log.size() > 1) std::swap(log[random() % log.size()], log[random() % log.size()]);
      break;
    case Doctor::altered: {
      Logged& one = log[static_cast<std::size_t>(at)];
      const auto other = [&](ir::TypeId type, const std::string& slot, ir::Value& value) {
        const auto domain = s.instance->domain(s.protocol, type, slot, 5000);
        if (domain) value = (*domain)[random() % domain->size()];
      };
      if (one.action.received && !one.action.received->args.empty() && random() % 2 == 0) {
        const auto& field = s.protocol[one.action.received->message].fields[0];
        other(field.type, field.name, one.action.received->args[0]);
      } else if (!one.state.empty()) {
        auto& [id, value] = one.state[random() % one.state.size()];
        other(s.protocol[id].type, s.protocol[id].name, value);
      }
      break;
    }
    default:
      break;
  }
}

/// Whether some execution explains the logs, and how many events at most. `named`: steps are named in the log.
/// `losses`: where a sequence has a gap, the host may have taken any steps; `says`: restarts tell theirs.
struct Truth {
  bool explained = false;
  std::uint64_t most = 0;
  bool known = true;
};
Truth brute_force(const Subject& s, const ir::Start& start, const Logs& logs, bool named, bool losses = false,
                  bool says = true) {
  using Node = std::pair<std::map<ir::HostRef, std::size_t>, ir::State>;
  const ir::Interpreter interpreter(s.protocol, *s.instance, start.constants);
  std::uint64_t all = 0;
  for (const auto& [host, log] : logs) all += log.size();
  std::set<Node> seen;
  std::deque<Node> open;
  Node first{{}, start.state};
  for (const auto& [host, log] : logs) first.first[host] = 0;
  open.push_back(first);
  seen.insert(first);
  Truth truth;
  while (!open.empty()) {
    const Node node = open.front();
    open.pop_front();
    std::uint64_t sum = 0;
    for (const auto& [host, position] : node.first) sum += position;
    truth.most = std::max(truth.most, sum);
    if (sum == all) {
      truth.explained = true;
      return truth;
    }
    if (seen.size() > 40'000) {
      truth.known = false;
      return truth;
    }
    for (const auto& [host, log] : logs) {
      const std::size_t at = node.first.at(host);
      if (at == log.size() || !log[at].restart) continue;
      const auto same = [&, who = host](const auto& cell) {
        return node.second.variables[cell.first.index()][who.index] == cell.second;
      };
      if (!std::all_of(log[at].state.begin(), log[at].state.end(), same)) continue;
      Node next = node;
      ++next.first[host];
      if (seen.insert(next).second) open.push_back(std::move(next));
    }
    interpreter.enabled(node.second, [&](const ir::Action& action, const ir::Outcome& outcome) {
      const auto* happened = std::get_if<ir::Happened>(&outcome);
      if (happened == nullptr) return;
      Node next{node.first, happened->next};
      const auto log = logs.find(action.host);
      if (log != logs.end() && node.first.at(action.host) < log->second.size()) {
        const Logged& wanted = log->second[node.first.at(action.host)];
        const std::size_t at = node.first.at(action.host);
        if (losses && misses(log->second, at, says) && seen.insert(next).second) open.push_back(next);
        if (wanted.restart) return;
        if (named ? action != wanted.action : action.received != wanted.action.received) return;
        for (const auto& [id, value] : wanted.state) {
          if (happened->next.variables[id.index()][action.host.index] != value) return;
        }
        ++next.first[action.host];
      }
      if (seen.insert(next).second) open.push_back(std::move(next));
    });
  }
  return truth;
}

void write_logs(const Subject& s, const ir::Start& start, const Logs& logs, bool named, const std::string& path,
                bool sequences = false, bool says = true) {
  std::ofstream out(path);
  const ir::Protocol& p = s.protocol;
  Json constants = Json::object();
  for (std::size_t c = 0; c < p.constants.size(); ++c) {
    const ir::ConstDecl& decl = p.constants[c];
    if (decl.role.valid() || decl.kind != ir::ConstKind::free) continue;
    constants[decl.name] = json(s, decl.type, start.constants.values[c][0]);
  }
  out << Json{{"format", "tenet-trace"}, {"protocol", p.name}, {"constants", constants}}.dump() << "\n";
  for (std::size_t r = 0; r < p.roles.size(); ++r) {
    for (std::uint32_t i = 0; i < static_cast<std::uint64_t>(s.instance->hosts(ir::RoleId(r))); ++i) {
      const ir::HostRef host{ir::RoleId(r), i};
      Json mine = Json::object();
      for (const ir::ConstId id : p.roles[r].constants) {
        mine[p[id].name] = json(s, p[id].type, start.constants.values[id.index()][i]);
      }
      Json begins{{"host", ir::to_source(p, host)}, {"snapshot", "begins"}, {"constants", mine}};
      const auto begin = [&](std::uint64_t incarnation, std::uint64_t after) {
        if (!sequences || !says) return;
        out << Json{{"host", ir::to_source(p, host)},
                    {"incarnation", incarnation},
                    {"sequence", 1},
                    {"begins_after", {{"incarnation", incarnation - 1}, {"sequence", after}}}}
                   .dump()
            << "\n";
      };
      begin(1, 0);
      if (sequences) begins.update({{"incarnation", 1}, {"sequence", 2}});
      out << begins.dump() << "\n";
      const auto log = logs.find(host);
      if (log == logs.end()) continue;
      for (const Logged& logged : log->second) {
        Json line{{"host", ir::to_source(p, host)}};
        if (sequences) line.update({{"incarnation", logged.incarnation}, {"sequence", logged.sequence}});
        for (const auto& [id, value] : logged.state) line["state"][p[id].name] = json(s, p[id].type, value);
        if (logged.restart) {
          begin(logged.incarnation, *logged.restart);
          line.update({{"snapshot", "recovers"}, {"constants", mine}});
          out << line.dump() << "\n";
          continue;
        }
        const ir::Step& step = p[logged.action.step];
        if (named) line["step"] = step.name;
        for (std::size_t k = 0; named && k < step.parameters.size(); ++k) {
          line["parameters"][p[step.parameters[k]].name] =
              json(s, p[step.parameters[k]].type, logged.action.parameters[k]);
        }
        if (logged.action.received) {
          const ir::Packet& packet = *logged.action.received;
          line["message"] = p[packet.message].name;
          line["from"] = ir::to_source(p, packet.sender);
          line["arguments"] = Json::object();
          const auto& fields = p[packet.message].fields;
          for (std::size_t k = 0; k < fields.size(); ++k) {
            line["arguments"][fields[k].name] = json(s, fields[k].type, packet.args[k]);
          }
        }
        out << line.dump() << "\n";
      }
    }
  }
}

class Oracle : public ::testing::TestWithParam<const char*> {};

TEST_P(Oracle, AgreesOnExplainedAndOnWhere) {
  const Subject right = load(GetParam());
  const toy::Folder folder;
  const unsigned rounds = std::getenv("TENET_LONG") != nullptr ? 2000 : 150;
  std::map<std::string, int> answers;
  for (unsigned seed = 0; seed < rounds; ++seed) {
    std::mt19937 random(seed);
    const ir::Start& start = right.starts[random() % right.starts.size()];
    const auto how = static_cast<Doctor>(seed % static_cast<unsigned>(Doctor::kCount));
    Logs logs = random_logs(right, start, random, 4 + random() % 12);
    doctor(right, logs, how, random);
    const bool named = how != Doctor::less;
    const Truth truth = brute_force(right, start, logs, named);
    if (!truth.known) continue;
    const std::string path = folder / "log.jsonl";
    write_logs(right, start, logs, named, path);
    validate::Options options;
    options.instance = right.protocol.instances[0].name;
    options.executions = 20;
    const auto report = validate::validate(right.protocol, {path}, options);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    for (const auto& obstacle : report->obstacles) {
      ASSERT_TRUE(obstacle.execution.has_value());
      const validate::Execution& run = *obstacle.execution;
      ASSERT_TRUE(run.whole);
      EXPECT_EQ(ir::replay(right.protocol, *run.instance, run.trace), "") << GetParam() << " seed " << seed;
    }
    std::uint64_t snapshots = 0;
    for (std::size_t r = 0; r < right.protocol.roles.size(); ++r) {
      snapshots += static_cast<std::uint64_t>(right.instance->hosts(ir::RoleId(r)));
    }
    std::ifstream in(path);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_EQ(report->answer == validate::Answer::explained || report->steps == 0,
              truth.explained || report->steps == 0)
        << GetParam() << " seed " << seed << "\n"
        << text << validate::to_text(*report);
    EXPECT_EQ(report->explained, truth.most + snapshots) << GetParam() << " seed " << seed << "\n"
                                                         << text << validate::to_text(*report);
    if (HasFailure()) return;
    ++answers[truth.explained ? "explained" : "not explained"];
  }
  std::printf("%s: %d explained, %d not\n", GetParam(), answers["explained"], answers["not explained"]);
  EXPECT_GT(answers["explained"], 0);
  EXPECT_GT(answers["not explained"], 0);
}

// With events lost, brute force takes any steps in their place. What it can explain so must never be an alarm; and what
// is wrong in spite of the loss is still found.
TEST_P(Oracle, LossNeverBecomesAnAlarm) {
  const Subject right = load(GetParam());
  const toy::Folder folder;
  const unsigned rounds = std::getenv("TENET_LONG") != nullptr ? 2000 : 150;
  int unknown = 0;
  int alarms = 0;
  for (unsigned seed = 0; seed < rounds; ++seed) {
    std::mt19937 random(seed);
    const ir::Start& start = right.starts[random() % right.starts.size()];
    Logs logs = random_logs(right, start, random, 6 + random() % 12);
    const bool healthy = seed % 2 == 0;
    const bool restarts = seed % 3 != 0;
    const bool says = seed % 3 == 1;
    if (!healthy) doctor(right, logs, Doctor::altered, random);
    if (restarts) {
      restart_some(logs, random);
      lose_ends(logs, random);
    }
    for (auto& [host, log] : logs) {
      if (restarts || log.size() < 2 || random() % 2 == 0) continue;
      // The last stays, so that the gap is seen.
      const auto from = static_cast<std::ptrdiff_t>(random() % (log.size() - 1));
      const auto many = static_cast<std::ptrdiff_t>(1 + random() % 2);
      log.erase(log.begin() + from, log.begin() + std::min(from + many, static_cast<std::ptrdiff_t>(log.size() - 1)));
    }
    const std::string path = folder / "log.jsonl";
    write_logs(right, start, logs, true, path, true, says);
    validate::Options options;
    options.instance = right.protocol.instances[0].name;
    options.executions = 20;
    const auto report = validate::validate(right.protocol, {path}, options);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    unknown += report->answer == validate::Answer::unknown ? 1 : 0;
    if (report->answer != validate::Answer::not_explained) continue;
    ++alarms;
    std::ifstream in(path);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    ASSERT_FALSE(healthy) << GetParam() << " seed " << seed << "\n" << text << validate::to_text(*report);
    const Truth truth = brute_force(right, start, logs, true, true, says);
    ASSERT_FALSE(truth.known && truth.explained) << GetParam() << " seed " << seed << "\n"
                                                 << text << validate::to_text(*report);
  }
  std::printf("%s: %d unknown, %d alarms\n", GetParam(), unknown, alarms);
  EXPECT_GT(unknown, 0);
  EXPECT_GT(alarms, 0);
}

// Restarts that say what came before them, and have lost nothing, leave nothing open; those that do not say it do.
TEST_P(Oracle, OnlyARestartThatSaysWhereItBeginsIsKnownToHaveLostNothing) {
  const Subject right = load(GetParam());
  const toy::Folder folder;
  int restarted = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    const ir::Start& start = right.starts[random() % right.starts.size()];
    Logs logs = random_logs(right, start, random, 6 + random() % 12);
    restart_some(logs, random);
    const bool any = std::any_of(logs.begin(), logs.end(), [](const auto& log) {
      return std::any_of(log.second.begin(), log.second.end(), [](const Logged& one) { return one.restart; });
    });
    restarted += any ? 1 : 0;
    for (const bool says : {true, false}) {
      const std::string path = folder / "log.jsonl";
      write_logs(right, start, logs, true, path, true, says);
      validate::Options options;
      options.instance = right.protocol.instances[0].name;
      const auto report = validate::validate(right.protocol, {path}, options);
      ASSERT_TRUE(report.has_value()) << report.error().message;
      EXPECT_EQ(report->answer, any && !says ? validate::Answer::unknown : validate::Answer::explained)
          << GetParam() << " seed " << seed << "\n"
          << validate::to_text(*report);
    }
  }
  EXPECT_GT(restarted, 0);
}

// Times in a log, whatever they say, change nothing.
TEST_P(Oracle, ClocksDecideNothing) {
  const Subject right = load(GetParam());
  const toy::Folder folder;
  const auto judged = [&](const std::string& path) {
    validate::Options options;
    options.instance = right.protocol.instances[0].name;
    const auto report = validate::validate(right.protocol, {path}, options);
    EXPECT_TRUE(report.has_value());
    if (!report) return std::string();
    std::string out = validate::summary(*report);
    for (const validate::Obstacle& o : report->obstacles) {
      out += "\n" + o.host + ":" + std::to_string(o.line) + " " + o.reason;
      for (const std::string& text : o.guards) out += "\n  " + text;
      for (const std::string& text : o.state) out += "\n  " + text;
    }
    return out;
  };
  const std::vector<std::function<Json(std::uint64_t)>> clocks{
      [](std::uint64_t line) { return -static_cast<std::int64_t>(line); },  // backwards
      [](std::uint64_t) { return ~std::uint64_t{0}; },                      // huge, and all equal
      [](std::uint64_t line) { return line % 2 == 0 ? Json(1e300) : Json("yesterday"); }};
  for (unsigned seed = 0; seed < 24; ++seed) {
    std::mt19937 random(seed);
    const ir::Start& start = right.starts[random() % right.starts.size()];
    Logs logs = random_logs(right, start, random, 4 + random() % 12);
    const auto how = static_cast<Doctor>(seed % static_cast<unsigned>(Doctor::kCount));
    doctor(right, logs, how, random);
    const std::string path = folder / "log.jsonl";
    write_logs(right, start, logs, how != Doctor::less, path, seed % 2 == 0);
    const std::string expected = judged(path);
    for (const auto& clock : clocks) {
      const std::string timed = folder / "timed.jsonl";
      std::ifstream in(path);
      std::ofstream out(timed);
      std::uint64_t number = 0;
      for (std::string line; std::getline(in, line);) {
        Json event = Json::parse(line);
        for (const char* name : {"time", "stamp_ns", "ts"}) event[name] = clock(++number);
        out << event.dump() << "\n";
      }
      out.close();
      ASSERT_EQ(judged(timed), expected) << GetParam() << " seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Validate, Oracle,
                         ::testing::Values("two_phase_commit", "distributed_lock", "simplified_leader_election",
                                           "echo_server", "raft_leader_election", "ring_leader_election", "paxos"),
                         [](const auto& param) { return std::string(param.param); });

TEST(Oracle, LogsOfAnotherVersionAreNotExplained) {
  const Subject right = load("two_phase_commit");
  const Subject wrong = load("two_phase_commit", "majority_commits");
  const toy::Folder folder;
  int not_explained = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const ir::Start& start = wrong.starts[random() % wrong.starts.size()];
    const Logs logs = random_logs(wrong, start, random, 30);
    const std::string path = folder / "log.jsonl";
    write_logs(wrong, start, logs, true, path);
    const auto report = validate::validate(right.protocol, {path}, {});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    if (report->answer != validate::Answer::not_explained) continue;
    ++not_explained;
    EXPECT_EQ(report->obstacles[0].guards, std::vector<std::string>{"ayes == all Participant"});
    EXPECT_EQ(report->obstacles[0].host, "Coordinator");
  }
  EXPECT_GT(not_explained, 0);
}

}  // namespace
