#include "replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tenet/ir/printer.h"

namespace tenet::validate {
namespace {

constexpr std::size_t kMostNotes = 10;  // on runs

bool has_choice(const ir::Protocol& p, const std::vector<ir::StmtId>& stmts) {
  return std::any_of(stmts.begin(), stmts.end(), [&](ir::StmtId id) {
    const ir::Stmt& stmt = p[id];
    return stmt.kind == ir::StmtKind::choose || has_choice(p, stmt.then_branch) || has_choice(p, stmt.else_branch);
  });
}

}  // namespace

Replay::Replay(const ir::Protocol& protocol, const Logs& logs, const Mapping& mapping, const Options& options)
    : p_(protocol),
      logs_(logs),
      mapping_(mapping),
      options_(options),
      extended_(protocol),
      budget_(options.bound + logs.events) {
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
  return sum - trusted;
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
      auto value = values_->read(p_[id].type, line["state"][p_[id].name]);
      if (!value) return fail(value.error());
      out.state.emplace_back(id, std::move(*value));
    }
  }
  if (line.contains("constants") && line["constants"].is_object()) {
    for (const ir::ConstId id : role.constants) {
      const std::string& name = p_[id].name;
      const bool known = std::find(missing_.begin(), missing_.end(), host.name + "." + name) == missing_.end();
      if (!known || !line["constants"].contains(name)) continue;
      auto value = values_->read(p_[id].type, line["constants"][name]);
      if (!value) return fail(value.error());
      if (*value != constants_.values[id.index()][host.ref.index]) out.other_constant = name;
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
    step = values_->step(host.ref.role, line["step"].get<std::string>(), out.step);
    if (step == nullptr) return fail({ErrorKind::bad_input, "unknown step"});
  }
  const ir::MessageId expected = step != nullptr && step->receive ? step->receive->message : ir::MessageId{};
  auto said = values_->said_message(line, sends ? "send" : "message", sends ? "to" : "from", expected);
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
    auto value = values_->read(p_[parameter].type, line["parameters"][p_[parameter].name]);
    if (!value) return fail(value.error());
    out.parameters.back() = std::move(*value);
  }
  return out;
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
  return found != node.network.end() && found->second.copies > 0;
}

bool Replay::may_have_sent(const Node& node, ir::HostRef sender) const {
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    if (hosts_[h].ref == sender) return node.loss[h] != Loss::none;
  }
  return false;
}

bool Replay::whole(const Event& event, ir::HostRef host) const {
  return event.state.size() == p_[host.role].variables.size();
}

std::optional<std::string> Replay::mismatch(const Event& event, ir::HostRef host, const ir::State& state) const {
  for (const auto& [id, value] : event.state) {
    const ir::Value& ours = state.variables[id.index()][host.index];
    if (ours == value) continue;
    return fmt::format("{} is {} in the log and {} in the specification", p_[id].name,
                       ir::to_source(p_, values_->instance(), p_[id].type, value),
                       ir::to_source(p_, values_->instance(), p_[id].type, ours));
  }
  return std::nullopt;
}

void Replay::wake(Node& node, Status what) const {
  for (Status& status : node.status) {
    if (status == what) status = Status::ready;
  }
}

// `chosen`: the search took this action; with a host beyond all logs, it is none of an event.
void Replay::take(Node& node, std::size_t h, const ir::Action& action, ir::Happened happened, LinkId chosen) {
  Link link;
  link.before = node.last;
  link.chosen = chosen;
  if (action.received) {
    const auto received = node.network.find(*action.received);
    if (received != node.network.end()) {
      link.cause = received->second.by;
      const bool once = p_[action.received->message].delivery == ir::Delivery::at_most_once;
      if (once && received->second.copies > 0) --received->second.copies;
    }
  }
  if (h < hosts_.size()) {
    link.host = static_cast<std::uint32_t>(h);
    link.event = static_cast<std::uint32_t>(node.position[h]);
    ++node.position[h];
    ++node.steps;
  }
  node.last = static_cast<LinkId>(history_.size());
  history_.push_back(link);
  for (const ir::Packet& packet : happened.sends) {
    Sent& sent = node.network[packet];
    const bool once = p_[packet.message].delivery == ir::Delivery::at_most_once;
    sent.copies = once ? sent.copies + 1 : 1;
    sent.untold = once ? sent.untold + 1 : 1;
    sent.by = node.last;
  }
  if (!happened.sends.empty()) wake(node, Status::waiting);
  node.state = std::move(happened.next);
  node.state.network.clear();
}

void Replay::stop(Node& node, std::size_t h, Status status, std::string reason) const {
  node.status[h] = status;
  node.reason[h] = std::move(reason);
}

