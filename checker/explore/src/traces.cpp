#include "traces.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "refusal.h"

namespace tenet::explore {

namespace {

/// What `Interpreter::enabled` visits, as a list.
using Visited = std::vector<std::pair<ir::Action, ir::Outcome>>;

Visited all_enabled(const ir::Interpreter& interpreter, const ir::State& state) {
  Visited result;
  interpreter.enabled(
      state, [&](const ir::Action& action, const ir::Outcome& outcome) { result.emplace_back(action, outcome); });
  return result;
}

void append(ir::Trace& trace, const ir::Action& action, const ir::Happened& happened) {
  trace.actions.push_back(action);
  trace.states.push_back(happened.next);
  trace.sends.push_back(happened.sends);
}

}  // namespace

Packed Traces::load(std::uint32_t index) const {
  Packed state;
  world_.canvas.packing().load(search_.store().state(index), state.words);
  state.hash = world_.canvas.hash(state.words);
  return state;
}

/// Backwards through the levels, all candidates at once: one pass over the
/// states of a level finds the parents of everything wanted in the next one.
std::vector<Traces::Path> Traces::paths(const std::vector<Candidate>& candidates) {
  std::vector<Path> result(candidates.size());
  std::uint32_t deepest = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    result[i].push_back(candidates[i].index);
    deepest = std::max(deepest, candidates[i].depth);
  }
  world_.symmetry.refresh();
  Expander expander(world_, search_.level());
  for (std::uint32_t depth = deepest; depth > 0; --depth) {
    struct Parent {
      std::uint32_t index = Store::kNoParent;
      std::uint64_t hash = 0;
    };
    std::map<std::uint32_t, Parent> children;  // stored states of this depth that a path goes through
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].depth >= depth) children.try_emplace(result[i].back());
    }
    std::unordered_multimap<std::uint32_t, std::uint32_t> by_link;
    for (const auto& [child, parent] : children) by_link.emplace(search_.store().parent(child), child);
    for (std::uint32_t index = search_.levels()[depth - 1]; index < search_.levels()[depth]; ++index) {
      if (search_.is_hole(index)) continue;
      const Packed state = load(index);
      const auto [from, to] = by_link.equal_range(Expander::parent_link(state.hash));
      if (from == to) continue;
      for (auto i = from; i != to; ++i) {
        Parent& parent = children[i->second];
        if (parent.index != Store::kNoParent && parent.hash <= state.hash) continue;
        const Packed child = load(i->second);
        if (expander.leads_to(state, child.words, child.hash)) parent = {index, state.hash};
      }
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].depth >= depth) result[i].push_back(children[result[i].back()].index);
    }
  }
  for (Path& path : result) std::reverse(path.begin(), path.end());
  return result;
}

void Traces::widen() {
  const bool used = canvas_.packing().hosts() > 0;
  const Packing packing = Packing::fit(world_.universe, used ? &canvas_.packing() : &world_.canvas.packing());
  if (packing.words() > kMaxWords) refuse(ErrorKind::too_large, "a state of a trace has too many bits");
  canvas_.use(packing);
}

/// The canonical state of the orbit, in the packing of `canvas_`.
Packed Traces::canonical(const ir::Constants& constants, const ir::State& state) {
  if (canvas_.packing().hosts() == 0) widen();
  while (true) {
    std::optional<Packed> packed = canvas_.pack(world_.universe, constants, state);
    if (packed && world_.canonical(canvas_, *packed)) return *packed;
    widen();
  }
}

bool Traces::matches(const ir::Constants& constants, const ir::State& state, std::uint32_t stored) {
  const Packed mine = canonical(constants, state);
  Word other[kMaxWords];
  Repacking(world_.canvas.packing(), canvas_.packing())(load(stored).words, other);
  return std::equal(mine.words, mine.words + canvas_.packing().words(), other);
}

/// There may be many starts: they are gone through once for all paths.
Result<void> Traces::find_starts(const std::vector<Path>& paths) {
  std::map<std::uint64_t, std::set<std::uint32_t>> wanted;  // by hash, which does not depend on the packing
  std::size_t left = 0;
  for (const Path& path : paths) {
    const std::uint32_t first = path.front();
    if (!starts_.contains(first) && wanted[load(first).hash].insert(first).second) ++left;
  }
  if (left == 0) return {};
  Result<void> starts = ir::enumerate_starts(world_.p, world_.instance, ~std::uint64_t{0}, [&](const ir::Start& start) {
    const auto candidates = wanted.find(canonical(start.constants, start.state).hash);
    if (candidates == wanted.end()) return true;
    left -= std::erase_if(candidates->second, [&](std::uint32_t first) {
      const bool found = matches(start.constants, start.state, first);
      if (found) starts_.emplace(first, start);
      return found;
    });
    return left > 0;
  });
  if (!starts) return starts;
  if (left > 0) return failure(ErrorKind::internal, "no initial state leads to a state that was found");
  return {};
}

bool Traces::advance(const ir::Interpreter& interpreter, std::uint32_t next, ir::Trace& trace) {
  const ir::State from = trace.states.back();
  for (const auto& [action, outcome] : all_enabled(interpreter, from)) {
    const auto* happened = std::get_if<ir::Happened>(&outcome);
    if (happened == nullptr || !matches(trace.constants, happened->next, next)) continue;
    append(trace, action, *happened);
    return true;
  }
  return false;
}

