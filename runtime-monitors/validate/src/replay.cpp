#include "replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tenet/ir/printer.h"

namespace tenet::validate {
namespace {

constexpr std::size_t kMostObstacles = 20;
constexpr std::uint64_t kTries = 20;  // actions tried, for each node that the search may make

bool has_choice(const ir::Protocol& p, const std::vector<ir::StmtId>& stmts) {
  return std::any_of(stmts.begin(), stmts.end(), [&](ir::StmtId id) {
    const ir::Stmt& stmt = p[id];
    return stmt.kind == ir::StmtKind::choose || has_choice(p, stmt.then_branch) || has_choice(p, stmt.else_branch);
  });
}

// Some value of the type: the first of its domain.
ir::Value some_value(const ir::Protocol& p, const ir::Instance& instance, ir::TypeId id) {
  ir::Value value;
  const ir::Type& type = p[id];
  if (type.kind == ir::TypeKind::structure) {
    for (const ir::FieldDecl& field : p.structs[type.declaration].fields) {
      value.items.push_back(some_value(p, instance, field.type));
    }
  } else if (type.kind == ir::TypeKind::function) {
    const auto domain = instance.domain(p, type.first, "", 100'000);
    if (domain) value.items.assign(domain->size(), some_value(p, instance, type.second));
  }
  return value;
}

}  // namespace

Replay::Replay(const ir::Protocol& protocol, const Values& values, const Logs& logs, const Mapping& mapping,
               const Options& options)
    : p_(protocol), values_(values), logs_(logs), mapping_(mapping), options_(options), extended_(protocol) {
  for (std::size_t r = 0; r < p_.roles.size(); ++r) {
    ir::Step step;
    step.name = "begin";
    step.role = ir::RoleId(r);
    ir::Expr yes;
    yes.op = ir::Op::bool_literal;
    yes.type = extended_.types.boolean();
    yes.value = 1;
    step.guard = extended_.add(yes);
    for (const ir::VarId id : p_.roles[r].variables) {
      if (!p_[id].init.valid()) continue;
      ir::Stmt assign;
      assign.kind = ir::StmtKind::assign;
      assign.var = id;
      assign.value = p_[id].init;
      step.body.push_back(extended_.add(std::move(assign)));
    }
    initialise_.push_back(ir::StepId(extended_.steps.size()));
    extended_.steps.push_back(std::move(step));
  }
}

std::uint64_t Replay::Node::explained() const {
  std::uint64_t sum = 0;
  for (const std::size_t p : position) sum += p;
  return sum;
}

Result<Event> Replay::event(const Host& host, const Logs::HostLog::Item& item) const {
  const Json line = parse_line(logs_, item.place, mapping_);
  Event out;
  const auto fail = [&](const Error& error) {
    return failure(error.kind, fmt::format("{}:{}: {}", logs_.names[item.place.file], item.place.line, error.message));
  };
  const ir::RoleDecl& role = p_[host.ref.role];
  if (line.contains("state") && line["state"].is_object()) {
    for (const ir::VarId id : role.variables) {
      if (!line["state"].contains(p_[id].name)) continue;
      auto value = values_.read(p_[id].type, line["state"][p_[id].name]);
      if (!value) return fail(value.error());
      out.state.emplace_back(id, std::move(*value));
    }
  }
  if (line.contains("snapshot")) {
    out.kind = Event::Kind::snapshot;
    out.fresh = line["snapshot"] == "begins";
    out.determined = true;
    return out;
  }
  const bool sends = line.contains("send");
  const ir::Step* step = nullptr;
  if (!sends && line.contains("step") && line["step"].is_string()) {
    step = values_.step(host.ref.role, line["step"].get<std::string>(), out.step);
    if (step == nullptr) return fail({ErrorKind::bad_input, "unknown step"});
  }
  const ir::MessageId expected = step != nullptr && step->receive ? step->receive->message : ir::MessageId{};
  auto said = values_.said_message(line, sends ? "send" : "message", sends ? "to" : "from", expected);
  if (!said) return fail(said.error());
  out.said = std::move(*said);
  if (out.said.complete()) {
    ir::Packet packet;
    packet.message = out.said.message;
    packet.sender = sends ? host.ref : *out.said.peer;
    packet.addressee = sends ? *out.said.peer : host.ref;
    for (const auto& arg : out.said.args) packet.args.push_back(*arg);
    out.message = std::move(packet);
  }
  if (sends) {
    if (!out.message) return fail({ErrorKind::bad_input, "a sent message needs 'to' and all 'arguments'"});
    out.kind = Event::Kind::send;
    out.determined = true;
    return out;
  }
  if (step == nullptr) return out;
  out.determined = !has_choice(p_, step->body) && (!step->receive || out.message);
  for (const ir::LocalId parameter : step->parameters) {
    out.parameters.emplace_back();
    if (!line.contains("parameters") || !line["parameters"].contains(p_[parameter].name)) {
      out.determined = false;
      continue;
    }
    auto value = values_.read(p_[parameter].type, line["parameters"][p_[parameter].name]);
    if (!value) return fail(value.error());
    out.parameters.back() = std::move(*value);
  }
  return out;
}

// Constants of hosts come from their first snapshot, those of the protocol from the headers.
Result<void> Replay::constants(Node&) {
  const ir::Instance& instance = values_.instance();
  constants_.values.assign(p_.constants.size(), {});
  missing_.clear();
  for (std::size_t c = 0; c < p_.constants.size(); ++c) {
    const ir::ConstDecl& decl = p_.constants[c];
    auto& cells = constants_.values[c];
    if (decl.role.valid()) {
      cells.assign(static_cast<std::size_t>(instance.hosts(decl.role)), some_value(p_, instance, decl.type));
      if (decl.kind != ir::ConstKind::free) missing_.push_back(decl.name);
      continue;
    }
    if (decl.kind == ir::ConstKind::ring_next || decl.kind == ir::ConstKind::ring_between) {
      const std::int64_t n = instance.hosts(ir::RoleId(p_[decl.parameters[0]].declaration));
      const auto way = [n](std::int64_t a, std::int64_t b) { return b == a ? n : (b + n - a) % n; };
      for (std::int64_t a = 0; a < n; ++a) {
        if (decl.kind == ir::ConstKind::ring_next) cells.push_back({(a + 1) % n, {}});
        for (std::int64_t b = 0; decl.kind == ir::ConstKind::ring_between && b < n; ++b) {
          for (std::int64_t to = 0; to < n; ++to) cells.push_back({way(a, b) < way(a, to) ? 1 : 0, {}});
        }
      }
      continue;
    }
    cells.assign(1, some_value(p_, instance, decl.type));
    if (!decl.parameters.empty()) {
      return failure(ErrorKind::unsupported, fmt::format("the relation or function '{}'", decl.name));
    }
    if (decl.kind == ir::ConstKind::defined) continue;  // below, when the others are known
    const auto said = logs_.constants.find(decl.name);
    if (said == logs_.constants.end()) {
      missing_.push_back(decl.name);
      continue;
    }
    auto value = values_.read(decl.type, said->second);
    if (!value) return tl::make_unexpected(value.error());
    cells[0] = std::move(*value);
  }
  for (const Host& host : hosts_) {
    const Json* found = nullptr;
    Json line;
    for (const auto& item : host.log->items) {
      line = parse_line(logs_, item.place, mapping_);
      if (line.contains("constants")) {
        found = &line["constants"];
        break;
      }
      if (item.place.line > host.log->items.front().place.line + 1000) break;
    }
    for (const ir::ConstId id : p_[host.ref.role].constants) {
      if (found == nullptr || !found->contains(p_[id].name)) {
        missing_.push_back(host.name + "." + p_[id].name);
        continue;
      }
      auto value = values_.read(p_[id].type, (*found)[p_[id].name]);
      if (!value) return tl::make_unexpected(value.error());
      constants_.values[id.index()][host.ref.index] = std::move(*value);
    }
  }
  return {};
}

Result<void> Replay::start(Node& node) {
  if (auto done = constants(node); !done) return done;
  const ir::Instance& instance = values_.instance();
  for (const ir::VarDecl& variable : p_.variables) {
    node.state.variables.emplace_back(static_cast<std::size_t>(instance.hosts(variable.role)),
                                      some_value(p_, instance, variable.type));
  }
  interpreter_ = std::make_unique<ir::Interpreter>(extended_, instance, constants_);
  for (std::size_t c = 0; c < p_.constants.size(); ++c) {
    const ir::ConstDecl& decl = p_.constants[c];
    if (decl.role.valid() || decl.kind != ir::ConstKind::defined) continue;
    const auto value = interpreter_->evaluate(decl.value, {}, node.state);
    if (const auto* known = std::get_if<ir::Value>(&value)) constants_.values[c][0] = *known;
  }
  for (std::size_t r = 0; r < p_.roles.size(); ++r) {
    for (std::uint32_t i = 0; i < static_cast<std::uint64_t>(instance.hosts(ir::RoleId(r))); ++i) {
      ir::Action action;
      action.step = initialise_[r];
      action.host = {ir::RoleId(r), i};
      const ir::Outcome outcome = interpreter_->apply(node.state, action);
      if (const auto* happened = std::get_if<ir::Happened>(&outcome)) node.state = happened->next;
    }
  }
  node.state.network.clear();
  node.position.assign(hosts_.size(), 0);
  node.status.assign(hosts_.size(), Status::ready);
  node.reason.assign(hosts_.size(), "");
  // Variables without an initialiser begin as the first snapshot says.
  for (const Host& host : hosts_) {
    if (host.log->items.empty()) continue;
    auto first = event(host, host.log->items.front());
    if (!first) return tl::make_unexpected(first.error());
    for (const auto& [id, value] : first->state) {
      if (first->kind == Event::Kind::snapshot && first->fresh && !p_[id].init.valid()) {
        node.state.variables[id.index()][host.ref.index] = value;
      }
    }
  }
  return {};
}

std::optional<ir::Action> Replay::action(const Event& event, ir::HostRef host) const {
  ir::Action out;
  out.step = event.step;
  out.host = host;
  for (const auto& parameter : event.parameters) out.parameters.push_back(*parameter);
  const ir::Step& step = p_[event.step];
  if (!step.receive) return out;
  if (event.message->message != step.receive->message) return std::nullopt;
  if (step.receive->from.valid() && event.message->sender.role != step.receive->from) return std::nullopt;
  out.received = event.message;
  return out;
}

bool Replay::available(const Node& node, const ir::Packet& packet) const {
  const auto found = node.network.find(packet);
  return found != node.network.end() && found->second > 0;
}

std::optional<std::string> Replay::mismatch(const Event& event, ir::HostRef host, const ir::State& state) const {
  for (const auto& [id, value] : event.state) {
    const ir::Value& ours = state.variables[id.index()][host.index];
    if (ours == value) continue;
    return fmt::format("{} is {} in the log and {} in the specification", p_[id].name,
                       ir::to_source(p_, values_.instance(), p_[id].type, value),
                       ir::to_source(p_, values_.instance(), p_[id].type, ours));
  }
  return std::nullopt;
}

void Replay::take(Node& node, std::size_t h, const ir::Action& action, ir::Happened happened) const {
  if (action.received && p_[action.received->message].delivery == ir::Delivery::at_most_once) {
    --node.network[*action.received];
  }
  for (const ir::Packet& packet : happened.sends) {
    int& copies = node.network[packet];
    copies = p_[packet.message].delivery == ir::Delivery::at_most_once ? copies + 1 : 1;
    // Who waits for it may go on.
    for (std::size_t other = 0; other < hosts_.size(); ++other) {
      if (node.status[other] == Status::waiting) node.status[other] = Status::ready;
    }
  }
  node.state = std::move(happened.next);
  node.state.network.clear();
  if (h < hosts_.size()) {
    ++node.position[h];
    ++node.steps;
  }
}

Result<void> Replay::advance(Node& node, std::size_t h, bool& moved) {
  const Host& host = hosts_[h];
  while (true) {
    if (node.position[h] == host.log->items.size()) {
      node.status[h] = Status::done;
      return {};
    }
    const auto& item = host.log->items[node.position[h]];
    const auto stop = [&](Status status, std::string reason) {
      node.status[h] = status;
      node.reason[h] = std::move(reason);
    };
    if (item.after_gap) {
      stop(Status::opaque, "events of this host are missing before this one");
      return {};
    }
    auto next = event(host, item);
    if (!next) return tl::make_unexpected(next.error());
    if (next->kind == Event::Kind::snapshot) {
      const auto wrong = mismatch(*next, host.ref, node.state);
      if (wrong && next->fresh && node.position[h] == 0) {
        stop(Status::failed, "the host does not begin as the specification says: " + *wrong);
        return {};
      }
      if (wrong) {
        stop(Status::opaque, "the host came back otherwise, so a step is missing in the log: " + *wrong);
        return {};
      }
      ++node.position[h];
      moved = true;
      continue;
    }
    if (next->kind == Event::Kind::send) {
      if (!available(node, *next->message) && node.network.find(*next->message) == node.network.end()) {
        stop(Status::failed, "no step of this host before sends this message");
        return {};
      }
      ++node.position[h];
      moved = true;
      continue;
    }
    if (!next->determined) {
      node.status[h] = Status::ambiguous;
      return {};
    }
    const auto wanted = action(*next, host.ref);
    if (!wanted) {
      stop(Status::failed, "the step does not receive such a message");
      return {};
    }
    if (wanted->received && !available(node, *wanted->received)) {
      node.status[h] = Status::waiting;
      return {};
    }
    node.state.network.clear();
    if (wanted->received) node.state.network.push_back(*wanted->received);
    ir::Outcome outcome = interpreter_->apply(node.state, *wanted);
    node.state.network.clear();
    if (auto* happened = std::get_if<ir::Happened>(&outcome)) {
      if (auto wrong = mismatch(*next, host.ref, happened->next)) {
        stop(Status::failed, "the step leads to another state: " + *wrong);
        return {};
      }
      take(node, h, *wanted, std::move(*happened));
      moved = true;
      continue;
    }
    if (std::holds_alternative<ir::Disabled>(outcome)) {
      stop(Status::failed, "the guard of the step is false");
    } else if (const auto* cut = std::get_if<ir::CutAtBound>(&outcome)) {
      // With the state in the log, the number that was computed is none of the log: it differs.
      const bool said = std::any_of(next->state.begin(), next->state.end(),
                                    [&](const auto& cell) { return p_[cell.first].name == cut->slot; });
      stop(said ? Status::failed : Status::opaque,
           fmt::format("{} leaves the numbers that the logs mention", cut->slot));
    } else {
      stop(Status::failed, fmt::format("the step {}", ir::describe(std::get<ir::Fault>(outcome).kind)));
    }
    return {};
  }
}

// Takes everything that has one way to go. More messages never forbid a step, so the order does not matter.
Result<void> Replay::greedy(Node& node) {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
      if (node.status[h] != Status::ready) continue;
      if (auto done = advance(node, h, moved); !done) return done;
    }
    moved = std::any_of(node.status.begin(), node.status.end(), [](Status s) { return s == Status::ready; });
  }
  return {};
}