// The first events after a loss are taken as they are, until one tells the whole state: from there on the host's steps
// are judged again. What it has sent, it may have sent where events are missing. False: the state stays unknown.
bool Replay::after_loss(Node& node, std::size_t h, const Event& event) {
  if (node.loss[h] == Loss::none) wake(node, Status::waiting);
  node.loss[h] = Loss::blind;
  if (event.kind != Event::Kind::send) {
    if (!whole(event, hosts_[h].ref)) {
      stop(node, h, Status::opaque, "events of this host are missing before this one, which does not tell its state");
      return false;
    }
    for (const auto& [id, value] : event.state) node.state.variables[id.index()][hosts_[h].ref.index] = value;
    node.loss[h] = Loss::resumed;
  }
  Link link;
  link.before = node.last;
  link.host = static_cast<std::uint32_t>(h);
  link.event = static_cast<std::uint32_t>(node.position[h]);
  link.trusted = true;
  node.last = static_cast<LinkId>(history_.size());
  history_.push_back(link);
  ++node.trusted;
  ++node.position[h];
  return true;
}

void Replay::snapshot(Node& node, std::size_t h, const Event& event) {
  for (const ir::ConstId id : p_[hosts_[h].ref.role].constants) {
    if (const std::string other = same_unique(h, id); event.fresh && !other.empty()) {
      stop(node, h, Status::failed, fmt::format("{} has the same {}, which is unique", other, p_[id].name));
      return;
    }
  }
  const auto wrong = mismatch(event, hosts_[h].ref, node.state);
  if (!wrong) {
    const std::string broken = event.fresh && node.position[h] == 0 ? broken_init(node, h) : std::string{};
    if (!broken.empty()) return stop(node, h, Status::failed, "it begins otherwise than 'init' says: " + broken);
    ++node.position[h];
  } else if (event.fresh && node.position[h] == 0) {
    stop(node, h, Status::failed, "the host does not begin as the specification says: " + *wrong);
  } else {
    // It came back otherwise, so a step is missing in the log.
    (void)after_loss(node, h, event);
  }
}

/// What of the action the instance that was asked for does not have: it says nothing of such a step.
std::string Replay::beyond_instance(const Event& event, const ir::Action& action) const {
  if (options_.instance.empty()) return {};
  const ir::Instance& instance = values_->instance();
  const auto outside = [&](ir::TypeId type, const std::string& name, const ir::Value& value) {
    return instance.within(p_, type, name, value) ? std::string{} : name;
  };
  const ir::Step& step = p_[event.step];
  for (std::size_t i = 0; i < step.parameters.size(); ++i) {
    const ir::LocalDecl& parameter = p_[step.parameters[i]];
    if (auto name = outside(parameter.type, parameter.name, action.parameters[i]); !name.empty()) return name;
  }
  if (!action.received) return {};
  const auto& fields = p_[action.received->message].fields;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (auto name = outside(fields[i].type, fields[i].name, action.received->args[i]); !name.empty()) return name;
  }
  return {};
}

void Replay::step(Node& node, std::size_t h, const Event& event) {
  const Host& host = hosts_[h];
  const auto wanted = action(event, host.ref);
  if (!wanted) return stop(node, h, Status::failed, "the step does not receive such a message");
  if (wanted->received && !available(node, *wanted->received) && !may_have_sent(node, wanted->received->sender)) {
    node.status[h] = Status::waiting;
    return;
  }
  if (const std::string beyond = beyond_instance(event, *wanted); !beyond.empty()) {
    return stop(node, h, Status::opaque, fmt::format("{} is beyond instance {}", beyond, values_->instance().name()));
  }
  node.state.network.clear();
  if (wanted->received) node.state.network.push_back(*wanted->received);
  ir::Outcome outcome = interpreter_->apply(node.state, *wanted);
  node.state.network.clear();
  if (auto* happened = std::get_if<ir::Happened>(&outcome)) {
    if (auto wrong = mismatch(event, host.ref, happened->next)) {
      return stop(node, h, Status::failed, "the step leads to another state: " + *wrong);
    }
    return take(node, h, *wanted, std::move(*happened), kNone);
  }
  if (std::holds_alternative<ir::Disabled>(outcome)) {
    stop(node, h, Status::failed, "the guard of the step is false");
  } else if (const auto* cut = std::get_if<ir::CutAtBound>(&outcome)) {
    // With the state in the log, the number that was computed is none of the log: it differs.
    const bool said = std::any_of(event.state.begin(), event.state.end(),
                                  [&](const auto& cell) { return p_[cell.first].name == cut->slot; });
    stop(node, h, said ? Status::failed : Status::opaque,
         fmt::format("{} leaves the numbers that the logs mention", cut->slot));
  } else {
    stop(node, h, Status::failed, fmt::format("the step {}", ir::describe(std::get<ir::Fault>(outcome).kind)));
  }
}

