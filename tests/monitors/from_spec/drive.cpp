#include "drive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "distributed_lock_monitor.h"
#include "echo_server_monitor.h"
#include "paxos_monitor.h"
#include "raft_leader_election_monitor.h"
#include "ring_leader_election_monitor.h"
#include "simplified_leader_election_monitor.h"
#include "tally_monitor.h"
#include "tenet/frontend/frontend.h"
#include "three_phase_commit_monitor.h"
#include "two_phase_commit_monitor.h"

namespace drive {

using namespace tenet;

namespace {

/// A path below protocols/, or of a protocol that only these tests have.
std::string found(const std::string& path) {
  const std::string own = TENET_SOURCE_DIR "/tests/monitors/from_spec/" + path;
  return std::filesystem::exists(own) ? own : TENET_SOURCE_DIR "/protocols/" + path;
}

std::uint32_t hosts(const Subject& s, std::size_t role) {
  return static_cast<std::uint32_t>(s.instance->hosts(ir::RoleId(role)));
}

}  // namespace

const std::vector<std::string>& protocols() {
  static const std::vector<std::string> kAll{"distributed_lock",
                                             "echo_server",
                                             "paxos",
                                             "raft_leader_election",
                                             "ring_leader_election",
                                             "simplified_leader_election",
                                             "tally",
                                             "three_phase_commit",
                                             "two_phase_commit"};
  return kAll;
}

std::vector<std::string> variants(const std::string& protocol) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(found(protocol + "/wrong"))) {
    if (entry.path().extension() == ".tenet") all.push_back(protocol + "/wrong/" + entry.path().filename().string());
  }
  std::sort(all.begin(), all.end());
  return all;
}

Subject load(const std::string& path, std::size_t instance) {
  Subject subject;
  const auto file = frontend::read_source(found(path));
  EXPECT_TRUE(file.has_value()) << path;
  if (frontend::kind_of(*file) == frontend::FileKind::variant) {
    const std::string name = path.substr(0, path.find('/'));
    const auto base = frontend::read_source(found(name + "/" + name + ".tenet"));
    subject.protocol = frontend::load_variant(*file, *base).variant->protocol;
  } else {
    subject.protocol = *frontend::load_protocol(*file).protocol;
  }
  Diagnostics diagnostics;
  subject.instance = ir::Instance::resolve(
      subject.protocol, &subject.protocol.instances[std::min(instance, subject.protocol.instances.size() - 1)],
      diagnostics);
  (void)ir::enumerate_starts(subject.protocol, *subject.instance, 1'000'000, [&](const ir::Start& start) {
    subject.starts.push_back(start);
    return subject.starts.size() < 64;
  });
  return subject;
}

std::unique_ptr<monitor::Rules> rules(const std::string& name, const Subject& s, const ir::Start& start) {
  if (name == "distributed_lock") {
    distributed_lock_monitor::Topology t;
    t.node_hosts = hosts(s, 0);
    t.first = distributed_lock_monitor::NodeId(static_cast<std::uint32_t>(start.constants.values[0][0].number));
    return distributed_lock_monitor::make_rules(t);
  }
  if (name == "echo_server") {
    echo_server_monitor::Topology t;
    t.client_hosts = hosts(s, 1);
    return echo_server_monitor::make_rules(t);
  }
  if (name == "paxos") {
    paxos_monitor::Topology t;
    t.leader_hosts = hosts(s, 0);
    t.acceptor_hosts = hosts(s, 1);
    t.learner_hosts = hosts(s, 2);
    return paxos_monitor::make_rules(t);
  }
  if (name == "raft_leader_election") {
    raft_leader_election_monitor::Topology t;
    t.server_hosts = hosts(s, 0);
    return raft_leader_election_monitor::make_rules(t);
  }
  if (name == "ring_leader_election") {
    ring_leader_election_monitor::Topology t;
    t.node_hosts = hosts(s, 0);
    return ring_leader_election_monitor::make_rules(t);
  }
  if (name == "simplified_leader_election") {
    simplified_leader_election_monitor::Topology t;
    t.node_hosts = hosts(s, 0);
    return simplified_leader_election_monitor::make_rules(t);
  }
  if (name == "tally") {
    tally_monitor::Topology t;
    t.worker_hosts = hosts(s, 0);
    return tally_monitor::make_rules(t);
  }
  if (name == "three_phase_commit") {
    three_phase_commit_monitor::Topology t;
    t.participant_hosts = hosts(s, 1);
    return three_phase_commit_monitor::make_rules(t);
  }
  two_phase_commit_monitor::Topology t;
  t.participant_hosts = hosts(s, 1);
  return two_phase_commit_monitor::make_rules(t);
}

