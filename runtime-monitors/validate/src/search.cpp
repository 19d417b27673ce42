#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "replay.h"
#include "tenet/ir/printer.h"

namespace tenet::validate {
namespace {

constexpr std::uint64_t kTries = 20;          // actions tried, for each node that may be made
constexpr std::uint64_t kValuesOfNode = 500;  // copied for the price of one

std::uint64_t values(const ir::Value& value) {
  std::uint64_t sum = 1;
  for (const ir::Value& item : value.items) sum += values(item);
  return sum;
}

}  // namespace

Budget::Budget(std::uint64_t nodes) : nodes_(nodes), tries_(nodes * kTries) {}

std::uint64_t Budget::price(const ir::State& state, std::size_t messages) {
  std::uint64_t size = messages;
  for (const auto& variable : state.variables) {
    for (const ir::Value& value : variable) size += values(value);
  }
  return 1 + size / kValuesOfNode;
}

bool Budget::node(std::uint64_t price) {
  if (nodes_ < price) return false;
  nodes_ -= price;
  return true;
}

void Budget::try_all(std::uint64_t count, std::uint64_t price) { tries_ -= std::min(tries_, count * price); }

bool Replay::fits(const Event& event, const ir::Action& action, const ir::Happened& happened) const {
  if (mismatch(event, action.host, happened.next)) return false;
  return !event.said.said || (action.received && event.said.fits(*action.received, action.received->sender));
}

// The node after `action`, taken for the event `wanted` of host `h`, or (null) beyond the end of its log.
std::optional<Replay::Node> Replay::branch(const Node& node, std::size_t h, const Event* wanted,
                                           const ir::Action& action, const ir::Happened& happened) {
  Node next = node;
  chosen_.push_back(action);
  take(next, wanted == nullptr ? hosts_.size() : h, action, happened, static_cast<LinkId>(chosen_.size() - 1));
  if (wanted != nullptr) {
    next.status[h] = Status::ready;
  } else if (next.state == node.state && next.network == node.network) {
    return std::nullopt;
  }
  wake(next, Status::waiting);
  wake(next, Status::ambiguous);
  return next;
}

// The steps of one host: those that an event may be, or (null) any. False if the search has to end.
bool Replay::follow(const Node& node, const ir::State& whole, ir::HostRef host, std::size_t h, const Event* wanted,
                    Search& search, std::vector<Node>& out) {
  const std::uint64_t price = Budget::price(node.state, node.network.size());
  for (const ir::StepId step : p_[host.role].steps) {
    if (wanted != nullptr && wanted->step.valid() && wanted->step != step) continue;
    ir::Partial known{step, host, {}, {}};
    if (wanted != nullptr) {
      known.parameters = wanted->parameters;
      known.received = wanted->message;
    }
    std::uint64_t left = budget_.tries(price);
    std::uint64_t tried = left;
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
      if (wanted != nullptr && !fits(*wanted, action, *happened)) return;
      if (!budget_.node(price)) {
        search.exceeded = true;
        tried -= std::exchange(left, 0);  // ends the enumeration
        return;
      }
      if (auto next = branch(node, h, wanted, action, *happened)) out.push_back(std::move(*next));
    };
    const bool enough = interpreter_->enabled(whole, known, visit, left);
    tried -= left;
    search.tried += tried;
    budget_.try_all(tried, price);
    search.exceeded = search.exceeded || !enough;
    if (!search.exceeded) continue;
    search.given_up = fmt::format("{} of {}", p_[step].name, ir::to_source(p_, host));
    return false;
  }
  return true;
}

// What may happen next where the logs leave a choice: an event that is one of several steps, or a step of a host whose
// log has ended.
Result<std::vector<Replay::Node>> Replay::branches(const Node& node, Search& search) {
  ir::State whole = node.state;
  for (const auto& [packet, sent] : node.network) {
    for (int i = 0; i < sent.copies; ++i) whole.network.push_back(packet);
  }
  std::vector<Node> out;
  for (std::size_t r = 0; r < p_.roles.size(); ++r) {
    const auto role = ir::RoleId(r);
    for (std::uint32_t i = 0; i < static_cast<std::uint64_t>(values_->instance().hosts(role)); ++i) {
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

// Depth first, until a node explains everything: the node that explains most. Ends where events are lost: then nothing
// that could be found would be more than unknown.
Result<Replay::Node> Replay::explain(Node first, Search& search) {
  Node best = first;
  search.opaque = any(first, Status::opaque) || lost(first);
  std::set<std::tuple<std::vector<std::size_t>, ir::State, Network>> visited;
  std::vector<Node> open;
  if (!lost(first)) open.push_back(std::move(first));
  while (!all_done(best) && !lost(best) && !open.empty() && !search.exceeded) {
    Node node = std::move(open.back());
    open.pop_back();
    // A host that is stuck for good stops only itself: others may still show more of what can be explained.
    const bool waits = any(node, Status::waiting) || any(node, Status::ambiguous);
    if (!waits || !visited.emplace(node.position, node.state, node.network).second) continue;
    ++search.searched;
    auto next = branches(node, search);
    if (!next) return tl::make_unexpected(next.error());
    for (Node& branch : *next) {
      const std::uint64_t before = branch.explained();
      if (auto done = greedy(branch); !done) return tl::make_unexpected(done.error());
      // Events are replayed for every branch again.
      budget_.try_all(branch.explained() - before, Budget::price(branch.state, branch.network.size()));
      search.opaque = search.opaque || any(branch, Status::opaque) || lost(branch);
      if (branch.explained() > best.explained() || all_done(branch) || lost(branch)) best = branch;
      if (lost(best)) break;
      open.push_back(std::move(branch));
    }
  }
  return best;
}

}  // namespace tenet::validate