Result<void> Replay::advance(Node& node, std::size_t h, bool& moved) {
  const Host& host = hosts_[h];
  while (node.status[h] == Status::ready) {
    const std::size_t at = node.position[h];
    if (at == host.log->items.size()) {
      node.status[h] = Status::done;
      return {};
    }
    auto next = event(host, host.log->items[at]);
    if (!next) return tl::make_unexpected(next.error());
    if (!next->other_constant.empty()) {  // whatever was lost
      stop(node, h, Status::failed, fmt::format("its constant {} has changed", next->other_constant));
      break;
    }
    // A host begins once in a run: before that, nothing of this run can be missing.
    const bool begins = next->kind == Event::Kind::snapshot && next->fresh && at == 0;
    if ((host.log->items[at].after_gap && !begins) || node.loss[h] == Loss::blind) {
      (void)after_loss(node, h, *next);
    } else if (next->kind == Event::Kind::snapshot) {
      snapshot(node, h, *next);
    } else if (next->kind == Event::Kind::send) {
      const auto sent = node.network.find(*next->message);
      if (node.loss[h] != Loss::none) {
        ++node.position[h];
      } else if (sent == node.network.end()) {
        stop(node, h, Status::failed, "no step of this host before sends this message");
      } else if (sent->second.untold == 0) {
        stop(node, h, Status::failed, "the steps of this host before send this message less often");
      } else {
        if (p_[next->message->message].delivery == ir::Delivery::at_most_once) --sent->second.untold;
        ++node.position[h];
      }
    } else if (next->determined) {
      step(node, h, *next);
    } else {
      node.status[h] = Status::ambiguous;
    }
    moved = moved || node.position[h] != at;
  }
  return {};
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

bool Replay::any(const Node& node, Status status) {
  return std::find(node.status.begin(), node.status.end(), status) != node.status.end();
}

bool Replay::all_done(const Node& node) {
  return std::all_of(node.status.begin(), node.status.end(), [](Status s) { return s == Status::done; });
}

bool Replay::lost(const Node& node) {
  return std::any_of(node.loss.begin(), node.loss.end(), [](Loss loss) { return loss != Loss::none; });
}

void Replay::note(Report& report, std::uint64_t key, const std::string& text) {
  if (++notes_ <= kMostNotes) report.notes.push_back(fmt::format("run {}: {}", key, text));
}

void Replay::finish(Report& report) const {
  if (notes_ > kMostNotes) report.notes.push_back(fmt::format("{} more like these", notes_ - kMostNotes));
  std::stable_partition(report.obstacles.begin(), report.obstacles.end(),
                        [](const Obstacle& o) { return o.answer == Answer::not_explained; });
}

Result<void> Replay::run(std::uint64_t key, const std::map<std::string, Logs::HostLog>& logs, const Values& values,
                         Report& report) {
  values_ = &values;
  hosts_.clear();
  history_.clear();
  chosen_.clear();
  for (const auto& [name, log] : logs) {
    const auto ref = values_->host(name);
    if (!ref) return tl::make_unexpected(ref.error());
    hosts_.push_back({*ref, name, &log});
  }
  Node first;
  if (auto begun = start(first); !begun) return begun;
  ++report.runs;
  if (!missing_.empty() || !unsaid_.empty()) {
    note(report, key,
         missing_.empty() ? fmt::format("the logs do not say how {} begins", unsaid_.front())
                          : fmt::format("the logs do not say the constant {}", missing_.front()));
    report.answer = report.answer == Answer::not_explained ? report.answer : Answer::unknown;
    return {};
  }
  if (auto done = greedy(first); !done) return done;
  // What fails before anything is searched for fails in every execution: more messages never forbid a step.
  const bool failed = any(first, Status::failed);
  Search search;
  const auto best = explain(std::move(first), search);
  if (!best) return tl::make_unexpected(best.error());
  report.searched += search.searched;
  report.explained += best->explained();
  report.trusted += best->trusted;
  report.steps += best->steps;
  if (all_done(*best) && !lost(*best)) return {};
  if (search.exceeded) {
    note(report, key,
         fmt::format("the search was given up after {} nodes and {} tried actions, at {}", search.searched,
                     search.tried, search.given_up));
  }
  if (!search.passed.empty()) note(report, key, search.passed);
  // After a gap others may wait for what was lost; only what is wrong by itself is wrong.
  const bool partial = search.exceeded || !search.passed.empty() || search.opaque;
  if (!partial || failed) {
    report.answer = Answer::not_explained;
  } else if (report.answer == Answer::explained) {
    report.answer = Answer::unknown;
  }
  if (auto done = describe(*best, key, partial, report); !done) return done;
  describe_losses(*best, key, report);
  return {};
}

}  // namespace tenet::validate