Told::Told(const Subject& subject, const Subject& names, const ir::Start& start, std::uint64_t key, const Told* beside)
    : subject_(subject),
      start_(start),
      interpreter_(subject.protocol, *subject.instance, start_.constants),
      key_(key),
      state_(start.state),
      handles_(beside != nullptr ? beside->handles_ : std::make_shared<std::map<ir::HostRef, Handle>>()) {
  // Event types are numbered in order: of each role its two snapshots and its steps, then the sends.
  std::uint16_t number = 16;
  const ir::Protocol& p = names.protocol;
  for (const ir::RoleDecl& role : p.roles) {
    layout_.begins.push_back(number);
    number = static_cast<std::uint16_t>(number + 2);
    for (const ir::StepId step : role.steps) layout_.steps[role.name + "/" + p[step].name] = number++;
  }
  for (std::size_t i = 0; i < p.messages.size(); ++i) layout_.sends.push_back(number++);
}

Told::Handle Told::handle(ir::HostRef host) { return tenet_monitor_v1_begin_host(host.role.value, host.index); }

void Told::write(monitor::Writer& out, ir::TypeId id, const ir::Value& value, const ir::Value* otherwise) const {
  const ir::Type& type = subject_.protocol[id];
  switch (type.kind) {
    case ir::TypeKind::option:
      out.push(static_cast<std::uint64_t>(value.number));
      if (value.number != 0) write(out, type.first, value.items[0]);
      return;
    case ir::TypeKind::set:
      out.push(value.items.size());
      for (const ir::Value& item : value.items) write(out, type.first, item);
      return;
    case ir::TypeKind::map:
      out.push(value.items.size() / 2);
      for (std::size_t i = 0; i < value.items.size(); ++i)
        write(out, i % 2 == 0 ? type.first : type.second, value.items[i]);
      return;
    case ir::TypeKind::function: {
      const auto arguments = subject_.instance->domain(subject_.protocol, type.first, "", 100000);
      write(out, type.second, *otherwise);
      out.push(value.items.size());
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        write(out, type.first, (*arguments)[i]);
        write(out, type.second, value.items[i]);
      }
      return;
    }
    case ir::TypeKind::structure: {
      const auto& fields = subject_.protocol.structs[type.declaration].fields;
      for (std::size_t i = 0; i < fields.size(); ++i) write(out, fields[i].type, value.items[i]);
      return;
    }
    default:
      out.push(static_cast<std::uint64_t>(value.number));
  }
}

void Told::write_state(monitor::Writer& out, ir::HostRef host, const ir::State& state) const {
  for (const ir::VarId id : subject_.protocol[host.role].variables) {
    const ir::Value& initial = start_.state.variables[id.index()][host.index];
    const ir::Value* otherwise = initial.items.empty() ? nullptr : &initial.items[0];
    write(out, subject_.protocol[id].type, state.variables[id.index()][host.index], otherwise);
  }
}

void Told::snapshot(ir::HostRef host, bool fresh) {
  const auto type = static_cast<std::uint16_t>(layout_.begins[host.role.index()] + (fresh ? 0 : 1));
  monitor::Writer out(handles_->at(host), type, key_);
  if (!out) return;
  for (const ir::ConstId id : subject_.protocol[host.role].constants) {
    const ir::Value& value = start_.constants.values[id.index()][host.index];
    write(out, subject_.protocol[id].type, value, value.items.empty() ? nullptr : &value.items[0]);
  }
  write_state(out, host, state_);
  (void)out.commit();
}

void Told::begin() {
  for (std::size_t r = 0; r < subject_.protocol.roles.size(); ++r) {
    for (std::uint32_t i = 0; i < hosts(subject_, r); ++i) {
      const ir::HostRef host{ir::RoleId(r), i};
      if (handles_->find(host) == handles_->end()) (*handles_)[host] = handle(host);
      snapshot(host, true);
    }
  }
}

