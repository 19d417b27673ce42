#include <algorithm>

#include <fmt/format.h>

#include "replay.h"
#include "tenet/ir/printer.h"

namespace tenet::validate {
namespace {

constexpr std::size_t kMostObstacles = 20;
constexpr std::size_t kMostSteps = 60;  // of a run that is shown

// Whether the report has room for one more obstacle. What is not explained takes the place of what is unknown.
bool wanted(const Report& report, bool unknown) {
  if (report.obstacles.size() < kMostObstacles) return true;
  return !unknown && std::any_of(report.obstacles.begin(), report.obstacles.end(),
                                 [](const Obstacle& o) { return o.answer == Answer::unknown; });
}

void add(Report& report, Obstacle obstacle) {
  auto& all = report.obstacles;
  if (all.size() == kMostObstacles) {
    const auto last = std::find_if(all.rbegin(), all.rend(), [](const auto& o) { return o.answer == Answer::unknown; });
    all.erase(std::prev(last.base()));
  }
  all.push_back(std::move(obstacle));
}

}  // namespace

std::vector<std::string> Replay::false_guards(const Node& node, const ir::Action& wanted) const {
  std::vector<std::string> out;
  std::vector<ir::ExprId> parts{p_[wanted.step].guard};
  if (p_[parts[0]].op == ir::Op::and_) parts = p_[parts[0]].args;
  for (const ir::ExprId part : parts) {
    ir::Protocol copy = extended_;
    copy.steps[wanted.step.index()].guard = part;
    const ir::Interpreter judge(copy, values_->instance(), constants_);
    ir::State state = node.state;
    if (wanted.received) state.network.push_back(*wanted.received);
    if (std::holds_alternative<ir::Disabled>(judge.apply(state, wanted))) out.push_back(ir::to_source(p_, part));
  }
  return out;
}

Obstacle Replay::place(std::size_t h, std::size_t event, std::uint64_t key) const {
  const Place& at = hosts_[h].log->items[event].place;
  Obstacle out;
  out.host = hosts_[h].name;
  out.key = key;
  out.file = logs_.names[at.file];
  out.line = at.line;
  out.event = logs_.texts[at.file].substr(at.begin, at.end - at.begin);
  return out;
}

Result<Obstacle> Replay::obstacle(const Node& node, std::size_t h, std::uint64_t key, bool partial,
                                  const Event& event) const {
  const Host& host = hosts_[h];
  Obstacle out = place(h, node.position[h], key);
  const bool unknown = node.status[h] == Status::opaque || (partial && node.status[h] != Status::failed);
  out.answer = unknown ? Answer::unknown : Answer::not_explained;
  out.reason = node.reason[h];
  if (node.status[h] == Status::waiting && event.message) {
    out.reason = fmt::format("{} has not sent {}", ir::to_source(p_, event.message->sender),
                             ir::to_source(p_, values_->instance(), *event.message));
  } else if (node.status[h] == Status::ambiguous) {
    out.reason = "no step of this host fits the event here";
  }
  if (event.kind == Event::Kind::step && event.determined && node.status[h] == Status::failed) {
    if (const auto wanted = action(event, host.ref)) out.guards = false_guards(node, *wanted);
  }
  for (const ir::VarId id : p_[host.ref.role].variables) {
    out.state.push_back(fmt::format(
        "{} = {}", p_[id].name,
        ir::to_source(p_, values_->instance(), p_[id].type, node.state.variables[id.index()][host.ref.index])));
  }
  return out;
}

Result<void> Replay::describe(const Node& node, std::uint64_t key, bool partial, Report& report) {
  struct Found {
    int rank;
    std::size_t host;
    Event event;
  };
  std::vector<Found> found;
  // A host that waits for one that is stuck itself is not where the trouble is.
  const auto stuck = [&](ir::HostRef host) {
    for (std::size_t h = 0; h < hosts_.size(); ++h) {
      if (hosts_[h].ref == host) return node.status[h] != Status::done && node.status[h] != Status::ready;
    }
    return false;
  };
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    if (node.status[h] == Status::done) continue;
    auto next = event(hosts_[h], hosts_[h].log->items[node.position[h]]);
    if (!next) return tl::make_unexpected(next.error());
    int rank = node.status[h] == Status::failed ? 0 : 1;
    if (node.status[h] == Status::waiting && next->message && stuck(next->message->sender)) rank = 2;
    found.push_back({rank, h, std::move(*next)});
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  for (const Found& one : found) {
    if (one.rank == 2 && found.front().rank < 2) break;
    if (!wanted(report, partial && node.status[one.host] != Status::failed)) continue;
    auto made = obstacle(node, one.host, key, partial, one.event);
    if (!made) return tl::make_unexpected(made.error());
    if (executions_ < options_.executions) {
      auto run = execution(node, one.host, one.event);
      if (!run) return tl::make_unexpected(run.error());
      made->execution = std::move(*run);
      ++executions_;
    }
    add(report, std::move(*made));
  }
  return {};
}

// Of every host the first event that was taken as it is.
void Replay::describe_losses(const Node& node, std::uint64_t key, Report& report) const {
  std::vector<std::optional<std::size_t>> first(hosts_.size());
  for (LinkId id = node.last; id != kNone; id = history_[id].before) {
    if (history_[id].trusted) first[history_[id].host] = history_[id].event;
  }
  for (std::size_t h = 0; h < hosts_.size(); ++h) {
    if (!first[h] || !wanted(report, true)) continue;
    Obstacle out = place(h, *first[h], key);
    out.answer = Answer::unknown;
    out.reason = "events of this host are missing before this one, which was taken as it is";
    add(report, std::move(out));
  }
}

// The past of the obstacle: what its host did, what was received there, what those hosts did until they sent it, and so
// on. Of a host that waits, the past of the sender as well: there the message should have been sent.
std::vector<Replay::LinkId> Replay::causes(const Node& node, std::size_t h, const Event& event) const {
  std::set<ir::HostRef> hosts{hosts_[h].ref};
  if (event.message && event.kind == Event::Kind::step) hosts.insert(event.message->sender);
  std::set<LinkId> wanted;
  std::vector<LinkId> out;
  for (LinkId id = node.last; id != kNone; id = history_[id].before) {
    const Link& link = history_[id];
    const ir::HostRef host = link.chosen != kNone ? chosen_[link.chosen].host : hosts_[link.host].ref;
    if (hosts.count(host) == 0 && wanted.count(id) == 0) continue;
    hosts.insert(host);
    if (link.cause != kNone) wanted.insert(link.cause);
    out.push_back(id);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

Result<Execution> Replay::execution(const Node& node, std::size_t h, const Event& event) const {
  const std::vector<LinkId> links = causes(node, h, event);
  // What was taken as it is, is no step of a run: shown is what comes after.
  std::size_t first = links.size() - std::min(links.size(), kMostSteps);
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (history_[links[i]].trusted) first = std::max(first, i + 1);
  }
  Execution out;
  out.instance = values_->shared_instance();
  out.trace.constants = constants_;
  out.whole = first == 0;
  out.host = hosts_[h].ref;
  if (event.kind == Event::Kind::step && event.determined) out.next = action(event, out.host);

  // The messages that are received in the part that is shown and were sent before it.
  std::vector<ir::Action> actions(links.size());
  std::multiset<ir::Packet> under_way;
  const std::set<LinkId> shown(links.begin() + static_cast<std::ptrdiff_t>(first), links.end());
  const auto receives = [&](const ir::Action& action, LinkId cause) {
    const bool sent_here = cause != kNone && shown.count(cause) != 0;
    if (!action.received || sent_here) return;
    const bool once = p_[action.received->message].delivery == ir::Delivery::at_most_once;
    if (once || under_way.count(*action.received) == 0) under_way.insert(*action.received);
  };
  ir::State state = start_;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = history_[links[i]];
    if (link.chosen != kNone) {
      actions[i] = chosen_[link.chosen];
    } else {
      const Host& host = hosts_[link.host];
      auto logged = this->event(host, host.log->items[link.event]);
      if (!logged) return tl::make_unexpected(logged.error());
      if (link.trusted) {
        for (const auto& [id, value] : logged->state) state.variables[id.index()][host.ref.index] = value;
        continue;
      }
      if (auto taken = action(*logged, host.ref)) actions[i] = std::move(*taken);
    }
    if (i >= first) {
      receives(actions[i], link.cause);
      continue;
    }
    state.network.clear();
    if (actions[i].received) state.network.push_back(*actions[i].received);
    ir::Outcome outcome = interpreter_->apply(state, actions[i]);
    if (auto* happened = std::get_if<ir::Happened>(&outcome)) state = std::move(happened->next);
  }
  state.network.assign(under_way.begin(), under_way.end());
  out.trace.states.push_back(std::move(state));
  for (std::size_t i = first; i < links.size(); ++i) {
    ir::Outcome outcome = interpreter_->apply(out.trace.states.back(), actions[i]);
    auto* happened = std::get_if<ir::Happened>(&outcome);
    if (happened == nullptr) {
      return failure(ErrorKind::internal, "a run that explains events does not replay");
    }
    out.trace.actions.push_back(std::move(actions[i]));
    out.trace.sends.push_back(std::move(happened->sends));
    out.trace.states.push_back(std::move(happened->next));
  }
  return out;
}

}  // namespace tenet::validate
