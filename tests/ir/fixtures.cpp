#include "fixtures.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "tenet/frontend/frontend.h"
#include "tenet/ir/builder.h"
#include "tenet/ir/printer.h"

namespace tenet::ir::test {

namespace {

/// Declares things in a protocol, a line each.
class Declare {
 public:
  explicit Declare(Protocol& protocol) : p(protocol) {}

  RoleId role(const char* name, bool single = false) {
    RoleDecl decl;
    decl.name = name;
    decl.single = single;
    p.roles.push_back(decl);
    return RoleId(p.roles.size() - 1);
  }
  MessageId message(const char* name, std::vector<FieldDecl> fields = {}) {
    p.messages.push_back({name, std::move(fields), Delivery::any, "", {}});
    return MessageId(p.messages.size() - 1);
  }
  VarId variable(RoleId role, const char* name, TypeId type, ExprId init) {
    p.variables.push_back({name, role, type, init, false, "", {}});
    p.roles[role.index()].variables.emplace_back(p.variables.size() - 1);
    return VarId(p.variables.size() - 1);
  }
  ConstId constant(RoleId role, const char* name, TypeId type) {
    ConstDecl decl;
    decl.name = name;
    decl.role = role;
    decl.type = type;
    p.constants.push_back(decl);
    p.roles[role.index()].constants.emplace_back(p.constants.size() - 1);
    return ConstId(p.constants.size() - 1);
  }
  void step(Step step) {
    p.roles[step.role.index()].steps.emplace_back(p.steps.size());
    p.steps.push_back(std::move(step));
  }
  LocalId local(const char* name, TypeId type) { return p.add(LocalDecl{name, type, {}}); }

  Protocol& p;
};

Step taken(const char* name, RoleId role, ExprId guard, std::vector<StmtId> body) {
  Step step;
  step.name = name;
  step.role = role;
  step.guard = guard;
  step.body = std::move(body);
  return step;
}

/// The value under a renaming of the hosts of `role`.
Value renamed(const Protocol& p, TypeId id, const Value& value, RoleId role, const std::vector<std::uint32_t>& to) {
  const Type& type = p[id];
  Value result = value;
  if (type.kind == TypeKind::host && type.declaration == role.value) {
    result.number = to[static_cast<std::size_t>(value.number)];
  }
  for (std::size_t i = 0; i < result.items.size(); ++i) {
    const TypeId part = type.kind == TypeKind::structure ? p.structs[type.declaration].fields[i].type : type.first;
    result.items[i] = renamed(p, part, value.items[i], role, to);
  }
  if (type.kind == TypeKind::set) std::sort(result.items.begin(), result.items.end());
  return result;
}

State renamed(const Protocol& p, const State& state, RoleId role, const std::vector<std::uint32_t>& to) {
  State result = state;
  for (std::size_t v = 0; v < p.variables.size(); ++v) {
    for (std::size_t h = 0; h < state.variables[v].size(); ++h) {
      const std::size_t place = p.variables[v].role == role ? to[h] : h;
      result.variables[v][place] = renamed(p, p.variables[v].type, state.variables[v][h], role, to);
    }
  }
  for (Packet& packet : result.network) {
    for (HostRef* host : {&packet.sender, &packet.addressee}) {
      if (host->role == role) host->index = to[host->index];
    }
    for (std::size_t i = 0; i < packet.args.size(); ++i) {
      packet.args[i] = renamed(p, p[packet.message].fields[i].type, packet.args[i], role, to);
    }
  }
  std::sort(result.network.begin(), result.network.end());
  return result;
}

/// The search behind `explore` and `orbits`.
class Search {
 public:
  Search(const Protocol& protocol, const Instance& instance, std::size_t most)
      : p_(protocol), instance_(instance), most_(most) {}

  Explored run();
  std::set<std::pair<std::vector<std::vector<Value>>, State>> states() const;

 private:
  struct Node {
    Start start;  ///< state: this one
    int parent = -1;
    std::optional<Action> action;
    std::vector<Packet> sends;
    std::size_t depth = 0;
  };
  void add(Node node);
  void expand(std::size_t at);
  void claim(std::size_t at);
  Trace trace(std::size_t at) const;

