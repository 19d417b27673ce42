/// Repairs of what a model breaks in counting: sizes of sets, members, and what
/// is unique.
#include <algorithm>
#include <tuple>

#include "chase.h"

namespace tenet::provenance {

using smt::Term;

bool Chase::repair_counting() {
  bool any = false;
  const std::size_t count = x_.counted.size();
  for (std::size_t a = 0; a < count; ++a) {
    if (!x_.counted[a].role.valid() || !x_.spoken(x_.counted[a].size)) continue;
    x_.generation = x_.counted[a].generation;
    const std::int64_t all = number(x_.size_of_role(x_.counted[a].role));
    const std::int64_t size = number(x_.counted[a].size);
    if (size >= all) {
      for (const Execution::Named& host : candidates(x_.counted[a].element)) {
        if (x_.counted[a].members.count(host.value->term.id()) != 0) continue;
        x_.generation = std::max(x_.counted[a].generation, host.generation);
        if (is_true(x_.counted[a].set->collection->apply(host.value)->term)) continue;
        x_.add_full(a, host.value->term);
        any = true;
      }
    }
  }
  return any;
}

/// Whose set it is: what is counted at another time is much the same set.
std::string Chase::owner(const Counted& counted) {
  if (!counted.cell) return "size " + std::to_string(counted.size.id());
  std::string text = std::to_string(counted.cell->var.value) + "." + std::to_string(counted.cell->layer) + " of " +
                     value(counted.cell->host).text;
  for (Term key : counted.cell->keys) text += ", " + value(key).text;
  return text;
}

/// One pair of sets that must share a host, and one for each two owners before
/// looking further back; of different owners if there are such.
bool Chase::repair_meetings() {
  const std::size_t count = x_.counted.size();
  struct Pair {
    std::size_t a = 0, b = 0;
    bool same_owner = false;
    int generation = 0;
    std::pair<std::string, std::string> owners;
  };
  std::optional<Pair> best;
  for (std::size_t a = 0; a < count; ++a) {
    const Counted& one = x_.counted[a];
    if (!one.role.valid() || !x_.spoken(one.size) || too_far(one.generation)) continue;
    for (std::size_t b = a + 1; b < count; ++b) {
      const Counted& other = x_.counted[b];
      if (one.role != other.role || one.met.count(small(b)) != 0 || !x_.spoken(other.size) ||
          too_far(other.generation)) {
        continue;
      }
      if (number(one.size) + number(other.size) <= number(x_.size_of_role(one.role))) continue;
      Pair pair{a,
                b,
                false,
                strategy_.forward ? one.generation + other.generation : std::max(one.generation, other.generation),
                {}};
      pair.owners = std::minmax({owner(one), owner(other)});
      pair.same_owner = pair.owners.first == pair.owners.second;
      if (strategy_.forward && too_far(pair.generation)) continue;
      const auto met = met_.find(pair.owners);
      if (met != met_.end() && met->second >= depth_) continue;
      if (best && std::tie(best->same_owner, best->generation) <= std::tie(pair.same_owner, pair.generation)) continue;
      best = pair;
    }
  }
  if (!best) return false;
  met_[best->owners] = depth_;
  x_.generation = of_witness(best->generation);
  x_.add_common_member(best->a, best->b);
  return true;
}

/// A set that is not empty, none of whose members has a name; an empty set with a member.
bool Chase::repair_members() {
  const std::size_t count = x_.counted.size();
  std::set<std::string> shared;  // owners of sets that have a member in common with another
  for (const auto& [owners, depth] : met_) {
    shared.insert(owners.first);
    shared.insert(owners.second);
  }
  for (std::size_t a = 0; a < count; ++a) {
    const Counted& one = x_.counted[a];
    if (!x_.spoken(one.size) || ((explain || strategy_.forward) && too_far(one.generation))) continue;
    const bool empty = number(one.size) == 0;
    if (empty && !one.set->collection->cardinality) continue;
    const std::string whose = owner(one);
    if (!empty && shared.count(whose) != 0) continue;
    const auto named = candidates(one.element);
    const auto member = std::find_if(named.begin(), named.end(), [&](const Execution::Named& candidate) {
      const Term inside = one.set->collection->apply(candidate.value)->term;
      return x_.spoken(inside) && is_true(inside);
    });
    if (empty == (member == named.end())) continue;
    if (!done_.insert({mark(Mark::member), small(a), empty ? 1U : 0U}).second) continue;
    x_.generation = one.generation;
    if (empty) {
      x_.add_not_empty(a, member->value);
    } else {
      met_[{whose, ""}] = depth_;
      x_.generation = of_witness(one.generation);
      x_.add_some_member(a);
    }
    return true;
  }
  return false;
}

bool Chase::repair_unique() {
  bool any = false;
  for (std::size_t a = 0; a < x_.uniques.size(); ++a) {
    for (std::size_t b = a + 1; b < x_.uniques.size(); ++b) {
      const UniqueValue& u = x_.uniques[a];
      const UniqueValue& v = x_.uniques[b];
      if (u.constant != v.constant || !x_.spoken(u.value) || !x_.spoken(v.value) || same(u.host, v.host) ||
          !same(u.value, v.value))
        continue;
      if (!done_.insert({mark(Mark::unique), small(a), small(b)}).second) continue;
      x_.add_unique(u, v);
      any = true;
    }
  }
  return any;
}

/// A set that only grows has at least as many members later: neighbours in
/// time are enough.
bool Chase::repair_growth(const DerivedFact& fact) {
  std::map<std::string, std::map<std::int64_t, std::size_t>> by_owner;
  for (std::size_t c = 0; c < x_.counted.size(); ++c) {
    const Counted& counted = x_.counted[c];
    if (!counted.cell || counted.cell->var != fact.focus || !x_.spoken(counted.size)) continue;
    const std::int64_t time = number(counted.cell->time);
    if (time >= 0 && time <= number(x_.last())) by_owner[owner(counted)].emplace(time, c);
  }
  bool any = false;
  smt::TermManager& tm = x_.logic().terms;
  for (const auto& [whose, times] : by_owner) {
    for (auto next = times.begin(), before = next++; next != times.end(); before = next++) {
      const Counted& earlier = x_.counted[before->second];
      const Counted& later = x_.counted[next->second];
      if (number(earlier.size) <= number(later.size)) continue;
      if (!done_.insert({mark(Mark::size_grows), small(next->second), small(before->second)}).second) continue;
      std::vector<Term> when{tm.le(x_.start(), earlier.cell->time), tm.le(earlier.cell->time, later.cell->time),
                             tm.le(later.cell->time, x_.last()), tm.eq(later.cell->host, earlier.cell->host)};
      for (std::size_t i = 0; i < later.cell->keys.size(); ++i) {
        when.push_back(tm.eq(later.cell->keys[i], earlier.cell->keys[i]));
      }
      x_.add(tm.implies(tm.and_(when), tm.le(earlier.size, later.size)), Principle::derived, fact.name);
      any = true;
    }
  }
  return any;
}

}  // namespace tenet::provenance