// The node after `action`, taken for the event `wanted` of host `h`, or (null) beyond the end of its log.
std::optional<Replay::Node> Replay::branch(const Node& node, std::size_t h, const Event* wanted,
                                           const ir::Action& action, const ir::Happened& happened) const {
  if (wanted != nullptr && mismatch(*wanted, action.host, happened.next)) return std::nullopt;
  if (wanted != nullptr && wanted->said.said) {
    if (!action.received || !wanted->said.fits(*action.received, action.received->sender)) return std::nullopt;
  }
  Node next = node;
  take(next, wanted == nullptr ? hosts_.size() : h, action, happened);
  if (wanted != nullptr) {
    next.status[h] = Status::ready;
  } else if (next.state == node.state && next.network == node.network) {
    return std::nullopt;
  }
  for (Status& status : next.status) {
    if (status == Status::waiting || status == Status::ambiguous) status = Status::ready;
  }
  return next;
}

// The steps of one host: those that an event may be, or (null) any. False if the search has to end.
bool Replay::follow(const Node& node, const ir::State& whole, ir::HostRef host, std::size_t h, const Event* wanted,
                    Search& search, std::vector<Node>& out) const {
  for (const ir::StepId step : p_[host.role].steps) {
    if (wanted != nullptr && wanted->step.valid() && wanted->step != step) continue;
    ir::Partial known{step, host, {}, {}};
    if (wanted != nullptr) {
      known.parameters = wanted->parameters;
      known.received = wanted->message;
    }
    const auto visit = [&](const ir::Action& action, const ir::Outcome& outcome) {
      if (const auto* cut = std::get_if<ir::CutAtBound>(&outcome)) {
        // In an instance that was asked for, what leaves it does not happen.
        if (!search.passed.empty() || (!cut->too_many && !options_.instance.empty())) return;
        search.passed =
            fmt::format("{} of {} was not followed: {} {}", p_[step].name, ir::to_source(p_, host), cut->slot,
                        cut->too_many ? "has too many values to try them" : "leaves the numbers that the logs mention");
        return;
      }
      const auto* happened = std::get_if<ir::Happened>(&outcome);
      if (happened == nullptr || search.exceeded) return;
      auto next = branch(node, h, wanted, action, *happened);
      if (!next) return;
      if (search.nodes == 0) {
        search.exceeded = true;
        search.unused = std::exchange(search.tries, 0);  // ends the enumeration
        return;
      }
      --search.nodes;
      out.push_back(std::move(*next));
    };
    const bool enough = interpreter_->enabled(whole, known, visit, search.tries);
    search.exceeded = search.exceeded || !enough;
    if (!search.exceeded) continue;
    search.given_up = fmt::format("{} of {}", p_[step].name, ir::to_source(p_, host));
    return false;
  }
  return true;
}

