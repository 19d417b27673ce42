#include "next_values.h"

#include <algorithm>
#include <optional>

namespace tenet::frontend::pyv {
namespace {

/// Deeper calls of definitions, and more of them, are not looked into; they stay conjuncts.
constexpr int kMaxCalls = 64;
constexpr std::size_t kMaxConjuncts = 4096;
/// Who reads more than this is taken to read everything.
constexpr std::size_t kMaxVisited = std::size_t{1} << 20;

bool is_equation(const Expr& e) { return e.kind == Kind::iff || e.kind == Kind::equal; }

/// Equal as text, bound names included: then they also mean the same in one place.
bool same_text(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.name != b.name || a.number != b.number || a.primes != b.primes ||
      a.args.size() != b.args.size() || a.variables.size() != b.variables.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.variables.size(); ++i) {
    if (a.variables[i].name != b.variables[i].name || a.variables[i].sort != b.variables[i].sort) return false;
  }
  return std::equal(a.args.begin(), a.args.end(), b.args.begin(),
                    [](const Expr* x, const Expr* y) { return same_text(*x, *y); });
}

bool mentions(const Expr& e, const std::string& name) {
  const bool here = e.kind == Kind::name && e.name == name;
  return here || std::any_of(e.args.begin(), e.args.end(), [&](const Expr* arg) { return mentions(*arg, name); });
}

bool mentions_any(const Expr& e, const std::vector<const Variable*>& variables) {
  return std::any_of(variables.begin(), variables.end(), [&](const Variable* v) { return mentions(e, v->name); });
}

}  // namespace

// ---- Conjuncts

const Definition* Planner::called(const Expr& e, Environment environment) const {
  if ((e.kind != Kind::name && e.kind != Kind::apply) || e.primes > 0 || find(environment, e.name) != nullptr) {
    return nullptr;
  }
  const Meaning* meaning = p_.find(e.name);
  const bool is = meaning != nullptr && meaning->kind == Meaning::Kind::definition;
  return is ? &p_.file.definitions[meaning->index] : nullptr;
}

/// `forall` goes through `&`; `let` and calls are looked into where they do not
/// depend on what is bound around them, so that it can be bound inside.
void Planner::flatten(const Expr& e, Environment environment, const std::vector<const Variable*>& prefix,
                      std::vector<Conjunct>& out) {
  if (e.kind == Kind::conjunction) {
    for (const Expr* arg : e.args) flatten(*arg, environment, prefix, out);
    return;
  }
  if (e.kind == Kind::truth && e.number != 0) return;
  if (e.kind == Kind::forall) {
    std::vector<const Variable*> longer = prefix;
    for (const Variable& variable : e.variables) {
      std::erase_if(longer, [&](const Variable* outer) { return outer->name == variable.name; });
      longer.push_back(&variable);
    }
    return flatten(*e.args[0], environment, longer, out);
  }
  const auto is_bound = [&](const std::string& name) {
    return std::any_of(prefix.begin(), prefix.end(), [&](const Variable* v) { return v->name == name; });
  };
  if (e.kind == Kind::let && !mentions_any(*e.args[0], prefix) && !is_bound(e.variables[0].name)) {
    const Environment inside = bindings_.text(environment, e.variables[0].name, e.args[0], environment, 0);
    return flatten(*e.args[1], inside, prefix, out);
  }
  const bool free = std::none_of(e.args.begin(), e.args.end(), [&](const Expr* a) { return mentions_any(*a, prefix); });
  const Definition* callee = free ? called(e, environment) : nullptr;
  if (callee != nullptr && out.size() < kMaxConjuncts && calls_ < kMaxCalls) {
    Environment inside = nullptr;
    for (std::size_t i = 0; i < e.args.size(); ++i) {
      inside = bindings_.text(inside, callee->parameters[i].name, e.args[i], environment);
    }
    ++calls_;
    flatten(*callee->body, inside, {}, out);
    --calls_;
    return;
  }
  out.push_back({prefix, &e, environment});
}

std::vector<Conjunct> Planner::conjuncts(const Expr& formula, Environment environment) {
  std::vector<Conjunct> out;
  flatten(formula, environment, {}, out);
  return out;
}

// ---- Definitions