/// The step that breaks a transition property, or that faults.
void Traces::last_step(const ir::Interpreter& interpreter, const Candidate& candidate, Found& found) {
  const ir::State from = found.trace.states.back();
  const bool fault = candidate.kind == FoundKind::fault;
  const Problem problem = fault ? world_.memos.problem(candidate.what) : Problem{};
  const ir::Action* best_action = nullptr;
  const ir::Happened* best = nullptr;
  const Visited visited = all_enabled(interpreter, from);
  for (const auto& [action, outcome] : visited) {
    if (fault) {
      const auto* failed = std::get_if<ir::Fault>(&outcome);
      if (failed == nullptr || action.step != problem.step || failed->where != problem.fault.where) continue;
      found.fault = *failed;
      found.failing_action = action;
      return;
    }
    const auto* happened = std::get_if<ir::Happened>(&outcome);
    if (happened == nullptr) continue;
    const auto holds = interpreter.holds(world_.checks[candidate.what].formula, happened->next, &from);
    const bool* value = std::get_if<bool>(&holds);
    if ((value != nullptr && *value) || ir::is_cut(holds)) continue;
    const bool exact = canonical(found.trace.constants, happened->next).hash == candidate.next;
    if (best != nullptr && !exact) continue;
    best_action = &action;
    best = happened;
    if (exact) break;
  }
  if (best != nullptr) append(found.trace, *best_action, *best);
}

/// Which hosts and values show it, or which error the formula makes.
void Traces::explain(const ir::Interpreter& interpreter, Found& found) const {
  if (!found.property.valid()) return;
  const ir::Property& property = world_.p[found.property];
  const auto& states = found.trace.states;
  const bool transition = property.kind == ir::PropertyKind::transition && states.size() > 1;
  const ir::State* before = transition ? &states[states.size() - 2] : nullptr;
  const auto holds = interpreter.holds(property.formula, states.back(), before);
  if (const auto* fault = std::get_if<ir::Fault>(&holds)) {
    found.fault = *fault;
    if (property.kind == ir::PropertyKind::reachable) found.kind = FoundKind::fault;
  }
  found.binding = interpreter.witness(property.formula, states.back(), before);
}

Result<Found> Traces::build(const Candidate& candidate, const Path& path) {
  Found found;
  found.kind = candidate.kind;
  const bool checked = candidate.kind == FoundKind::violation || candidate.kind == FoundKind::reached;
  const Check* check = checked ? &world_.checks[candidate.what] : nullptr;
  if (check != nullptr) found.property = check->property;
  const ir::Start& start = starts_.at(path.front());
  found.trace.constants = start.constants;
  found.trace.states.push_back(start.state);
  const ir::Interpreter interpreter(world_.p, world_.instance, found.trace.constants);
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (!advance(interpreter, path[i], found.trace)) {
      return failure(ErrorKind::internal, "the reference interpreter has no step that the exploration took");
    }
  }
  const bool transition = check != nullptr && check->transition;
  if (transition || candidate.kind == FoundKind::fault) {
    const std::size_t steps = found.trace.actions.size();
    last_step(interpreter, candidate, found);
    if (found.trace.actions.size() == steps && !found.failing_action) {
      return failure(ErrorKind::internal, "the reference interpreter does not confirm what the exploration found");
    }
  }
  explain(interpreter, found);
  const std::string difference = ir::replay(world_.p, world_.instance, found.trace);
  if (!difference.empty()) return failure(ErrorKind::internal, "a trace does not replay: " + difference);
  return found;
}

Result<std::vector<Found>> Traces::build(const std::vector<Candidate>& candidates) {
  std::vector<Found> result;
  if (candidates.empty()) return result;
  const std::vector<Path> all = paths(candidates);
  for (const Path& path : all) {
    if (std::find(path.begin(), path.end(), Store::kNoParent) != path.end()) {
      return failure(ErrorKind::internal, "a stored state has no parent");
    }
  }
  if (Result<void> starts = find_starts(all); !starts) return tl::unexpected<Error>(starts.error());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Result<Found> found = build(candidates[i], all[i]);
    if (!found) return tl::unexpected<Error>(found.error());
    result.push_back(std::move(*found));
  }
  return result;
}

std::vector<std::int64_t> signature(const ir::Protocol& protocol, const Found& found) {
  std::vector<std::int64_t> result;
  if (!found.trace.actions.empty()) result.push_back(found.trace.actions.back().step.value);
  // Hosts and values of a sort count by which of them are the same.
  std::map<std::pair<ir::TypeId, std::int64_t>, std::int64_t> first;
  for (const auto& [local, value] : found.binding) {
    const ir::TypeId type = protocol[local].type;
    const ir::TypeKind kind = protocol[type].kind;
    const bool named = kind == ir::TypeKind::host || kind == ir::TypeKind::sort;
    result.push_back(local.value);
    const auto next = static_cast<std::int64_t>(first.size());
    result.push_back(named ? first.try_emplace({type, value.number}, next).first->second : value.number);
  }
  return result;
}

}  // namespace tenet::explore