// What may happen next where the logs leave a choice: an event that is one of several steps, or a step of a host whose
// log has ended.
Result<std::vector<Replay::Node>> Replay::branches(const Node& node, Search& search) const {
  ir::State whole = node.state;
  for (const auto& [packet, copies] : node.network) {
    for (int i = 0; i < copies; ++i) whole.network.push_back(packet);
  }
  std::vector<Node> out;
  for (std::size_t r = 0; r < p_.roles.size(); ++r) {
    const auto role = ir::RoleId(r);
    for (std::uint32_t i = 0; i < static_cast<std::uint64_t>(values_.instance().hosts(role)); ++i) {
      const ir::HostRef host{role, i};
      std::size_t h = 0;
      while (h < hosts_.size() && hosts_[h].ref != host) ++h;
      if (h == hosts_.size() || (node.status[h] == Status::done && !hosts_[h].log->complete)) {
        if (!follow(node, whole, host, h, nullptr, search, out)) return out;
      } else if (node.status[h] == Status::ambiguous) {
        const auto wanted = event(hosts_[h], hosts_[h].log->items[node.position[h]]);
        if (!wanted) return tl::make_unexpected(wanted.error());
        if (!follow(node, whole, host, h, &*wanted, search, out)) return out;
      }
    }
  }
  return out;
}