/// The symbol whose value in the defined state `e` is: `r(X)`, `new(r(X))` or
/// `r'(X)`. Null if it is none; else the node that holds name and arguments.
const Expr* Planner::target_of(const Expr& e, Environment environment, std::size_t& symbol) const {
  const Expr* at = &e;
  int state = 0;
  while (at->kind == Kind::next) {
    at = at->args[0];
    ++state;
  }
  if (at->kind != Kind::name && at->kind != Kind::apply) return nullptr;
  if (state + static_cast<int>(at->primes) != state_ || find(environment, at->name) != nullptr) return nullptr;
  const Meaning* meaning = p_.find(at->name);
  if (meaning == nullptr || meaning->kind != Meaning::Kind::symbol) return nullptr;
  if (!p_.file.symbols[meaning->index].is_mutable) return nullptr;
  symbol = meaning->index;
  return at;
}

const Next* Planner::define(const Conjunct& conjunct, const Expr& target, const Expr* value, bool truth,
                            std::size_t& symbol) {
  const Expr* at = target_of(target, conjunct.environment, symbol);
  if (at == nullptr) return nullptr;
  Next next;
  for (const Expr* arg : at->args) {
    const auto same = [&](const Variable* v) { return v->name == arg->name; };
    const bool bound = arg->kind == Kind::name && arg->primes == 0 &&
                       std::count_if(conjunct.prefix.begin(), conjunct.prefix.end(), same) == 1;
    if (!bound || std::count(next.parameters.begin(), next.parameters.end(), arg->name) > 0) return nullptr;
    next.parameters.push_back(arg->name);
  }
  // What the value depends on must be among the arguments.
  for (const Variable* variable : conjunct.prefix) {
    const bool argument = std::count(next.parameters.begin(), next.parameters.end(), variable->name) > 0;
    if (!argument && value != nullptr && mentions(*value, variable->name)) return nullptr;
  }
  next.kind = value != nullptr ? Next::Kind::body : Next::Kind::truth;
  next.body = value;
  next.value = truth;
  next.environment = conjunct.environment;
  next.said_by = {conjunct};
  std::set<std::size_t> needed;
  dependencies(next, needed);
  if (needed.count(symbol) > 0) return nullptr;
  nexts_.push_back(std::move(next));
  return &nexts_.back();
}

const Next* Planner::define(const Conjunct& conjunct, std::size_t& symbol) {
  const Expr& e = *conjunct.body;
  if (is_equation(e)) {
    if (const Next* next = define(conjunct, *e.args[0], e.args[1], false, symbol)) return next;
    return define(conjunct, *e.args[1], e.args[0], false, symbol);
  }
  if (e.kind == Kind::negation) return define(conjunct, *e.args[0], nullptr, false, symbol);
  return define(conjunct, e, nullptr, true, symbol);
}

// ---- Plans

std::vector<Rest> Planner::taken_back(const Next& next) const {
  std::vector<Rest> out;
  for (const Conjunct& conjunct : next.said_by) out.push_back({conjunct, nullptr, nullptr, {}, {}});
  if (next.kind == Next::Kind::branch) {
    Rest rest;
    rest.condition = next.body;
    rest.environment = next.environment;
    rest.then = taken_back(*next.first);
    rest.otherwise = taken_back(*next.second);
    out.push_back(std::move(rest));
  }
  if (next.kind == Next::Kind::update) {
    for (Rest& rest : taken_back(*next.first)) out.push_back(std::move(rest));
  }
  return out;
}

/// A symbol that both branches define is defined; what only one says remains.
void Planner::branch(const Conjunct& conjunct, const std::set<std::size_t>& wanted, Plan& into) {
  const Expr& e = *conjunct.body;
  const auto planned = [&](const Expr& part) {
    std::vector<Conjunct> parts;
    flatten(part, conjunct.environment, conjunct.prefix, parts);
    return plan(parts, wanted);
  };
  Plan then = planned(*e.args[1]);
  Plan otherwise = planned(*e.args[2]);
  Rest rest;
  rest.condition = e.args[0];
  rest.environment = conjunct.environment;
  rest.then = std::move(then.rest);
  rest.otherwise = std::move(otherwise.rest);
  const auto take_back = [&](const Next& next, std::vector<Rest>& to) {
    for (Rest& each : taken_back(next)) to.push_back(std::move(each));
  };
  for (const auto& [symbol, value] : then.values) {
    const auto other = otherwise.values.find(symbol);
    if (other == otherwise.values.end() || into.values.count(symbol) > 0) {
      take_back(*value, rest.then);
      continue;
    }
    Next next;
    next.kind = Next::Kind::branch;
    next.body = e.args[0];
    next.environment = conjunct.environment;
    next.first = value;
    next.second = other->second;
    nexts_.push_back(std::move(next));
    into.values[symbol] = &nexts_.back();
    otherwise.values.erase(other);
  }
  for (const auto& [symbol, value] : otherwise.values) take_back(*value, rest.otherwise);
  if (!rest.then.empty() || !rest.otherwise.empty()) into.rest.push_back(std::move(rest));
}