  const Protocol& p_;
  const Instance& instance_;
  std::size_t most_;
  std::deque<Node> nodes_;
  std::map<std::pair<std::vector<std::vector<Value>>, State>, std::size_t> known_;
  std::set<std::string> shown_;
  Explored result_;
  std::vector<Trace> witnesses_;
};

Trace Search::trace(std::size_t at) const {
  Trace trace;
  trace.constants = nodes_[at].start.constants;
  for (int node = static_cast<int>(at); node >= 0; node = nodes_[static_cast<std::size_t>(node)].parent) {
    const Node& n = nodes_[static_cast<std::size_t>(node)];
    trace.states.push_back(n.start.state);
    if (!n.action) continue;
    trace.actions.push_back(*n.action);
    trace.sends.push_back(n.sends);
  }
  std::reverse(trace.states.begin(), trace.states.end());
  std::reverse(trace.actions.begin(), trace.actions.end());
  std::reverse(trace.sends.begin(), trace.sends.end());
  return trace;
}

void Search::claim(std::size_t at) {
  const Node& node = nodes_[at];
  const Interpreter interpreter(p_, instance_, node.start.constants);
  for (const Property& property : p_.properties) {
    if (property.kind == PropertyKind::transition || shown_.contains(property.name)) continue;
    const auto held = interpreter.holds(property.formula, node.start.state);
    const bool wanted = property.kind != PropertyKind::reachable;
    if (std::holds_alternative<bool>(held) && std::get<bool>(held) == wanted) continue;
    shown_.insert(property.name);
    if (wanted) {
      result_.violated.push_back(property.name);
      result_.traces.push_back(trace(at));
    } else {
      result_.reached.push_back(property.name);
      witnesses_.push_back(trace(at));
    }
  }
}

void Search::add(Node node) {
  const auto key = std::pair(node.start.constants.values, node.start.state);
  if (!known_.emplace(key, nodes_.size()).second) return;
  result_.depth = std::max(result_.depth, node.depth);
  nodes_.push_back(std::move(node));
  claim(nodes_.size() - 1);
}

void Search::expand(std::size_t at) {
  const Start start = nodes_[at].start;
  const Interpreter interpreter(p_, instance_, start.constants);
  interpreter.enabled(start.state, [&](const Action& action, const Outcome& outcome) {
    if (std::holds_alternative<CutAtBound>(outcome)) ++result_.cuts;
    if (std::holds_alternative<Fault>(outcome)) ++result_.faults;
    const auto* happened = std::get_if<Happened>(&outcome);
    if (happened == nullptr) return;
    add({{start.constants, happened->next}, static_cast<int>(at), action, happened->sends, nodes_[at].depth + 1});
    for (const Property& property : p_.properties) {
      if (property.kind != PropertyKind::transition || shown_.contains(property.name)) continue;
      const auto held = interpreter.holds(property.formula, happened->next, &start.state);
      if (std::holds_alternative<bool>(held) && std::get<bool>(held)) continue;
      shown_.insert(property.name);
      result_.violated.push_back(property.name);
      Trace shown = trace(at);
      shown.actions.push_back(action);
      shown.sends.push_back(happened->sends);
      shown.states.push_back(happened->next);
      result_.traces.push_back(std::move(shown));
    }
  });
}

Explored Search::run() {
  const auto started = enumerate_starts(p_, instance_, 1'000'000, [&](const Start& start) {
    add({start, -1, {}, {}, 0});
    return true;
  });
  EXPECT_TRUE(started) << (started ? "" : started.error().message);
  result_.initial = nodes_.size();
  for (std::size_t at = 0; at < nodes_.size() && nodes_.size() <= most_; ++at) expand(at);
  EXPECT_LE(nodes_.size(), most_) << p_.name << " has more states than the test expects";
  result_.states = nodes_.size();
  result_.traces.insert(result_.traces.end(), witnesses_.begin(), witnesses_.end());
  return result_;
}

std::set<std::pair<std::vector<std::vector<Value>>, State>> Search::states() const {
  std::set<std::pair<std::vector<std::vector<Value>>, State>> result;
  for (const auto& [key, index] : known_) result.insert(key);
  return result;
}

}  // namespace

Protocol two_phase_commit() {
  Protocol p;
  p.name = "two_phase_commit";
  p.doc = "Two-phase commit: one coordinator, any number of participants.";
  Declare declare(p);
  Builder make(p);
  TypeTable& types = p.types;
  p.enums = {{"Vote", {"yes", "no"}, {}}, {"Decision", {"commit", "abort"}, {}}};
  const EnumId vote_enum(0);
  const EnumId decision_enum(1);
  const TypeId vote = types.enumeration(vote_enum);
  const TypeId decision = types.enumeration(decision_enum);
  const TypeId decided = types.option(decision);
  const RoleId coordinator = declare.role("Coordinator", true);
  const RoleId participant = declare.role("Participant");
  const TypeId group = types.set(types.host(participant));
  const MessageId request = declare.message("Request");
  const MessageId ballot = declare.message("Ballot", {{"vote", vote, {}}});
  const MessageId outcome = declare.message("Outcome", {{"decision", decision, {}}});

  const VarId ayes = declare.variable(coordinator, "ayes", group, make.set_literal(group, {}));
  const VarId nays = declare.variable(coordinator, "nays", group, make.set_literal(group, {}));
  const VarId verdict = declare.variable(coordinator, "decision", decided, make.none(decided));
  const ConstId preference = declare.constant(participant, "preference", vote);
  const VarId learned = declare.variable(participant, "decision", decided, make.none(decided));

  const auto mine = [&](VarId var) { return make.state_var(var, make.self(p[var].role)); };
  const auto undecided = [&](VarId var) { return make.binary(Op::eq, mine(var), make.none(decided)); };
  const auto everyone = [&] { return make.all_hosts(participant); };
  const auto literal = [&](std::size_t member) { return make.enum_literal(decision_enum, member); };

  declare.step(taken("ask", coordinator, make.boolean(true), {make.send(request, {}, everyone())}));
  {
    const LocalId v = declare.local("vote", vote);
    const LocalId from = declare.local("p", types.host(participant));
    const auto put = [&](VarId set) {
      const ExprId one = make.set_literal(group, {make.local(from)});
      return make.assign(set, make.binary(Op::set_union, mine(set), one));
    };
    const ExprId is_yes = make.binary(Op::eq, make.local(v), make.enum_literal(vote_enum, 0));
    Step step =
        taken("receive Ballot", coordinator, make.boolean(true), {make.if_then(is_yes, {put(ayes)}, {put(nays)})});
    step.receive = ReceivePattern{ballot, {v}, from, participant, {}};
    declare.step(std::move(step));
  }
  const auto decide = [&](const char* name, ExprId when, std::size_t member) {
    declare.step(
        taken(name, coordinator, make.conjunction({undecided(verdict), when}),
              {make.assign(verdict, make.some(literal(member))), make.send(outcome, {literal(member)}, everyone())}));
  };
  decide("decide_commit", make.binary(Op::eq, mine(ayes), everyone()), 0);
  decide("decide_abort", make.binary(Op::ne, mine(nays), make.set_literal(group, {})), 1);
  {
    const LocalId from = declare.local("c", types.host(coordinator));
    const ExprId own = make.host_const(preference, make.self(participant));
    Step step = taken("receive Request", participant, make.boolean(true), {make.send(ballot, {own}, make.local(from))});
    step.receive = ReceivePattern{request, {}, from, coordinator, {}};
    declare.step(std::move(step));
  }
  {
    const LocalId d = declare.local("d", decision);
    Step step =
        taken("receive Outcome", participant, undecided(learned), {make.assign(learned, make.some(make.local(d)))});
    step.receive = ReceivePattern{outcome, {d}, {}, coordinator, {}};
    declare.step(std::move(step));
  }

  const LocalId x = declare.local("p", types.host(participant));
  const LocalId y = declare.local("q", types.host(participant));
  const auto of = [&](LocalId host) { return make.state_var(learned, make.local(host)); };
  const auto is = [&](Op op, ExprId value) { return make.binary(op, value, make.none(decided)); };
  const ExprId agree = make.binary(Op::implies, make.conjunction({is(Op::ne, of(x)), is(Op::ne, of(y))}),
                                   make.binary(Op::eq, of(x), of(y)));
  p.properties.push_back({PropertyKind::safety, "agreement", make.quantifier(Op::forall, {x, y}, agree), "", {}});
  const LocalId a = declare.local("p", types.host(participant));
  const LocalId b = declare.local("q", types.host(participant));
  const ExprId commits = make.binary(Op::eq, of(a), make.some(literal(0)));
  const ExprId wants = make.binary(Op::eq, make.host_const(preference, make.local(b)), make.enum_literal(vote_enum, 0));
  p.properties.push_back({PropertyKind::safety,
                          "commit_needs_all",
                          make.quantifier(Op::forall, {a, b}, make.binary(Op::implies, commits, wants)),
                          "",
                          {}});
  const LocalId w = declare.local("p", types.host(participant));
  p.properties.push_back({PropertyKind::reachable,
                          "someone_commits",
                          make.quantifier(Op::exists, {w}, make.binary(Op::eq, of(w), make.some(literal(0)))),
                          "",
                          {}});
  p.instances.push_back(instance_decl("Participant=3"));
  p.instances.back().name = "small";
  return p;
}

Protocol from_text(std::string_view text) {
  Result<Protocol> read_back = read(text);
  EXPECT_TRUE(read_back) << (read_back ? "" : read_back.error().message);
  return read_back ? std::move(*read_back) : Protocol{};
}

Protocol from_file(const std::string& path) {
  std::ifstream stream(std::string(TENET_SOURCE_DIR) + "/" + path);
  EXPECT_TRUE(stream) << path;
  std::ostringstream text;
  text << stream.rdbuf();
  const SourceFile file(path, text.str());
  frontend::Loaded loaded = frontend::load_protocol(file);
  for (const Diagnostic& d : loaded.diagnostics.sorted()) ADD_FAILURE() << render(d, file, false);
  return loaded.protocol ? std::move(*loaded.protocol) : Protocol{};
}

std::vector<Protocol> all_protocols() {
  std::vector<Protocol> result{two_phase_commit(), lamport_two_phase(), kitchen_sink()};
  for (const char* name :
       {"distributed_lock", "echo_server", "flexible_paxos", "lock_server", "multi_paxos", "paxos", "paxos_combined",
        "paxos_dynamic", "raft_leader_election", "reduce", "ring_leader_election", "sharded_store",
        "sharded_store_batched", "simplified_leader_election", "three_phase_commit", "two_phase_commit"}) {
    result.push_back(from_file(std::string("protocols/") + name + "/" + name + ".tenet"));
  }
  return result;
}

InstanceDecl instance_decl(std::string_view entries) {
  InstanceDecl decl;
  decl.name = "test";
  std::istringstream words{std::string(entries)};
  for (std::string word; words >> word;) {
    InstanceEntry entry;
    const std::size_t equals = word.find('=');
    entry.name = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    const std::size_t dots = value.find("..");
    entry.is_range = dots != std::string::npos;
    entry.low = std::stoll(value);
    entry.high = entry.is_range ? std::stoll(value.substr(dots + 2)) : entry.low;
    decl.entries.push_back(entry);
  }
  return decl;
}

Instance instance(const Protocol& protocol, std::string_view entries) {
  Diagnostics diagnostics;
  const InstanceDecl decl = instance_decl(entries);
  std::optional<Instance> resolved = Instance::resolve(protocol, &decl, diagnostics);
  for (const Diagnostic& d : diagnostics.sorted()) ADD_FAILURE() << d.message;
  return resolved ? *resolved : *Instance::resolve(protocol, nullptr, diagnostics);
}

Instance named_instance(const Protocol& protocol, std::string_view name) {
  Diagnostics diagnostics;
  for (const InstanceDecl& decl : protocol.instances) {
    if (decl.name == name) return *Instance::resolve(protocol, &decl, diagnostics);
  }
  ADD_FAILURE() << "no instance " << name;
  return *Instance::resolve(protocol, nullptr, diagnostics);
}

Start first_start(const Protocol& protocol, const Instance& instance) {
  Start found;
  const auto result = enumerate_starts(protocol, instance, 1'000'000, [&](const Start& start) {
    found = start;
    return false;
  });
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return found;
}

Explored explore(const Protocol& protocol, const Instance& instance, std::size_t most_states) {
  return Search(protocol, instance, most_states).run();
}

std::size_t orbits(const Protocol& protocol, const Instance& instance, std::string_view name) {
  Search search(protocol, instance, 100'000);
  search.run();
  RoleId role;
  for (std::size_t i = 0; i < protocol.roles.size(); ++i) {
    if (protocol.roles[i].name == name) role = RoleId(i);
  }
  auto left = search.states();
  std::size_t result = 0;
  while (!left.empty()) {
    ++result;
    const auto [constants, state] = *left.begin();
    std::vector<std::uint32_t> to(static_cast<std::size_t>(instance.hosts(role)));
    std::iota(to.begin(), to.end(), 0u);
    do {
      left.erase({constants, renamed(protocol, state, role, to)});
    } while (std::next_permutation(to.begin(), to.end()));
  }
  return result;
}

ExprId find_expr(const Protocol& protocol, const std::function<bool(const Expr&)>& wanted) {
  for (std::size_t i = 0; i < protocol.exprs.size(); ++i) {
    if (wanted(protocol.exprs[i])) return ExprId(i);
  }
  return {};
}

StepId step_named(const Protocol& protocol, std::string_view name) {
  for (std::size_t i = 0; i < protocol.steps.size(); ++i) {
    if (protocol.steps[i].name == name) return StepId(i);
  }
  ADD_FAILURE() << "no step " << name;
  return {};
}

}  // namespace tenet::ir::test