std::vector<std::string> Replay::false_guards(const Node& node, std::size_t h, const ir::Action& wanted) const {
  std::vector<std::string> out;
  std::vector<ir::ExprId> parts{p_[wanted.step].guard};
  if (p_[parts[0]].op == ir::Op::and_) parts = p_[parts[0]].args;
  (void)h;
  for (const ir::ExprId part : parts) {
    ir::Protocol copy = extended_;
    copy.steps[wanted.step.index()].guard = part;
    const ir::Interpreter judge(copy, values_.instance(), constants_);
    ir::State state = node.state;
    if (wanted.received) state.network.push_back(*wanted.received);
    if (std::holds_alternative<ir::Disabled>(judge.apply(state, wanted))) out.push_back(ir::to_source(p_, part));
  }
  return out;
}

void Replay::describe(const Node& node, std::uint64_t key, bool partial, Report& report) {
  // A host that waits for one that is stuck itself is not where the trouble is.
  const auto stuck = [&](Status s) { return s == Status::failed || s == Status::opaque || s == Status::ambiguous; };
  std::vector<std::pair<int, Obstacle>> found;
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    if (node.status[h] == Status::done) continue;
    const Host& host = hosts_[h];
    const auto& item = host.log->items[node.position[h]];
    Obstacle obstacle;
    const bool unknown = node.status[h] == Status::opaque || (partial && node.status[h] != Status::failed);
    obstacle.answer = unknown ? Answer::unknown : Answer::not_explained;
    obstacle.host = host.name;
    obstacle.key = key;
    obstacle.file = logs_.names[item.place.file];
    obstacle.line = item.place.line;
    obstacle.event = logs_.texts[item.place.file].substr(item.place.begin, item.place.end - item.place.begin);
    obstacle.reason = node.reason[h];
    int rank = node.status[h] == Status::failed ? 0 : 1;
    const auto next = event(host, item);
    if (node.status[h] == Status::waiting && next && next->message) {
      const ir::HostRef sender = next->message->sender;
      obstacle.reason = fmt::format("{} has not sent {}", ir::to_source(p_, sender),
                                    ir::to_source(p_, values_.instance(), *next->message));
      for (std::size_t other = 0; other < hosts_.size(); ++other) {
        if (hosts_[other].ref == sender && (stuck(node.status[other]) || node.status[other] == Status::waiting))
          rank = 2;
      }
    } else if (node.status[h] == Status::ambiguous) {
      obstacle.reason = "no step of this host fits the event here";
    }
    if (next && next->kind == Event::Kind::step && next->determined && node.status[h] == Status::failed) {
      if (const auto wanted = action(*next, host.ref)) obstacle.guards = false_guards(node, h, *wanted);
    }
    for (const ir::VarId id : p_[host.ref.role].variables) {
      obstacle.state.push_back(fmt::format(
          "{} = {}", p_[id].name,
          ir::to_source(p_, values_.instance(), p_[id].type, node.state.variables[id.index()][host.ref.index])));
    }
    found.emplace_back(rank, std::move(obstacle));
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [rank, obstacle] : found) {
    if (rank == 2 && found.front().first < 2) break;
    if (report.obstacles.size() < kMostObstacles) report.obstacles.push_back(std::move(obstacle));
  }
}