Plan Planner::plan(const std::vector<Conjunct>& conjuncts, const std::set<std::size_t>& wanted) {
  Plan made;
  for (const Conjunct& conjunct : conjuncts) {
    if (conjunct.body->kind == Kind::branch && !mentions_any(*conjunct.body->args[0], conjunct.prefix)) {
      branch(conjunct, wanted, made);
      continue;
    }
    std::size_t symbol = 0;
    const Next* next = define(conjunct, symbol);
    if (next != nullptr && wanted.count(symbol) > 0 && made.values.count(symbol) == 0) {
      made.values[symbol] = next;
    } else {
      made.rest.push_back({conjunct, nullptr, nullptr, {}, {}});
    }
  }
  updates(wanted, made);
  return made;
}

// ---- Updates at one point

namespace {

/// `X != t`, or `X != t | Y != u`, or `!(X = t & Y = u)` for the prefix `X, Y`:
/// the terms, in the order of the prefix.
std::optional<std::vector<const Expr*>> excluded_point(const Conjunct& conjunct, const Expr& condition) {
  std::vector<const Expr*> parts{&condition};
  Kind wanted = Kind::differs;
  if (condition.kind == Kind::negation) {
    wanted = Kind::equal;
    parts = {condition.args[0]};
    if (parts[0]->kind == Kind::conjunction) parts.assign(parts[0]->args.begin(), parts[0]->args.end());
  } else if (condition.kind == Kind::disjunction) {
    parts.assign(condition.args.begin(), condition.args.end());
  }
  if (parts.size() != conjunct.prefix.size()) return std::nullopt;
  std::vector<const Expr*> point(parts.size(), nullptr);
  for (const Expr* part : parts) {
    if (part->kind != wanted) return std::nullopt;
    bool found = false;
    for (std::size_t i = 0; i < point.size() && !found; ++i) {
      for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const Expr& variable = *part->args[side];
        if (variable.kind != Kind::name || variable.primes > 0 || variable.name != conjunct.prefix[i]->name) continue;
        if (point[i] != nullptr) return std::nullopt;
        point[i] = part->args[1 - side];
        found = true;
        break;
      }
    }
    if (!found) return std::nullopt;
  }
  const bool free =
      std::none_of(point.begin(), point.end(), [&](const Expr* term) { return mentions_any(*term, conjunct.prefix); });
  return free ? std::optional(point) : std::nullopt;
}

}  // namespace

/// Whether `e` is a name that means the same in every state.
bool Planner::rigid(const Expr& e, Environment environment) const {
  if (e.kind != Kind::name || e.primes > 0) return false;
  if (const Binding* bound = find(environment, e.name)) {
    return bound->text == nullptr || rigid(*bound->text, bound->around);
  }
  const Meaning* meaning = p_.find(e.name);
  return meaning != nullptr && meaning->kind == Meaning::Kind::symbol && !p_.file.symbols[meaning->index].is_mutable;
}

/// `forall X. X != t -> new(f(X)) = e` together with `new(f(t)) = v`.
bool Planner::update(std::vector<Rest>& rest, std::size_t elsewhere, const std::set<std::size_t>& wanted, Plan& into) {
  const Conjunct conjunct = rest[elsewhere].conjunct;
  if (rest[elsewhere].condition != nullptr || conjunct.prefix.empty() || conjunct.body->kind != Kind::implies) {
    return false;
  }
  const auto excluded = excluded_point(conjunct, *conjunct.body->args[0]);
  if (!excluded) return false;
  Conjunct body = conjunct;
  body.body = conjunct.body->args[1];
  std::size_t symbol = 0;
  const Next* base = define(body, symbol);
  if (base == nullptr || wanted.count(symbol) == 0 || into.values.count(symbol) > 0) return false;
  if (base->parameters.size() != conjunct.prefix.size()) return false;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Conjunct& at = rest[i].conjunct;
    if (i == elsewhere || rest[i].condition != nullptr || !at.prefix.empty()) continue;
    if (at.environment != conjunct.environment) continue;
    const bool equation = is_equation(*at.body);
    const bool negated = at.body->kind == Kind::negation;
    const Expr& left = equation || negated ? *at.body->args[0] : *at.body;
    std::size_t other = 0;
    const Expr* target = target_of(left, at.environment, other);
    if (target == nullptr || other != symbol || target->args.size() != base->parameters.size()) continue;
    // In `new(r(t))`, unlike in `r'(t)`, the point is read in the new state.
    Next next;
    bool same = true;
    for (std::size_t k = 0; k < base->parameters.size(); ++k) {
      const auto& prefix = conjunct.prefix;
      const auto position =
          std::find_if(prefix.begin(), prefix.end(), [&](const Variable* v) { return v->name == base->parameters[k]; });
      const Expr* term = (*excluded)[static_cast<std::size_t>(position - prefix.begin())];
      same = same && rigid(*term, at.environment) && same_text(*term, *target->args[k]);
      next.point.push_back(term);
    }
    if (!same) continue;
    next.kind = Next::Kind::update;
    next.body = equation ? at.body->args[1] : nullptr;
    next.value = !negated;
    next.environment = at.environment;
    next.first = base;
    next.said_by = {at};
    std::set<std::size_t> needed;
    dependencies(next, needed);
    if (needed.count(symbol) > 0) continue;
    // The base was said under a condition.
    nexts_.push_back(*base);
    nexts_.back().said_by = {conjunct};
    next.first = &nexts_.back();
    nexts_.push_back(std::move(next));
    into.values[symbol] = &nexts_.back();
    const std::size_t later = std::max(i, elsewhere);
    const std::size_t earlier = std::min(i, elsewhere);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(later));
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(earlier));
    return true;
  }
  return false;
}