void Told::tell(const ir::Action& action, const ir::State& next, const std::vector<ir::Packet>& sends,
                std::mt19937& random, const Trouble& trouble) {
  const ir::Protocol& p = subject_.protocol;
  const auto percent = [&](int chance) { return static_cast<int>(random() % 100) < chance; };
  const ir::Step& step = p[action.step];
  const auto type = layout_.steps.find(p[step.role].name + "/" + step.name);
  if (type == layout_.steps.end()) return;
  ir::State told = next;
  const auto& variables = p[action.host.role].variables;
  if (percent(trouble.swapped) && !variables.empty()) {
    // Some variable of the host is said to be what it was before, or not to be.
    const ir::VarId id = variables[random() % variables.size()];
    const ir::Value& before = state_.variables[id.index()][action.host.index];
    ir::Value& after = told.variables[id.index()][action.host.index];
    if (after != before) {
      after = before;
      ++faults_;
    }
  }
  monitor::MessageId name;
  {
    monitor::Writer out(handles_->at(action.host), type->second, key_);
    if (out) {
      if (action.received) {
        monitor::MessageId id;
        const auto known = names_.find(*action.received);
        if (known != names_.end() && !percent(trouble.unnamed)) id = known->second;
        monitor::write(out, id);
        out.push((std::uint64_t{action.received->sender.role.value} << 24) | action.received->sender.index);
        const auto& fields = p[action.received->message].fields;
        for (std::size_t i = 0; i < fields.size(); ++i) write(out, fields[i].type, action.received->args[i]);
      }
      for (std::size_t i = 0; i < step.parameters.size(); ++i) {
        write(out, p[step.parameters[i]].type, action.parameters[i]);
      }
      for (const ir::Value& choice : action.choices) out.push(static_cast<std::uint64_t>(choice.number));
      write_state(out, action.host, told);
    }
    name = out.commit();
  }
  for (const ir::Packet& packet : sends) {
    monitor::Writer out(handles_->at(action.host), layout_.sends[packet.message.index()], key_);
    if (out) {
      monitor::write(out, name);
      out.push((std::uint64_t{packet.addressee.role.value} << 24) | packet.addressee.index);
      const auto& fields = p[packet.message].fields;
      for (std::size_t i = 0; i < fields.size(); ++i) write(out, fields[i].type, packet.args[i]);
    }
    names_[packet] = out.commit();
  }
}

bool Told::step(std::mt19937& random, const Trouble& trouble, monitor::Monitor& monitor) {
  std::vector<std::pair<ir::Action, ir::Happened>> possible;
  interpreter_.enabled(state_, [&](const ir::Action& action, const ir::Outcome& outcome) {
    if (const auto* happened = std::get_if<ir::Happened>(&outcome)) possible.emplace_back(action, *happened);
  });
  if (possible.empty()) return false;
  const auto percent = [&](int chance) { return static_cast<int>(random() % 100) < chance; };
  // Steps that change something are taken more often than those that merely say it again.
  std::size_t chosen = random() % possible.size();
  for (int i = 0; i < 4 && possible[chosen].second.next == state_; ++i) chosen = random() % possible.size();
  const auto& [action, happened] = possible[chosen];
  if (percent(trouble.skipped)) {
    bool changed = false;
    for (const ir::VarId id : subject_.protocol[action.host.role].variables) {
      changed = changed || happened.next.variables[id.index()][action.host.index] !=
                               state_.variables[id.index()][action.host.index];
    }
    faults_ += changed ? 1 : 0;
  } else {
    const bool mute = percent(trouble.muted);
    if (mute) monitor.enable(false);
    tell(action, happened.next, happened.sends, random, trouble);
    if (mute) monitor.enable(true);
  }
  state_ = happened.next;
  if (percent(trouble.killed)) {
    (*handles_)[action.host] = handle(action.host);
    snapshot(action.host, false);
  } else if (percent(trouble.silent)) {
    (*handles_)[action.host] = handle(action.host);
  }
  return true;
}

}  // namespace drive