bool Replay::any(const Node& node, Status status) {
  return std::find(node.status.begin(), node.status.end(), status) != node.status.end();
}

bool Replay::all_done(const Node& node) {
  return std::all_of(node.status.begin(), node.status.end(), [](Status s) { return s == Status::done; });
}

// Depth first, until a node explains everything: the node that explains most.
Result<Replay::Node> Replay::explain(Node first, Search& search) {
  Node best = first;
  search.opaque = any(first, Status::opaque);
  std::set<std::tuple<std::vector<std::size_t>, ir::State, std::map<ir::Packet, int>>> visited;
  std::vector<Node> open;
  open.push_back(std::move(first));
  while (!all_done(best) && !open.empty() && !search.exceeded) {
    Node node = std::move(open.back());
    open.pop_back();
    // A host that is stuck for good stops only itself: others may still show more of what can be explained.
    const bool waits = any(node, Status::waiting) || any(node, Status::ambiguous);
    if (!waits || !visited.emplace(node.position, node.state, node.network).second) {
      ++search.nodes;
      continue;
    }
    ++search.searched;
    auto next = branches(node, search);
    if (!next) return tl::make_unexpected(next.error());
    for (Node& branch : *next) {
      if (auto done = greedy(branch); !done) return tl::make_unexpected(done.error());
      search.opaque = search.opaque || any(branch, Status::opaque);
      if (branch.explained() > best.explained() || all_done(branch)) best = branch;
      open.push_back(std::move(branch));
    }
  }
  return best;
}