void Planner::updates(const std::set<std::size_t>& wanted, Plan& plan) {
  for (std::size_t i = 0; i < plan.rest.size();) {
    if (update(plan.rest, i, wanted, plan)) {
      i = 0;
    } else {
      ++i;
    }
  }
}

// ---- Circles

void Planner::reads(const Expr& e, Environment environment, int state, std::set<std::size_t>& into) const {
  if (++visited_ > kMaxVisited) {
    for (std::size_t i = 0; i < p_.file.symbols.size(); ++i) into.insert(i);
    return;
  }
  if (e.kind == Kind::name || e.kind == Kind::apply) {
    const Binding* bound = find(environment, e.name);
    if (bound != nullptr && bound->text != nullptr) {
      reads(*bound->text, bound->around, bound->state == Binding::kWhereRead ? state : bound->state, into);
    }
    const Meaning* meaning = bound == nullptr ? p_.find(e.name) : nullptr;
    const int shifted = state + static_cast<int>(e.primes);
    if (meaning != nullptr && meaning->kind == Meaning::Kind::symbol) {
      if (shifted == state_ && p_.file.symbols[meaning->index].is_mutable) into.insert(meaning->index);
    } else if (meaning != nullptr) {
      for (const Read& read : p_.reads[meaning->index]) {
        if (shifted + read.state == state_) into.insert(read.symbol);
      }
      // An argument may be read in any state that the definition speaks of.
      for (const Expr* arg : e.args) reads(*arg, environment, state + 1, into);
    }
  }
  for (const Expr* arg : e.args) reads(*arg, environment, state + (e.kind == Kind::next ? 1 : 0), into);
}

void Planner::dependencies(const Next& next, std::set<std::size_t>& into) const {
  if (next.body != nullptr) reads(*next.body, next.environment, next.state, into);
  for (const Expr* term : next.point) reads(*term, next.environment, next.state, into);
  if (next.first != nullptr) dependencies(*next.first, into);
  if (next.second != nullptr) dependencies(*next.second, into);
}

void Planner::break_circles(Plan& plan, const std::map<std::size_t, const Next*>& derived) const {
  const auto value = [&](std::size_t symbol) -> const Next* {
    const auto own = plan.values.find(symbol);
    if (own != plan.values.end()) return own->second;
    const auto other = derived.find(symbol);
    return other != derived.end() ? other->second : nullptr;
  };
  // Whether `goal` can be reached from what `from` reads.
  const auto reaches = [&](std::size_t goal) {
    std::set<std::size_t> seen;
    std::vector<std::size_t> open{goal};
    while (!open.empty()) {
      const Next* at = value(open.back());
      open.pop_back();
      if (at == nullptr) continue;
      std::set<std::size_t> needed;
      dependencies(*at, needed);
      if (needed.count(goal) > 0) return true;
      for (const std::size_t each : needed) {
        if (seen.insert(each).second) open.push_back(each);
      }
    }
    return false;
  };
  std::vector<std::size_t> symbols;
  for (const auto& [symbol, next] : plan.values) symbols.push_back(symbol);
  for (const std::size_t symbol : symbols) {
    if (!reaches(symbol)) continue;
    take_back(plan, symbol);
  }
}

void Planner::take_back(Plan& plan, std::size_t symbol) const {
  for (Rest& rest : taken_back(*plan.values[symbol])) plan.rest.push_back(std::move(rest));
  plan.values.erase(symbol);
}

}  // namespace tenet::frontend::pyv