Result<void> Replay::run(std::uint64_t key, const std::map<std::string, Logs::HostLog>& logs, Report& report) {
  hosts_.clear();
  for (const auto& [name, log] : logs) {
    const auto ref = values_.host(name);
    if (!ref) return tl::make_unexpected(ref.error());
    hosts_.push_back({*ref, name, &log});
  }
  Node first;
  if (auto begun = start(first); !begun) return begun;
  ++report.runs;
  if (!missing_.empty()) {
    report.notes.push_back(fmt::format("run {}: the logs do not say the constant {}", key, missing_.front()));
    report.answer = report.answer == Answer::not_explained ? report.answer : Answer::unknown;
    return {};
  }
  if (auto done = greedy(first); !done) return done;
  // What fails before anything is searched for fails in every execution: more messages never forbid a step.
  const bool failed = any(first, Status::failed);
  Search search;
  search.nodes = options_.bound;
  search.tries = options_.bound * kTries;
  const auto best = explain(std::move(first), search);
  if (!best) return tl::make_unexpected(best.error());
  report.searched += search.searched;
  report.explained += best->explained();
  report.steps += best->steps;
  if (all_done(*best)) return {};
  if (search.exceeded) {
    report.notes.push_back(fmt::format("run {}: the search was given up after {} nodes and {} tried actions, at {}",
                                       key, search.searched, options_.bound * kTries - search.unused, search.given_up));
  }
  if (!search.passed.empty()) report.notes.push_back(fmt::format("run {}: {}", key, search.passed));
  const bool partial = search.exceeded || !search.passed.empty();
  // After a gap others may wait for what was lost; only what is wrong by itself is wrong.
  if ((partial || search.opaque) && !failed) {
    if (report.answer == Answer::explained) report.answer = Answer::unknown;
  } else {
    report.answer = Answer::not_explained;
  }
  describe(*best, key, partial, report);
  return {};
}

}  // namespace tenet::validate
